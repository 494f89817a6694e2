#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Mirrors a repository with the libgit2 that is part of pygit2. DEPTH 0 means
everything. libgit2 chooses the version of the protocol itself.
"""

import sys

import pygit2


REMOTE = "cloner"


def add_remote(repository, _, url):
    return repository.remotes.create(REMOTE, url, "+refs/*:refs/*")


def set_head(repository):
    """libgit2 looks for the branch of HEAD in refs/remotes, and adds a ref there."""
    for head in repository.remotes[REMOTE].list_heads():
        if head.name == "HEAD" and head.symref_target:
            repository.set_head(head.symref_target)
    repository.references.delete(f"refs/remotes/{REMOTE}/HEAD")


def main():
    if len(sys.argv) != 5:
        print(f"usage: {sys.argv[0]} URL DIRECTORY VERSION DEPTH", file=sys.stderr)
        return 129
    url, directory, _, depth = sys.argv[1:]
    set_head(pygit2.clone_repository(url, directory, bare=True, remote=add_remote,
                                     depth=int(depth)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
