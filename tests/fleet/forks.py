# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Repositories with a history in common, and what a store has of them."""

import os
import random
import sqlite3
import subprocess

from conftest import ENVIRONMENT, PROGRAM, Repository, make_old


def grow(repository, count, name, size=400):
    """Adds commits that change one of some files; the same name gives the same ids."""
    chance = random.Random(name)
    parts = []
    parent = "from refs/heads/main^0\n" if repository.refs() else ""
    for number in range(count):
        content = chance.randbytes(size).hex().encode()
        parts.append(
            b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n%s"
            b"M 100644 inline f%d\ndata %d\n%s\n\n" % (
                1_600_000_000 + number, len(name), name.encode(), parent.encode(),
                chance.randrange(5), len(content), content))
        parent = ""
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository.path, env=ENVIRONMENT,
                   input=b"".join(parts), check=True)
    return repository


def opened(path):
    """A repository that is there; it stays as it is."""
    repository = Repository.__new__(Repository)
    repository.path = os.fsencode(path)
    return repository


def make(path, count, name="base"):
    """A bare repository with a history of its own."""
    return grow(Repository(path, "--bare"), count, name)


def fork(base, path, count, name=None, *options):
    """A clone with some commits of its own."""
    subprocess.run(["git", "clone", "-q", "--bare", *options, base.path, path], env=ENVIRONMENT,
                   check=True)
    made = opened(path)
    if count:
        grow(made, count, name or os.fspath(path))
    return made


def make_family(source, forks=3, commits=40):
    """A base, some forks of it, and an unrelated repository; returns the base."""
    base = make(source / "base.git", commits)
    for number in range(forks):
        fork(base, source / f"fork{number}.git", 2)
    make(source / "other.git", 20, "other")
    make_old(source)
    return base


def ask(store, statement):
    """Rows of the manifest."""
    with sqlite3.connect(store / "manifest.sqlite") as database:
        return database.execute(statement).fetchall()


def chains(store):
    """The files of the newest archive of each repository by name, the newest first."""
    onto = dict(ask(store, "SELECT hash, onto FROM files"))
    found = {}
    for name, content_hash in ask(store, "SELECT r.name, a.hash FROM repositories r "
                                         "JOIN archives a ON a.id = r.archive"):
        found[name.decode()] = []
        while content_hash is not None:
            found[name.decode()].append(content_hash)
            content_hash = onto[content_hash]
    return found


def path_of(store, content_hash):
    return store / f"objects/{content_hash[:2]}/{content_hash}.zpack"


def files(store):
    """The hashes of all archives in a local store."""
    return {path.stem for path in (store / "objects").rglob("*.zpack")}


def ids_in(path, below=()):
    """The ids of all objects that a file of the store gives, with the files below it."""
    backing = [word for file in below for word in ("--backing", file)]
    ran = subprocess.run([PROGRAM, "cat-file", "--batch-check", "--batch-all-objects", *backing,
                          path], check=True, stdout=subprocess.PIPE)
    return {line.split()[0] for line in ran.stdout.splitlines()}


def ids_of(repository):
    """The ids of all objects of a repository."""
    return {line.split()[0].encode() for line in repository.git(
        "cat-file", "--batch-check", "--batch-all-objects").splitlines()}


def assert_restored(source, back):
    """Every repository is there with the same refs, and whole."""
    names = sorted(path.name for path in source.iterdir())
    assert sorted(path.name for path in back.iterdir()) == names
    for name in names:
        restored = opened(back / name)
        assert restored.refs() == opened(source / name).refs(), name
        restored.git("fsck", "--strict")
