# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Families: how they are found, and forks whose archives depend on that of their base."""

import json
import os
import random
import signal
import sqlite3

import pytest
from conftest import MEMORY, make_old, run_fleet, start_fleet
from forks import (ask, assert_restored, chains, files, fork, grow, ids_in, ids_of, make,
                   make_family, opened, path_of)
from git_zpack_fleet import archiving, sketch
from git_zpack_fleet.families import Member, bases_of

FAMILIES = ("--families",)


def test_forks_are_found_by_their_commits_and_share_a_base(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 3, "more")  # So that it is the largest.
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert ran.status == 0, ran
    found = chains(store)
    for number in range(3):
        assert found[f"fork{number}.git"][1:] == found["base.git"]
    assert len(found["base.git"]) == len(found["other.git"]) == 1
    small = sum(path_of(store, found[f"fork{number}.git"][0]).stat().st_size
                for number in range(3))
    assert small < 0.5 * path_of(store, found["base.git"][0]).stat().st_size
    assert on_cluster("verify", store, "--level", "connectivity").status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(source, tmp_path / "back")
    # Without the option, every archive is a file of its own, as before.
    assert on_cluster("archive", source, "--to", tmp_path / "single").status == 0
    assert {len(chain) for chain in chains(tmp_path / "single").values()} == {1}


def test_forks_are_found_by_alternates(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    pool = make(source / "pool.git", 30)
    # No commit in common: the fork says only where more objects are.
    borrower = make(source / "borrower.git", 5, "borrower")
    (source / "borrower.git/objects/info/alternates").write_bytes(pool.path + b"/objects\n")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    found = chains(store)
    assert found["borrower.git"][1:] == found["pool.git"]
    assert ids_of(borrower) <= ids_in(path_of(store, found["borrower.git"][0]),
                                      [path_of(store, found["pool.git"][0])])


@pytest.mark.parametrize("entries", (
    {"/a.git": {"forkgroup": "g"}, "/b.git": {"forkgroup": "g"}, "/c.git": {"forkgroup": "h"}},
    {"/a.git": {}, "/b.git": {"reference": "/a.git"}, "/c.git": {"reference": None}}))
def test_forks_are_found_by_the_manifest_of_grokmirror(on_cluster, tmp_path, entries):
    source, store = tmp_path / "source", tmp_path / "store"
    for name, count in (("a", 30), ("b", 5), ("c", 20)):
        make(source / f"{name}.git", count, name)
    (tmp_path / "manifest.js").write_text(json.dumps(entries))
    ran = on_cluster("archive", source, "--grokmirror", tmp_path / "manifest.js", "--to", store,
                     *FAMILIES)
    assert ran.status == 0, ran
    found = chains(store)
    assert found["b.git"][1:] == found["a.git"]
    assert len(found["c.git"]) == 1


def sketch_of(*ranges):
    """Of commits from and to, the oldest first; numbers stand for random ids."""
    numbers = [number for begin, end in ranges for number in range(begin, end)]
    ids = [(random.Random(number).getrandbits(64), number in {begin for begin, _ in ranges})
           for number in reversed(numbers)]
    return sketch.of_commits(ids)


@pytest.mark.parametrize(("one", "other", "alike"), (
    # The same history up to a point, then two of their own.
    (((0, 1000),), ((0, 900), (2000, 2100)), True),
    (((0, 10_000),), ((0, 200),), True),   # A fork of long ago.
    (((0, 3),), ((0, 4000),), True),
    (((0, 1),), ((0, 1),), True),
    # A template in common, and nothing else.
    (((0, 1000),), ((0, 1), (2000, 3000)), False),
    (((0, 3),), ((0, 1), (2000, 2002)), False),
    (((0, 20_000),), ((0, 2), (30_000, 30_100)), False),
    (((0, 1000),), ((2000, 3000),), False)))
def test_sketches_tell_forks_from_false_friends(one, other, alike):
    one, other = sketch_of(*one), sketch_of(*other)
    assert sketch.are_alike(one, other) is sketch.are_alike(other, one) is alike
    assert sketch.unpacked(one.commits, one.packed()) == one
    assert sketch.unpacked(one.commits, one.packed()[1:]) is None


def test_repositories_from_one_template_are_no_family(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    template = make(source / "template.git", 2, "template")
    for name in ("one", "two"):
        fork(template, source / f"{name}.git", 30)
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    found = chains(store)
    assert len(found["one.git"]) == len(found["two.git"]) == 1
    assert len(found["template.git"]) == 2  # All of it is in each of the others.


def test_base_stays_the_base_and_the_largest_is_the_first():
    members = [Member(number, b"%d" % number, number, b"", (b"g",), None) for number in range(4)]
    assert bases_of(members) == {0: 3, 1: 3, 2: 3}
    members[1] = members[1]._replace(needed_by=2)
    assert bases_of(members) == {0: 1, 2: 1, 3: 1}
    assert not bases_of([members[0], members[1]._replace(labels=(b"h",))])


def test_fork_of_a_base_that_fails_is_archived_without_it(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    for path in (source / "base.git/objects/pack").iterdir():
        path.unlink()
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert ran.status == 1, ran
    assert "not safe: 'base.git': source broken" in ran.errors
    found = chains(store)
    assert set(found) == {"fork0.git", "fork1.git", "fork2.git", "other.git"}
    assert on_cluster("restore", store, "--to", tmp_path / "back", "fork*", "other.git").status == 0


def test_fork_goes_onto_the_older_archive_of_a_base_that_fails(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    before = chains(store)
    fork(base, source / "late.git", 1)
    make_old(source)
    (source / "base.git/HEAD").write_text("nonsense\n")
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert ran.status == 1, ran
    assert chains(store)["late.git"][1:] == before["base.git"]


@pytest.mark.parametrize("during", (True, False))
def test_missing_base_is_said_by_name_and_everything_is_safe_again(
        on_cluster, tmp_path, monkeypatch, during):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source, forks=12)
    grow(base, 5, "more")
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    victim = chains(store)["base.git"][0]
    path_of(store, victim).unlink()
    key = f"objects/{victim[:2]}/{victim}.zpack"

    ran = on_cluster("restore", store, "--to", tmp_path / "none", "fork0.git")
    assert ran.status == 1
    assert f"'fork0.git': archive damaged: needs '{key}', which is missing from the store" \
        in ran.errors
    if during:
        # Of one fork that changed, the run learns what is missing, and repairs all.
        monkeypatch.setattr(archiving, "lost_files", lambda *_arguments: {})
    for number in range(9):
        grow(opened(source / f"fork{number}.git"), 1, f"changed {number}")
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert ran.status == 0, ran
    assert f"'{key}' is missing from the store" in ran.errors
    found = chains(store)
    assert {found[f"fork{number}.git"][-1] for number in range(12)} == set(found["base.git"])
    assert run_fleet("status", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(source, tmp_path / "back")


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(("harm", "why"), (
    (damage, "do not have the hash"), (lambda path: path.unlink(), "is missing from the store")))
def test_verify_finds_what_all_forks_depend_on_and_archive_repairs_it(
        on_cluster, tmp_path, harm, why):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    before = chains(store)
    victim = path_of(store, before["base.git"][0])
    harm(victim)
    assert on_cluster("verify", store).status == 1
    ran = run_fleet("status", store)
    assert "4 not safe" in ran.output, ran
    assert f"not safe: 'fork0.git': archive damaged: depends on 'objects/{victim.stem[:2]}" \
        in ran.output
    assert why in ran.output
    # The base has not changed, so its archive has the same bytes as before.
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert (ran.status, "1 archived, 4 unchanged" in ran.output) == (0, True), ran
    assert chains(store) == before
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(source, tmp_path / "back")


@pytest.mark.parametrize("harm", (damage, os.unlink))
def test_damage_of_a_fork_is_found_beside_that_of_its_base(on_cluster, tmp_path, harm):
    source, store = tmp_path / "source", tmp_path / "store"
    grow(make_family(source), 5, "more")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    before = chains(store)
    path_of(store, before["base.git"][0]).unlink()
    harm(path_of(store, before["fork1.git"][0]))
    assert on_cluster("verify", store).status == 1
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(source, tmp_path / "back")


def test_restore_of_a_fork_needs_no_file_of_another(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    chain = chains(store)["fork1.git"]
    for content_hash in files(store) - set(chain):
        path_of(store, content_hash).unlink()
    assert on_cluster("restore", store, "--to", tmp_path / "back", "fork1.git").status == 0
    assert (opened(tmp_path / "back/fork1.git").refs()
            == opened(source / "fork1.git").refs())


def test_separated_fork_has_a_file_of_its_own_without_objects_of_others(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    forks = [opened(source / f"fork{number}.git") for number in range(3)]
    common = ids_of(base)
    own = [ids_of(one) - common for one in forks]
    assert all(own)
    before = chains(store)
    for number in range(3):  # Also while they depend on the base.
        held = ids_in(path_of(store, before[f"fork{number}.git"][0]),
                      [path_of(store, before["base.git"][0])])
        assert held == common | own[number]

    ran = on_cluster("separate", store, "fork1.git")
    assert ran.status == 0, ran
    assert "1 repository: 1 separated" in ran.output
    after = chains(store)
    assert len(after["fork1.git"]) == 1 and after["fork0.git"] == before["fork0.git"]
    held = ids_in(path_of(store, after["fork1.git"][0]))
    assert own[1] <= held and not held & (own[0] | own[2])
    assert on_cluster("separate", store, "fork1.git").status == 0  # Again: nothing to do.
    # It does not come back to the family.
    grow(forks[1], 2, "private")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    assert set(chains(store)["fork1.git"]) & set(before["base.git"]) == set()
    ran = on_cluster("separate", store, "base.git")
    assert "the archives of 2 repositories depend on one of 'base.git'" in ran.errors, ran
    assert on_cluster("separate", store, "nothing.git").status == 128


def expect_conversion_alone(on_cluster, source, store, ids):
    """The next run converts fork1.git by itself; its archive has these objects."""
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert (ran.status, "1 archived, 4 unchanged" in ran.output) == (0, True), ran
    chain = chains(store)["fork1.git"]
    assert len(chain) == 1
    assert ids_in(path_of(store, chain[0])) == ids


def test_fork_separated_from_its_source_has_only_its_own_objects(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    one = opened(source / "fork1.git")
    assert ids_of(base) - ids_of(one)
    assert on_cluster("separate", store, "fork1.git", "--from-source").status == 0
    expect_conversion_alone(on_cluster, source, store, ids_of(one))


def test_separated_fork_is_converted_from_its_source_once_if_that_is_wanted(
        on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    one = opened(source / "fork1.git")
    assert on_cluster("separate", store, "fork1.git").status == 0
    assert ids_of(base) <= ids_in(path_of(store, chains(store)["fork1.git"][0]))
    assert on_cluster("separate", store, "fork1.git", "--from-source").status == 0
    expect_conversion_alone(on_cluster, source, store, ids_of(one))
    ran = on_cluster("archive", source, "--to", store, *FAMILIES)
    assert (ran.status, "0 archived, 5 unchanged" in ran.output) == (0, True), ran


def test_killed_workers_and_clients_lose_no_fork(cluster, on_cluster, tmp_path, wrapper, calls):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source, forks=6)
    grow(base, 5, "more")
    # The first conversion of all is that of the base or of the unrelated one.
    program = wrapper("convert", after=f"kill -9 $(cat '{tmp_path}/client')")
    with start_fleet("archive", str(source), "--to", str(store), "--families", "--scheduler",
                     cluster.address, "--memory", str(MEMORY), "--program",
                     str(program)) as process:
        (tmp_path / "client").write_text(str(process.pid))
        assert process.wait() == -signal.SIGKILL
    (tmp_path / "once").rmdir()
    program = wrapper("convert", after="kill -9 $PPID")
    ran = on_cluster("archive", source, "--to", store, *FAMILIES, program=program)
    assert ran.status == 0, ran
    found = chains(store)
    assert all(found[f"fork{number}.git"][1:] == found["base.git"] for number in range(6))
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert_restored(source, tmp_path / "back")
    assert not [path.name for path in (store / "scratch").iterdir() if path.name != "space.json"]


def test_lost_manifest_still_knows_what_depends_on_what(on_cluster, tmp_path):
    source, store = tmp_path / "source", tmp_path / "store"
    base = make_family(source)
    grow(base, 5, "more")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    grow(base, 1, "later")
    make_old(source)
    assert on_cluster("archive", source, "--to", store, *FAMILIES).status == 0
    before = chains(store)
    assert len(before["base.git"]) == 2
    (store / "manifest.sqlite").unlink()
    ran = on_cluster("archive", source, "--to", store, "--manifest", store / "manifest.sqlite",
                     *FAMILIES)
    assert ran.status == 0, ran
    assert chains(store) == before  # By the receipts; also the first archive of the base.
    assert len(ask(store, "SELECT * FROM archives")) == 5
    assert run_fleet("prune", store, "--keep", "1", "--grace", "0").status == 0
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


@pytest.mark.parametrize(("options", "table"), (((), "apart"), (("--from-source",), "from_source")))
def test_copy_of_the_manifest_knows_what_was_separated(on_cluster, source, tmp_path, options, table):
    given = ("--manifest", tmp_path / "m.sqlite")
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store, *given).status == 0
    assert on_cluster("separate", store, "one.git", *given, *options).status == 0
    with sqlite3.connect(store / "manifest/fleet.sqlite") as database:
        assert database.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (1,)
    database.close()
