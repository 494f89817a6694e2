# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A damaged manifest, receipt or note never looks like an answer."""

import json
import os
import random
import shutil
import sqlite3
import subprocess

import pytest
from conftest import Repository, run_fleet
from git_zpack_fleet import cli, space, worker
from git_zpack_fleet.failures import Failure, Kind
from git_zpack_fleet.manifest import Manifest
from git_zpack_fleet.program import run_json
from git_zpack_fleet.records import NewArchive
from git_zpack_fleet.store import Store, archive_key
from test_archive import newest

COUNT = 300


def new_archive(number, **changed):
    return NewArchive(number, f"{number:064x}", 1, 1, "d", False, "r", 1, 1.0, 1, 1,
                      None)._replace(**changed)


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """A manifest of several pages."""
    path = tmp_path_factory.mktemp("manifest") / "manifest.sqlite"
    manifest = Manifest(str(path), create=True)
    ids = list(manifest.see([(b"/srv/%d.git" % n, b"%d.git" % n) for n in range(COUNT)]).values())
    run = manifest.begin_run("archive")
    manifest.take_leases(run, ids)
    manifest.record_scans([(number, "d", 1) for number in ids])
    manifest.record(run, [new_archive(number) for number in ids], [])
    manifest.end_run(run, 0, (COUNT, 0, 0, 0))
    manifest.close()
    return path


@pytest.fixture
def store(whole, tmp_path):
    made = tmp_path / "store"
    made.mkdir()
    shutil.copy(whole, made)
    return made


def ask(store, out, which=("status", "export", "report", "prune")):
    """What each command says of the manifest; an exception fails the test."""
    more = {"export": [str(out / "t.csv")], "report": ["-o", str(out / "p.html")],
            "restore": ["--to", str(out / "back")]}
    return {command: run_fleet(command, str(store), *more.get(command, ()))
            for command in which}


def assert_clear(store, ran, command=""):
    assert ran.status == 128, (command, ran)
    assert ran.errors.startswith("fatal: "), (command, ran)
    assert f"manifest '{store}/manifest.sqlite'" in ran.errors, (command, ran)
    assert ran.errors.count("\n") == 1, (command, ran)


def test_whole_manifest_is_read(store, tmp_path):
    for number in range(1, COUNT + 1):
        path = store / archive_key(f"{number:064x}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    for command, ran in ask(store, tmp_path).items():
        assert ran.status == 0, (command, ran)


def test_damaged_pages_end_in_an_error_or_in_an_answer(store, whole, tmp_path):
    seed = 20261126
    print("seed", seed)
    source = random.Random(seed)
    content = whole.read_bytes()
    refused = 0
    for _ in range(60):
        damaged = bytearray(content)
        page = source.randrange(len(content) // 4096) * 4096
        for _ in range(source.choice((1, 20, 400))):
            damaged[page + source.randrange(4096)] = source.randrange(256)
        (store / "manifest.sqlite").write_bytes(damaged)
        for beside in ("-wal", "-shm"):
            (store / f"manifest.sqlite{beside}").unlink(missing_ok=True)
        for command, ran in ask(store, tmp_path, ("status", "export")).items():
            if ran.status not in (0, 1):
                assert_clear(store, ran, command)
                refused += 1
    assert refused > 10


@pytest.mark.parametrize("length", (0, 1, 100, 4096, 20_000))
def test_cut_manifest_is_an_error_also_an_empty_one(store, whole, tmp_path, length):
    (store / "manifest.sqlite").write_bytes(whole.read_bytes()[:length])
    for command, ran in ask(store, tmp_path).items():
        assert_clear(store, ran, command)


WRONG_ROWS = (
    "UPDATE repositories SET name = 'text' WHERE id = 7",
    "UPDATE repositories SET path = 7 WHERE id = 7",
    "UPDATE repositories SET bytes = 'many' WHERE id = 7",
    "UPDATE repositories SET digest = x'00' WHERE id = 7",
    "UPDATE repositories SET message = x'05', failure = 'network' WHERE id = 7",
    "UPDATE archives SET hash = '../../../etc/passwd' WHERE id = 7",
    "UPDATE archives SET hash = 7 WHERE id = 7",
    "UPDATE archives SET size = x'ff' WHERE id = 7",
    "UPDATE archives SET recorded = 'yesterday' WHERE id = 7",
    "UPDATE archives SET recorded = 1e300 WHERE id = 7",
    "UPDATE archives SET seconds = 9e999 WHERE id = 7",
    "UPDATE repositories SET seen = -1e300 WHERE id = 7",
    "UPDATE files SET onto = hash WHERE rowid = 7",
    "UPDATE archives SET damage = x'ff' WHERE id = 7",
    "DROP TABLE archives",
    "ALTER TABLE repositories DROP COLUMN name",
)


@pytest.mark.parametrize("statement", WRONG_ROWS)
def test_row_with_another_type_is_an_error(store, tmp_path, statement):
    with sqlite3.connect(store / "manifest.sqlite") as database:
        database.execute(statement)
    database.close()
    for command, ran in ask(store, tmp_path, ("status", "export", "report", "restore")).items():
        assert_clear(store, ran, command)


@pytest.mark.parametrize("begun", ("'early'", "1e300", "9e999"))
def test_runs_of_another_type_are_an_error(store, tmp_path, begun):
    with sqlite3.connect(store / "manifest.sqlite") as database:
        database.execute(f"UPDATE runs SET begun = {begun}")
    database.close()
    assert_clear(store, ask(store, tmp_path)["report"])


def test_unforeseen_exception_is_no_answer(store, monkeypatch):
    def fail(*_arguments, **_options):
        raise AttributeError("surprise")

    monkeypatch.setattr(cli, "status", fail)
    ran = run_fleet("status", str(store))
    assert ran.status == 128, ran
    assert ran.errors.startswith("fatal: internal error: AttributeError: surprise")


def test_deeply_nested_manifest_of_grokmirror_is_an_error(tmp_path):
    (tmp_path / "manifest.js").write_bytes(b"[" * 200_000)
    ran = run_fleet("archive", str(tmp_path), "--grokmirror", str(tmp_path / "manifest.js"),
                    "--to", str(tmp_path / "store"))
    assert ran.status == 128, ran
    assert "not a manifest of grokmirror" in ran.errors
    assert "nested too deeply" in ran.errors


def bad_notes():
    good = new_archive(1)._asdict()
    yield b"[" * 200_000
    yield b'{"a":' * 200_000
    yield b"\xff"
    yield b"7"
    for name, value in (("hash", "../../x"), ("hash", 7), ("digest", None), ("size", "x"),
                        ("racy", []), ("refs", 1), ("seconds", {})):
        yield json.dumps({**good, name: value}).encode()
    yield json.dumps({**good, "more": 1}).encode()


def test_damaged_receipts_notes_and_ledgers_are_passed_over(tmp_path):
    store = Store(str(tmp_path / "store"), {})
    store.write_receipt(b"/x", new_archive(1)._asdict())
    receipt = next((tmp_path / "store/receipts").iterdir())
    assert worker.valid_note(store.read_receipt(b"/x")) == new_archive(1)
    note = tmp_path / "note"
    for content in bad_notes():
        receipt.write_bytes(content)
        note.write_bytes(content)
        assert worker.valid_note(store.read_receipt(b"/x")) is None, content[:100]
        assert worker.valid_note(worker.read_note(str(note))) is None, content[:100]
    for content in (b"[" * 200_000, b"[1]", b'{"x": 1}', b'{"1 2": 5}', b'{"1 2": ["a", 3]}',
                    b'{"": [1, ""]}'):
        (tmp_path / "space.json").write_bytes(content)
        with space.reserved(str(tmp_path), 1, 0):
            pass


@pytest.mark.parametrize("printed", ("[" * 200_000, "[]", "", "no JSON", '{"objects":'))
def test_answer_of_git_zpack_that_is_no_json_is_an_error_of_the_program(tmp_path, printed):
    (tmp_path / "printed").write_text(printed)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/bash\ncat '{tmp_path}/printed'\n")
    program.chmod(0o755)
    with pytest.raises(Failure) as failed:
        run_json(str(program), [], seconds=60)
    assert failed.value.kind is Kind.PROGRAM


def test_damaged_receipt_does_not_stop_the_next_run(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    for receipt in (store / "receipts").iterdir():
        receipt.write_bytes(b"[" * 60_000)
    Repository(source / "one.git", "--bare").commit("more")
    os.unlink(store / "manifest.sqlite")
    ran = on_cluster("archive", source, "--to", store, "--manifest", store / "manifest.sqlite")
    assert ran.status == 0, ran
    assert len(newest(store)) == 3


def empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize("lose", (os.unlink, empty))
def test_lost_manifest_is_not_replaced_by_a_new_one_without_a_word(
        on_cluster, source, tmp_path, lose):
    store = tmp_path / "store"
    manifest = store / "manifest.sqlite"
    assert on_cluster("archive", source, "--to", store).status == 0
    lose(manifest)
    for beside in ("-wal", "-shm"):
        (store / f"manifest.sqlite{beside}").unlink(missing_ok=True)
    ran = on_cluster("archive", source, "--to", store)
    assert_clear(store, ran)
    assert f"make a new one with --manifest '{manifest}'" in ran.errors
    manifest.unlink(missing_ok=True)
    ran = on_cluster("archive", source, "--to", store, "--manifest", manifest)
    assert ran.status == 0, ran
    assert f"warning: manifest '{manifest}' does not exist; the new one does not" in ran.errors
    assert on_cluster("archive", source, "--to", store).errors == ""
    assert len(newest(store)) == 3


def test_interrupted_beginning_of_a_store_is_continued(on_cluster, source, tmp_path):
    (tmp_path / "store").mkdir()
    empty(tmp_path / "store/manifest.sqlite")
    assert on_cluster("archive", source, "--to", tmp_path / "store").status == 0


def old_store(store):
    """What the grace of prune is for has passed."""
    for path in (*store.glob("objects/*/*"), *store.glob("receipts/*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.mark.parametrize("gone", (True, False))
def test_prune_keeps_what_only_receipts_name(on_cluster, source, tmp_path, gone):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    two = newest(store)[b"two.git"][0]
    if gone:
        shutil.rmtree(source / "two.git")
    else:
        os.unlink(source / "two.git/HEAD")  # The repository is known, its archive is not.
    os.unlink(store / "manifest.sqlite")
    ran = on_cluster("archive", source, "--to", store, "--manifest", store / "manifest.sqlite")
    assert ran.status == (0 if gone else 1), ran
    unknown = store / "objects/00" / ("0" * 64 + ".zpack")
    unknown.parent.mkdir(exist_ok=True)
    unknown.write_bytes(b"x")
    part = store / "receipts" / ("0" * 64 + ".json.part")
    part.write_bytes(b"{")
    old_store(store)
    assert run_fleet("prune", store).status == 0
    assert not unknown.exists() and not part.exists()
    assert (store / f"objects/{two[:2]}/{two}.zpack").exists()
    assert len(list((store / "receipts").iterdir())) == 3


def store_with_an_older_manifest(on_cluster, source, tmp_path):
    """A store and the hash of an archive that is newer than the manifest."""
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    shutil.copy(store / "manifest.sqlite", tmp_path / "older")
    Repository(source / "one.git", "--bare").commit("more")
    assert on_cluster("archive", source, "--to", store).status == 0
    one = newest(store)[b"one.git"][0]
    shutil.copy(tmp_path / "older", store / "manifest.sqlite")
    return store, one


def test_prune_keeps_what_receipts_name_if_the_manifest_is_older(on_cluster, source, tmp_path):
    store, one = store_with_an_older_manifest(on_cluster, source, tmp_path)
    old_store(store)
    assert run_fleet("prune", store).status == 0
    assert (store / f"objects/{one[:2]}/{one}.zpack").exists()


def test_prune_stops_at_a_receipt_that_may_name_a_newer_archive(on_cluster, source, tmp_path):
    store, _ = store_with_an_older_manifest(on_cluster, source, tmp_path)
    before = sorted(store.glob("objects/*/*"))
    for receipt in (store / "receipts").iterdir():
        receipt.write_bytes(b"")
    old_store(store)
    ran = run_fleet("prune", store)
    assert ran.status == 128, ran
    assert ran.errors.startswith("fatal: cannot read 'receipts/")
    assert sorted(store.glob("objects/*/*")) == before


def test_prune_stops_at_a_receipt_that_may_name_the_only_archive(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    shutil.rmtree(source / "two.git")
    for receipt in (store / "receipts").iterdir():
        receipt.write_bytes(b"{}")
    os.unlink(store / "manifest.sqlite")
    assert on_cluster("archive", source, "--to", store, "--manifest",
                      store / "manifest.sqlite").status == 0
    old_store(store)
    before = sorted(store.glob("objects/*/*"))
    ran = run_fleet("prune", store)
    assert ran.status == 128, ran
    assert ran.errors.startswith("fatal: cannot read 'receipts/")
    assert sorted(store.glob("objects/*/*")) == before


def content_of(store):
    """The files of a store without those that SQLite makes for a time."""
    return {path: path.read_bytes() for path in store.rglob("*")
            if path.is_file() and not path.name.endswith("-shm") and path.read_bytes()}


def assert_only_read(on_cluster, store, out, reason):
    """Every command that only reads works; the others say why they do not."""
    before = content_of(store)
    for command, ran in ask(store, out, ("status", "export", "report")).items():
        assert (ran.status, ran.errors) == (0, ""), (command, ran)
    ran = on_cluster("restore", store, "--to", out / "back")
    assert (ran.status, ran.errors) == (0, ""), ran
    ran = on_cluster("verify", store)
    assert ran.status == 0 and "3 archives checked, 0 not intact" in ran.output, ran
    assert ran.errors == (f"warning: cannot write manifest '{store}/manifest.sqlite': {reason}; "
                          "what this run finds is not recorded\n")
    assert_clear(store, ran := run_fleet("prune", store))
    assert ran.errors.endswith(f": {reason}\n")
    assert content_of(store) == before


@pytest.mark.parametrize("killed", (False, True))
def test_store_that_can_only_be_read_is_read(on_cluster, source, tmp_path, small_disk, killed):
    disk, _ = small_disk
    store = disk / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    if killed:  # The newest rows are only in the log of SQLite.
        with sqlite3.connect(store / "manifest.sqlite") as database:
            database.execute("UPDATE archives SET source_bytes = 5")
            database.commit()
            for beside in ("", "-wal"):
                shutil.copy(store / f"manifest.sqlite{beside}", tmp_path / f"copy{beside}")
        database.close()
        for beside in ("", "-wal"):
            shutil.copy(tmp_path / f"copy{beside}", store / f"manifest.sqlite{beside}")
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    assert_only_read(on_cluster, store, tmp_path, "Read-only file system")
    assert ("\n15 B in Git" in run_fleet("status", store).output) == killed


def test_store_on_a_full_disk_is_read(on_cluster, source, tmp_path, small_disk):
    disk, _ = small_disk
    assert on_cluster("archive", source, "--to", disk / "store").status == 0
    with pytest.raises(OSError), open(disk / "full", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    assert_only_read(on_cluster, disk / "store", tmp_path, "No space left on device")


def test_copy_in_a_directory_is_fetched(on_cluster, source, tmp_path):
    store, manifest = tmp_path / "store", tmp_path / "elsewhere/m.sqlite"
    options = ("--manifest", manifest)
    assert on_cluster("archive", source, "--to", store, *options).status == 0
    shutil.rmtree(source / "two.git")
    for command in ("status", "archive"):
        shutil.rmtree(manifest.parent)
        ran = (run_fleet("status", store, *options) if command == "status" else
               on_cluster("archive", source, "--to", store, *options))
        assert ran.status == 0, ran
        assert (f"warning: there is no manifest '{manifest}'; the copy in the store is used\n"
                in ran.errors)
    with sqlite3.connect(store / "manifest/fleet.sqlite") as database:
        assert database.execute("SELECT COUNT(*) FROM archives").fetchone() == (3,)
    database.close()


def test_copy_of_another_manifest_is_not_replaced(on_cluster, source, tmp_path):
    store, other = tmp_path / "store", tmp_path / "other.sqlite"
    mine = ("--manifest", tmp_path / "mine.sqlite")
    assert on_cluster("archive", source, "--to", store, *mine).status == 0
    before = (store / "manifest/fleet.sqlite").read_bytes()
    Manifest(str(other), create=True).close()
    ran = on_cluster("archive", source, "--to", store, "--manifest", other)
    assert ran.status == 0, ran
    assert ("warning: 'manifest/fleet.sqlite' in the store is not a copy of the manifest "
            f"'{other}'; it stays, and this manifest has no copy\n") in ran.errors
    assert (store / "manifest/fleet.sqlite").read_bytes() == before
    ran = on_cluster("archive", source, "--to", store, *mine)
    assert (ran.status, ran.errors) == (0, ""), ran
    assert (store / "manifest/fleet.sqlite").read_bytes() != before


@pytest.mark.parametrize("harm", ("cut", "page", "empty", "version"))
def test_copy_that_is_not_whole_is_not_installed(whole, tmp_path, harm):
    store, manifest = tmp_path / "store", tmp_path / "state/m.sqlite"
    content = copied = whole.read_bytes()
    if harm == "version":
        with sqlite3.connect(tmp_path / "newer") as database:
            database.execute("PRAGMA user_version=99")
        database.close()
        copied = (tmp_path / "newer").read_bytes()
    elif harm == "page":
        copied = content[:4096] + b"x" * 4096 + content[8192:]
    else:
        copied = content[:len(content) // 2 if harm == "cut" else 0]
    (store / "manifest").mkdir(parents=True)
    (store / "manifest/fleet.sqlite").write_bytes(copied)
    for words in (("status", store), ("archive", tmp_path / "state", "--to", store)):
        ran = run_fleet(*words, "--manifest", manifest)
        assert ran.status == 128, ran
        assert ran.errors.startswith(
            f"fatal: there is no manifest '{manifest}', and its copy 'manifest/fleet.sqlite' in "
            f"store '{store}' cannot be used: it "), ran
        assert list(manifest.parent.iterdir()) == []
    (store / "manifest/fleet.sqlite").write_bytes(content)
    ran = run_fleet("status", store, "--manifest", manifest)
    assert ran.status == 1 and "the copy in the store is used" in ran.errors, ran
