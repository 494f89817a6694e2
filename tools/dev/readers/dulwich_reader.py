#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Reads every packed object of a repository with dulwich and prints its id, type
and size, one object a line.

The id printed is hashed from what was read. What cannot be read goes to standard
error; the exit code is then 1.
"""

import sys

from dulwich.objects import ShaFile
from dulwich.repo import Repo


class Reader:
    def __init__(self, directory):
        self.store = Repo(directory).object_store
        self.failures = 0

    def report(self, subject, problem):
        print(f"{subject}: {problem}", file=sys.stderr)
        self.failures += 1

    def attempt(self, subject, action):
        """Runs the action; damage may raise anything."""
        try:
            action()
        except Exception as error:  # pylint: disable=broad-except
            self.report(subject, f"{type(error).__name__}: {error}")

    def read_pack(self, pack):
        pack.index.check()
        # In the order of the pack, so that bases are found in the cache.
        entries = sorted(pack.index.iterentries(), key=lambda entry: entry[1])
        for entry in entries:
            self.attempt(entry[0].hex(), lambda: self.read_object(entry[0]))
        pack.data.check()

    def read_object(self, binary_id):
        kind, content = self.store.get_raw(binary_id)
        shafile = ShaFile.from_raw_string(kind, content)
        hashed = shafile.id.decode()
        if hashed != binary_id.hex():
            self.report(binary_id.hex(), "content hashes to another id")
        print(hashed, shafile.type_name.decode(), len(content))


def main():
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} REPOSITORY", file=sys.stderr)
        return 129
    reader = Reader(sys.argv[1])
    for pack in reader.store.packs:
        reader.attempt(pack.name().decode(), lambda: reader.read_pack(pack))
    return 0 if reader.failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
