# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What prune removes, and when it does not."""

import errno
import os
import shutil

import fsspec
import pytest
from conftest import Repository, make_old, run_fleet
from forks import ask, path_of
from fsspec.implementations.local import LocalFileSystem
from git_zpack_fleet.store import Store
from test_archive import newest
from test_manifest import old_store


class Flaky(LocalFileSystem):
    """A store that is no directory for the program, and cannot list the folders with a word."""

    protocol = "flaky"
    refused = ""

    def ls(self, path, detail=False, **kwargs):
        if self.refused and self.refused in path:
            raise OSError(errno.EIO, "Input/output error", path)
        return super().ls(path, detail=detail, **kwargs)

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("flaky://"))


fsspec.register_implementation("flaky", Flaky, clobber=True)


@pytest.fixture
def archived(on_cluster, tmp_path):
    """Archives one repository again and again; returns it, its store and a function."""
    source, store = tmp_path / "source", tmp_path / "store"
    one = Repository(source / "one.git", "--bare")
    Repository(source / "other.git", "--bare").commit("other")

    def run(*options, status=0):
        make_old(source)
        ran = on_cluster("archive", source, "--to", store, *options)
        assert ran.status == status, ran
        return newest(store).get(b"one.git", ("",))[0]
    return one, store, run


def add(repository, text):
    """A commit on top of the others."""
    parent = ("-p", "main") if repository.refs() else ()
    tree = repository.git("mktree", "--missing") if not parent else repository.git(
        "rev-parse", "main^{tree}")
    repository.git("update-ref", "refs/heads/main",
                   repository.git("commit-tree", "-m", text, *parent, tree))


def hashes(store):
    """The archives of one.git in the store."""
    mine = {row[0] for row in ask(store, "SELECT a.hash FROM archives a JOIN repositories r ON "
                                         "r.id = a.repository WHERE r.name = CAST('one.git' AS "
                                         "BLOB)")}
    return {one for one in mine if path_of(store, one).exists()}


@pytest.mark.parametrize("harm", (os.unlink, lambda path: os.truncate(path, 1)))
def test_archives_older_than_one_that_the_store_has_lost_stay(archived, harm):
    one, store, run = archived
    made = []
    for text in "ab":
        add(one, text)
        made.append(run())
    harm(path_of(store, made[1]))
    shutil.rmtree(os.fsdecode(one.path))
    ran = run_fleet("prune", store, "--keep", "1", "--keep-lost", "0")
    assert ran.status == 0, ran
    assert ran.output.startswith("0 files removed")
    assert f"warning: 'objects/{made[1][:2]}/{made[1]}.zpack' " in ran.errors
    assert made[0] in hashes(store)


def test_whole_chain_below_a_lost_file_stays(archived, on_cluster, tmp_path):
    one, store, run = archived
    made = []
    for text in "abcd":
        add(one, text)
        made.append(run("--increments", "--consolidate", "2"))
    lost = ask(store, "SELECT onto FROM files WHERE onto IS NOT NULL ORDER BY rowid DESC LIMIT 1")
    path_of(store, lost[0][0]).unlink()
    shutil.rmtree(os.fsdecode(one.path))
    before = hashes(store)
    ran = run_fleet("prune", store)
    assert ran.status == 0, ran
    assert hashes(store) == before


@pytest.mark.parametrize("damaged", (True, False))
def test_archive_before_a_damaged_one_stays_with_what_was_lost_after_it(
        archived, on_cluster, damaged):
    one, store, run = archived
    add(one, "a")
    made = [run()]
    add(one, "b")
    made.append(run())
    empty = one.git("commit-tree", "-m", "new", one.git("rev-parse", "main^{tree}"))
    one.git("update-ref", "refs/heads/main", empty)
    one.git("gc", "-q", "--prune=now")
    for text in ("", "c", "d"):
        if text:
            add(one, text)
        made.append(run())
    if damaged:
        path_of(store, made[1]).write_bytes(b"x" * path_of(store, made[1]).stat().st_size)
        assert on_cluster("verify", store).status == 1
    else:
        path_of(store, made[1]).unlink()
    ran = run_fleet("prune", store, "--keep", "1")
    assert ran.status == 0, ran
    assert f"{1 + damaged} archive" in ran.output and "because the next ones may lack" in ran.output
    assert hashes(store) == {made[0], made[4], *made[1:1 + damaged]}
    assert run_fleet("prune", store, "--keep", "1", "--keep-lost", "0").status == 0
    assert hashes(store) == {made[4]}


def test_store_that_is_away_costs_the_manifest_nothing(archived):
    one, store, run = archived
    for text in "abc":
        add(one, text)
        run()
    before = ask(store, "SELECT * FROM archives")
    (store / "objects").rename(store / "away")
    assert run_fleet("prune", store, "--keep", "1", "--keep-lost", "0").status == 0
    assert ask(store, "SELECT * FROM archives") == before


@pytest.mark.parametrize("refused", ("receipts", "objects", "objects/"))
def test_store_that_cannot_be_listed_is_fatal(archived, monkeypatch, refused):
    one, store, run = archived
    add(one, "a")
    made = run()
    shutil.rmtree(os.fsdecode(one.path))
    os.unlink(store / "manifest.sqlite")
    run("--manifest", store / "manifest.sqlite")  # Only a receipt names the archive now.
    old_store(store)
    monkeypatch.setattr(Flaky, "refused", refused)
    ran = run_fleet("prune", f"flaky://{store}", "--manifest", store / "manifest.sqlite",
                    "--grace", "0")
    assert ran.status == 128, ran
    folder = refused.rstrip("/")
    assert ran.errors.startswith(f"fatal: cannot list '{folder}' of store 'flaky://{store}': ")
    assert path_of(store, made).exists()
    monkeypatch.setenv("XDG_STATE_HOME", str(store.parent / "state"))
    ran = run_fleet("archive", store.parent / "source", "--to", f"flaky://{store}")
    assert ran.status == 128, ran
    assert ("the store has archives" if folder == "objects" else "cannot list") in ran.errors
    monkeypatch.setattr(Flaky, "refused", "")
    assert run_fleet("prune", f"flaky://{store}", "--manifest", store / "manifest.sqlite",
                     "--grace", "0").status == 0
    assert path_of(store, made).exists()


def test_lists_have_what_is_in_linked_folders(tmp_path):
    (tmp_path / "disk/ab").mkdir(parents=True)
    (tmp_path / "disk/ab/x.zpack").write_bytes(b"12")
    (tmp_path / "store/objects").mkdir(parents=True)
    for name, target in (("ab", tmp_path / "disk/ab"), ("cd", "nowhere"), ("ef", "ef")):
        (tmp_path / "store/objects" / name).symlink_to(target)
    found = Store(str(tmp_path / "store"), {}).list("objects")
    assert [(file.key, file.size) for file in found] == [("objects/ab/x.zpack", 2)]


def test_older_archive_that_is_damaged_counts_as_damaged(archived, on_cluster):
    one, store, run = archived
    made = []
    for text in "ab":
        add(one, text)
        made.append(run())
    path = path_of(store, made[0])
    path.write_bytes(b"x" * path.stat().st_size)
    assert on_cluster("verify", store).status == 1
    ran = run_fleet("status", store)
    assert (ran.status, ", 1 damaged\n" in ran.output) == (0, True), ran
