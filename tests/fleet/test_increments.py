# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Increments: a small file a night, which depends on older ones, and how they are joined."""

import hashlib
import os
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from conftest import MEMORY, make_old, run_fleet, start_fleet
from forks import ask, assert_restored, chains, files, grow, ids_in, ids_of, make, opened, path_of
from git_zpack_fleet import archiving, backing, worker
from git_zpack_fleet.converting import files_to_join
from git_zpack_fleet.jobs import Join, Settings, VerifyJob
from git_zpack_fleet.manifest import Manifest
from git_zpack_fleet.planning import Planner, Policy
from git_zpack_fleet.program import Ran
from git_zpack_fleet.records import Link, NewArchive, chain_text, parse_chain
from git_zpack_fleet.store import Store, archive_key

NIGHTLY = ("--increments", "--consolidate", "never")


@pytest.fixture
def nights(on_cluster, tmp_path):
    """Archives one repository after each of some commits; returns what the store has then."""
    source, store = tmp_path / "source", tmp_path / "store"
    one = make(source / "one.git", 60)

    def run(count, *options, **more):
        seen = []
        for number in range(count):
            grow(one, 1, f"night {number} {len(one.refs())} {options}")
            make_old(source)
            ran = on_cluster("archive", source, "--to", store, *options, **more)
            assert ran.status == 0, ran
            seen.append(files(store))
        return seen
    return one, store, run


def test_each_night_adds_one_small_file_and_touches_no_other(nights, on_cluster, tmp_path):
    one, store, run = nights
    before = None
    for number in range(4):
        found = run(1, *NIGHTLY)[0]
        assert len(found) == number + 1
        if before is None:
            before = {}
        times = {name: path_of(store, name).stat() for name in found}
        for name, status in before.items():
            assert times[name].st_mtime_ns == status.st_mtime_ns
            assert times[name].st_ino == status.st_ino
        before = times
    chain = chains(store)["one.git"]
    assert len(chain) == 4
    sizes = [path_of(store, name).stat().st_size for name in chain]
    assert all(size < 0.2 * sizes[-1] for size in sizes[:-1])
    assert ids_of(one) == ids_in(path_of(store, chain[0]),
                                 [path_of(store, name) for name in chain[1:]])
    assert "4 archives checked, 0 not intact" in on_cluster("verify", store).output
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(tmp_path / "source", tmp_path / "back")
    # The same state again: nothing is written.
    assert "1 unchanged" in on_cluster("archive", tmp_path / "source", "--to", store,
                                       *NIGHTLY).output


def test_without_the_option_a_chain_becomes_one_file_again(nights):
    one, store, run = nights
    run(3, *NIGHTLY)
    assert len(chains(store)["one.git"]) == 3
    run(1)
    chain = chains(store)["one.git"]
    assert len(chain) == 1
    assert ids_in(path_of(store, chain[0])) == ids_of(one)


def test_longest_chain_is_kept_and_nothing_is_written_again(nights):
    one, store, run = nights
    lengths = []
    before = set()
    for _ in range(7):
        found = run(1, "--increments", "--consolidate", "3")[0]
        lengths.append(len(chains(store)["one.git"]))
        assert len(found - before) == 1 and before <= found  # What is joined never gets there.
        before = found
    assert lengths == [1, 2, 3, 1, 2, 3, 1]
    chain = chains(store)["one.git"]
    assert ids_in(path_of(store, chain[0])) == ids_of(one)


def test_geometric_keeps_files_twice_as_large_as_all_newer_ones(nights):
    one, store, run = nights
    for _ in range(8):
        run(1, "--increments")
        sizes = [path_of(store, name).stat().st_size for name in chains(store)["one.git"]]
        for number, size in enumerate(sizes[1:], 1):
            assert size >= 2 * sum(sizes[:number]), sizes
    chain = [path_of(store, name) for name in chains(store)["one.git"]]
    assert len(chain) < 6
    assert ids_in(chain[0], chain[1:]) == ids_of(one)


@pytest.mark.parametrize(("sizes", "below", "join", "joined"), (
    ([1, 1000], 0, Join(geometric=True), 1),
    ([10, 10, 1000], 0, Join(geometric=True), 2),
    ([10, 25, 50, 1000], 0, Join(geometric=True), 3),
    ([600, 1000], 0, Join(geometric=True), 2),
    ([600, 1000], 1, Join(most=3), 1),
    ([1, 1000], 2, Join(most=3), 2),
    ([1] * 200, 55, Join(), 1),
    ([1] * 200, 56, Join(), 200),
    ([1], 100, Join(most=3), 1),
    ([5, 5], 0, Join(), 1)))
def test_files_that_are_joined(sizes, below, join, joined):
    assert files_to_join(sizes, below, join) == joined


def new_archive(number, content, chain=(), base=None):
    return NewArchive(number, f"{content:064x}", 10, 1, f"d{content}", False, "", 1, 1.0, 1, 1,
                      base, chain_text(chain))


def link(content):
    return Link(f"{content:064x}", 10)


@pytest.fixture
def manifest(tmp_path):
    """A manifest of two repositories, and a function that records an archive."""
    made = Manifest(str(tmp_path / "m.sqlite"), create=True)
    ids = list(made.see([(b"/1", b"1"), (b"/2", b"2")]).values())
    run = made.begin_run("archive")

    def record(number, content, *below):
        made.take_leases(run, [number])
        chain = [link(one) for one in below]
        assert not made.record(run, [new_archive(number, content, chain)], [])
    yield made, ids, record
    made.close()


def test_chain_that_cannot_grow_is_copied_to_one_file(manifest):
    made, (one, _), record = manifest
    planner = Planner(made, Policy(increments=True))
    record(one, 253, *range(252, -1, -1))
    older = planner.older(one, made.newest(one))
    assert (older.onto, len(older.chain()), older.own) == (True, 254, 254)
    record(one, 254, *range(253, -1, -1))
    older = planner.older(one, made.newest(one))
    assert (older.onto, older.base, len(older.below)) == (False, f"{254:064x}", 254)
    with pytest.raises(ValueError):
        parse_chain(chain_text([link(number) for number in range(255)]))


def test_files_that_others_need_are_not_joined(manifest):
    made, (one, two), record = manifest
    record(one, 0)
    record(one, 1, 0)
    record(one, 2, 1, 0)
    record(two, 3, 1, 0)
    planner = Planner(made, Policy(increments=True))
    assert planner.older(one, made.newest(one)).own == 1
    assert planner.older(two, made.newest(two)).own == 1
    assert made.chains.needed([f"{3:064x}"]) == {f"{1:064x}", f"{0:064x}"}


def test_damage_counts_for_all_that_depend_on_it(manifest):
    made, (one, two), record = manifest
    record(one, 0)
    record(two, 1, 0)
    record(two, 2, 1, 0)
    made.record_verified(f"{1:064x}", "bad")
    safe = {row.name: row.is_safe() or row.archive.damage for row in made.repositories()}
    assert safe[b"2"] == f"depends on '{archive_key(f'{1:064x}')}': bad"
    assert not made.newest(one).damage
    made.record_verified(f"{1:064x}", None)
    assert made.newest(two).damage is None


def test_prune_keeps_what_is_needed_and_no_more(nights, on_cluster, tmp_path):
    _, store, run = nights
    run(4, *NIGHTLY)
    before = files(store)
    ran = run_fleet("prune", store, "--keep", "1", "--grace", "0")
    assert "0 files removed" in ran.output, ran
    assert files(store) == before
    run(1, "--increments", "--consolidate", "2")
    assert len(chains(store)["one.git"]) == 1
    assert run_fleet("prune", store, "--keep", "1", "--grace", "0", "--dry-run").status == 0
    assert len(files(store)) == 5
    ran = run_fleet("prune", store, "--keep", "1", "--grace", "0")
    assert "4 files removed" in ran.output and "stay" not in ran.output, ran
    assert files(store) == set(chains(store)["one.git"])
    assert ask(store, "SELECT count(*) FROM files") == [(1,)]
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_archive_that_stays_the_same_is_encoded_again_once(nights, on_cluster, tmp_path):
    one, store, run = nights
    run(2, *NIGHTLY)
    options = (*NIGHTLY, "--cold-after", "0s")
    ran = on_cluster("archive", tmp_path / "source", "--to", store, *options)
    assert ran.status == 0, ran
    assert "1 archive encoded again" in ran.output
    chain = chains(store)["one.git"]
    assert len(chain) == 1
    assert ids_in(path_of(store, chain[0])) == ids_of(one)
    ran = on_cluster("archive", tmp_path / "source", "--to", store, *options)
    assert "encoded again" not in ran.output and "1 unchanged" in ran.output
    run(1, *NIGHTLY, "--cold-after", "1h")
    assert chains(store)["one.git"][1:] == chain
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(tmp_path / "source", tmp_path / "back")


@pytest.mark.parametrize(("version", "added"), (
    (1, ("files", "sketches", "apart", "cold", "from_source")), (2, ("from_source",))))
def test_manifest_of_an_earlier_version_is_brought_up_to_date(nights, version, added):
    _, store, run = nights
    run(2)
    with sqlite3.connect(store / "manifest.sqlite") as database:
        for table in added:
            database.execute(f"DROP TABLE {table}")
        database.execute(f"PRAGMA user_version={version}")
    database.close()
    assert run_fleet("status", store).status == 0
    assert ask(store, "PRAGMA user_version") == [(3,)]
    assert {row[0] for row in ask(store, "SELECT hash FROM files")} == files(store)
    run(1, *NIGHTLY)
    assert len(chains(store)["one.git"]) == 2
    with sqlite3.connect(store / "manifest.sqlite") as database:
        database.execute("PRAGMA user_version=4")
    database.close()
    ran = run_fleet("status", store)
    assert ran.status == 128 and "has version 4; this program knows versions up to 3" in ran.errors


@pytest.mark.parametrize("statement", (
    "UPDATE files SET onto = 'x'", "UPDATE files SET onto = hash", "UPDATE files SET size = 'x'",
    f"UPDATE files SET onto = '{'0' * 64}' WHERE onto IS NULL"))
def test_damaged_rows_of_files_are_an_error(nights, on_cluster, tmp_path, statement):
    _, store, run = nights
    run(2, *NIGHTLY)
    with sqlite3.connect(store / "manifest.sqlite") as database:
        database.execute(statement)
    database.close()
    ran = on_cluster("restore", store, "--to", tmp_path / "back")
    assert ran.status == 128, ran
    assert ran.errors.startswith("fatal: cannot read manifest ")


def test_receipt_of_an_earlier_version_is_an_answer(nights, on_cluster, tmp_path):
    _, store, run = nights
    run(1)
    receipt = next((store / "receipts").iterdir())
    text = receipt.read_text()
    assert ', "chain": ""' in text
    receipt.write_text(text.replace(', "chain": ""', ""))
    (store / "manifest.sqlite").unlink()
    program = tmp_path / "without-convert"
    program.write_text(f'#!/bin/bash\n[[ $1 != convert ]] && exec "{os.environ["ZPACK_BINARY"]}" '
                       '"$@"\nexit 1\n')
    program.chmod(0o755)
    assert on_cluster("archive", tmp_path / "source", "--to", store, "--manifest",
                      store / "manifest.sqlite", program=program).status == 0


@pytest.mark.parametrize("command", ("convert", "consolidate"))
@pytest.mark.parametrize("victim", ("worker", "client"))
def test_kill_during_an_increment_loses_nothing(
        nights, cluster, on_cluster, tmp_path, wrapper, command, victim):
    one, store, run = nights
    options = ("--increments", "--consolidate", "2")
    run(2, *options)
    assert len(chains(store)["one.git"]) == 2
    grow(one, 1, "last")
    make_old(tmp_path / "source")
    whom = "$PPID" if victim == "worker" else f"$(cat '{tmp_path}/client')"
    program = wrapper(command, after=f"kill -9 {whom}")
    arguments = ("archive", str(tmp_path / "source"), "--to", str(store), *options)
    if victim == "client":
        with start_fleet(*arguments, "--scheduler", cluster.address, "--memory", str(MEMORY),
                         "--program", str(program)) as process:
            (tmp_path / "client").write_text(str(process.pid))
            assert process.wait() == -signal.SIGKILL
    ran = on_cluster(*arguments, program=program)
    assert ran.status == 0, ran
    chain = chains(store)["one.git"]
    assert len(chain) == 1
    assert ids_in(path_of(store, chain[0])) == ids_of(one)
    assert not [path.name for path in (store / "scratch").iterdir() if path.name != "space.json"]


def test_file_lost_during_a_run_is_named_and_the_repository_archived_whole(
        nights, on_cluster, tmp_path, monkeypatch):
    one, store, run = nights
    run(3, *NIGHTLY)
    victim = chains(store)["one.git"][1]
    path_of(store, victim).unlink()
    grow(one, 1, "last")
    monkeypatch.setattr(archiving, "lost_files", lambda *_arguments: {})
    ran = on_cluster("archive", tmp_path / "source", "--to", store, *NIGHTLY)
    assert ran.status == 0, ran
    assert (f"warning: 'one.git': '{archive_key(victim)}' is missing from the store; archiving "
            "again what depends on it") in ran.errors
    chain = chains(store)["one.git"]
    assert len(chain) == 1
    assert ids_in(path_of(store, chain[0])) == ids_of(one)


def test_usage_of_the_options_is_checked(tmp_path):
    for words in (("--consolidate", "3"), ("--increments", "--consolidate", "1"),
                  ("--increments", "--consolidate", "256"), ("--increments", "--consolidate", "x")):
        ran = run_fleet("archive", tmp_path, "--to", tmp_path / "store", *words)
        assert ran.status == 129, (words, ran)


def settings_of(tmp_path):
    return Settings("git-zpack", "memory://backing", {}, str(tmp_path / "scratch"), (), 1, 1.0,
                    60.0, True)


def stored(tmp_path, contents):
    """Files of a store that is no directory."""
    settings = settings_of(tmp_path)
    store = Store(settings.url, {})
    links = []
    for content in contents:
        (tmp_path / "file").write_bytes(content)
        name = hashlib.sha256(content).hexdigest()
        store.write(str(tmp_path / "file"), archive_key(name))
        links.append(Link(name, len(content)))
    return settings, store, links


def test_files_that_are_needed_are_fetched_once_and_give_way(tmp_path, monkeypatch):
    settings, store, links = stored(tmp_path, (b"a" * 1000, b"b" * 2000))
    with backing.at_hand(links, settings, proven=False) as paths:
        assert [Path(path).read_bytes()[:1] for path in paths] == [b"a", b"b"]
        # Nobody takes away what a task uses.
        monkeypatch.setattr(backing, "free_bytes", lambda directory: 0)
        backing.tidy(settings)
        assert all(map(os.path.exists, paths))
    # A machine that died may have left other bytes; a new process looks at them.
    Path(paths[1]).write_bytes(b"x" * 2000)
    monkeypatch.setattr(backing, "_right", {})
    with backing.at_hand(links, settings, proven=False) as paths:
        assert Path(paths[1]).read_bytes() == b"b" * 2000
    store.remove(archive_key(links[0].hash))
    with backing.at_hand(links, settings, proven=False) as paths:
        assert all(map(os.path.exists, paths))
    monkeypatch.setattr(backing, "free_bytes", lambda directory: 2500)
    backing.tidy(settings)
    assert sorted(map(os.path.exists, paths)) == [False, True]
    with pytest.raises(backing.Unusable) as failed, backing.at_hand(links[:1], settings,
                                                                    proven=False):
        pass
    assert failed.value.why == "is missing from the store"
    assert links[0].hash in failed.value.message
    shutil.rmtree(tmp_path / "scratch")


def test_damaged_file_of_the_store_is_not_used(tmp_path):
    settings, store, links = stored(tmp_path, (b"c" * 1000,))
    (tmp_path / "file").write_bytes(b"d" * 1000)
    store.write(str(tmp_path / "file"), archive_key(links[0].hash))
    with pytest.raises(backing.Unusable) as failed, backing.at_hand(links, settings,
                                                                    proven=False):
        pass
    assert failed.value.why == "does not have the hash that is its name"
    assert not [name for name in os.listdir(tmp_path / "scratch/backing")
                if not name.endswith(".lock")]


def test_no_pack_of_a_repository_is_needed_to_restore_a_chain(nights, on_cluster, tmp_path):
    one, store, run = nights
    run(3, *NIGHTLY)
    refs = one.refs()
    shutil.rmtree(tmp_path / "source")
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert opened(tmp_path / "back/one.git").refs() == refs


def test_what_a_killed_task_has_fetched_is_removed_like_other_kept_files(tmp_path, monkeypatch):
    settings, _, links = stored(tmp_path, (b"e" * 1000,))
    job = VerifyJob(1, links[0].hash, b"x", links[0].size, "full", 1 << 20)
    during = set()

    def kept():
        return set((tmp_path / "scratch").rglob("*.zpack"))

    def look(*_arguments, **_options):
        during.update(kept())
        return Ran(0, b"", "")

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(worker, "run", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        worker.verify(job, settings)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    left = kept()
    assert [path.read_bytes() for path in left] == [b"e" * 1000]
    monkeypatch.setattr(worker, "run", look)
    for used, after in ((time.time(), left), (1_700_000_000, set())):
        for path in left:
            os.utime(path, (used, used))
        during.clear()
        outcome = worker.verify(job, settings)
        assert (outcome.kind, outcome.damage) == (None, None), outcome
        assert len(during - left) == 1
        assert kept() == after
    assert not list((tmp_path / "scratch").rglob("*.lock"))


def test_fetched_file_in_use_gives_way_to_nothing(tmp_path, monkeypatch):
    settings, _, links = stored(tmp_path, (b"f" * 1000,))
    monkeypatch.setattr(backing, "free_bytes", lambda directory: 0)
    with backing.place_for(links[0], settings) as path:
        Path(path).write_bytes(b"f")
        backing.tidy(settings)
        assert os.path.exists(path)
    assert not os.path.exists(path)
