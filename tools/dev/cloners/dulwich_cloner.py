#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Mirrors a repository with dulwich.

Over a pipe, dulwich runs the `git-upload-pack` that is first on PATH. DEPTH 0 means
everything.
"""

import os
import shutil
import sys

from dulwich.client import HttpGitClient, SubprocessGitClient
from dulwich.repo import Repo


def connect(location, version):
    """Returns a client, and the path that the client asks for."""
    if location.startswith("http:"):
        base, _, path = location.rpartition("/")
        return HttpGitClient(base + "/"), path
    client = SubprocessGitClient()
    client.git_command = [shutil.which("git-upload-pack")]
    # This client leaves the variable to its caller.
    if version > 0:
        os.environ["GIT_PROTOCOL"] = f"version={version}"
    return client, location


def set_refs(repository, result):
    for name, value in result.refs.items():
        if value is not None and name != b"HEAD" and not name.endswith(b"^{}"):
            repository.refs[name] = value
    if b"HEAD" in result.symrefs:
        repository.refs.set_symbolic_ref(b"HEAD", result.symrefs[b"HEAD"])


def main():
    if len(sys.argv) != 5:
        print(f"usage: {sys.argv[0]} LOCATION DIRECTORY VERSION DEPTH", file=sys.stderr)
        return 129
    location, directory, version, depth = sys.argv[1:]
    client, path = connect(location, int(version))
    repository = Repo.init_bare(directory, mkdir=True)
    try:
        set_refs(repository, client.fetch(path, repository, depth=int(depth) or None,
                                          protocol_version=int(version)))
    except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
