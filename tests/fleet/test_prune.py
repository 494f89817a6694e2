# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What prune removes, and when it does not."""

import errno
import os
import shutil

import fsspec
import pytest
from conftest import Repository, make_old, run_fleet
from forks import path_of
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
