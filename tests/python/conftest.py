# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A repository with every type of object, and the archive of it."""

import os
import subprocess

import pytest
import zpack


class Repository:
    """A repository that the tests make and ask with Git."""

    def __init__(self, path):
        self.path = str(path)
        # The environment of whoever runs this must not decide.
        self._environment = {
            name: value for name, value in os.environ.items() if not name.startswith("GIT_")
        } | {
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
            "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
        }
        self("init", "-q", "-b", "main")

    def __call__(self, *arguments):
        return self.bytes(*arguments).decode().strip()

    def bytes(self, *arguments):
        """The output of a Git command."""
        os.makedirs(self.path, exist_ok=True)
        return subprocess.run(["git", *arguments], cwd=self.path, env=self._environment,
                              check=True, stdout=subprocess.PIPE).stdout


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    made = Repository(tmp_path_factory.mktemp("repository"))
    for i in range(5):
        directory = os.path.join(made.path, "src")
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "x.c"), "wb") as file:
            file.write(b"line\n" * 100 + b"%d\n" % i)
        made("add", ".")
        made("commit", "-q", "-m", f"commit {i}")
    os.symlink("src/x.c", os.path.join(made.path, "link"))
    # A name that is no UTF-8.
    with open(os.path.join(made.path.encode(), b"caf\xe9"), "wb"):
        pass
    made("add", ".")
    made("commit", "-q", "-m", "odd names")
    made("tag", "-a", "-m", "first version", "v1", "HEAD~1")
    made("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    return made


@pytest.fixture(scope="session")
def file(repository, tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "x.zpack"
    zpack.convert(repository.path, path)
    return path


@pytest.fixture
def archive(file):
    return zpack.open(file)
