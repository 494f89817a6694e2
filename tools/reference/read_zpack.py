#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Reads .zpack files as FORMAT.md says, without any code of git-zpack.

  read_zpack.py refs FILE               HEAD and the refs
  read_zpack.py cat FILE ID             the content of one object
  read_zpack.py verify FILE             every check; id, type and size of every object
  read_zpack.py restore FILE DIRECTORY  every check; a bare repository of loose objects
"""

import collections
import hashlib
import itertools
import os
import pathlib
import struct
import sys
import zlib

import blocks
import container
from container import require


class ZpackFile:
    def __init__(self, path):
        """Steps 1 to 3 of "Reading safely", and REFS and BTAB of step 4."""
        self.data = pathlib.Path(path).read_bytes()
        size = len(self.data)
        self.limits = {"content": (256 << 20) + 1024 * size, "chains": (8 << 30) + 131072 * size,
                       "decoded": (160 << 20) + 32 * size}  # "Expansion"
        self.header_size, self.count, self.id_width, self.features, at = container.header(self.data)
        self.digests = container.trailer(self.data)
        self.chunks = container.table_of_contents(self.data, self.header_size, at, self.features)
        self.contents = (at, size - 72)
        (_, blocks_begin), (blocks_end, _), *_ = self.chunks.values()
        self.below, self.first, fields = None, 0, container.Cursor(self.chunk(b"REFS"), "REFS")
        if b"backing" in self.features:
            self.read_below(pathlib.Path(path).parent, fields)
        else:
            self.head, self.refs, self.shallow = container.refs(fields, self.id_width)
        self.end = self.first + self.count  # of the numbers of its objects
        self.rows = container.block_table(self.chunk(b"BTAB"), self.first, self.end, blocks_begin, blocks_end)

    def read_below(self, directory, fields):
        """"Files below". The file is looked for under its name alone."""
        self.first, self.ids_below, file_hash, name = container.file_below(fields)
        self.below = ZpackFile(directory / os.fsdecode(name))
        require((self.below.end, self.below.id_width) == (self.first, self.id_width), "the file below is another one")
        require(b"derived-ids" not in self.features, "both backing and derived-ids")
        self.is_same = self.below.data[-32:] == file_hash
        self.head, self.refs, self.shallow = container.changed_refs(fields, self.id_width, self.below.refs)

    def chunk(self, name):
        return container.chunk(self.data, *self.chunks[name], name)

    def read_index(self):
        """OIDP and ONBP, or OIDH, and PROM of step 4."""
        if b"OIDH" in self.chunks:
            self.derive_ids(self.chunk(b"OIDH"))
        else:
            self.ids = container.object_ids(self.chunk(b"OIDP"), self.count, self.id_width, self.below)
            self.numbers = [self.first + at for at in container.object_numbers(self.chunk(b"ONBP"), self.count)]
            self.id_of = dict(zip(self.numbers, self.ids))  # "Numbering"
        if self.below:
            self.below.read_index()
            ids = b"".join(self.below.id_of[number] for number in range(self.first))
            require(self.is_same or hashlib.sha256(ids).digest() == self.ids_below, "the file below is another one")
            self.id_of |= self.below.id_of
            self.numbers = sorted(self.id_of, key=self.id_of.get)
            self.ids = [self.id_of[number] for number in self.numbers]
            require(len(set(self.ids)) == self.end, "an object is in two files")
        if b"PROM" in self.chunks:
            container.promised_objects(self.chunk(b"PROM"), self.id_width, self.ids)

    def derive_ids(self, digest):
        """"Derived ids". A content that is the same with two different ids in the place of unknown ones has none."""
        self.id_of, before, limits = {}, -1, dict(self.limits)
        while before < len(self.id_of) < self.count:
            before = len(self.id_of)
            for first in sorted({first for _, first in self.rows[:-1]}, reverse=True):
                known = -1
                while known < len(self.id_of):
                    known = len(self.id_of)
                    self.limits |= limits  # blocks are decoded again
                    ways = [self.raw_objects(lambda n, other=other: self.id_of.get(n, other * self.id_width), first)
                            for other in (b"\0", b"\1")]
                    self.id_of |= {at: self.hash(*one) for (at, *one), (_, *two) in [*zip(*ways)] if one == two}
        require(len(self.id_of) == self.count, "ids that cannot be computed")
        self.limits |= limits
        self.numbers = sorted(self.id_of, key=self.id_of.get)
        self.ids = [self.id_of[number] for number in self.numbers]
        require(len(set(self.ids)) == self.count, "an object is twice in the file")
        in_order = b"".join(self.id_of[number] for number in range(self.count))
        require(hashlib.sha256(in_order).digest() == digest, "ids that OIDH does not state")

    def hash(self, head, content):
        return (hashlib.sha1 if self.id_width == 20 else hashlib.sha256)(head + content).digest()

    def objects(self, number=None):
        """Id, header for the hash and content of objects."""
        for at, head, content in self.raw_objects(self.id_of.get, number):
            require(self.hash(head, content) == self.id_of[at], f"object {self.id_of[at].hex()}: wrong content")
            yield self.id_of[at], head, content

    def raw_objects(self, id_of, number=None, earlier=None):
        """Number, header for the hash and content of all objects, or of those of one's block (step 5).

        What far deltas of a file above may need of the objects is put into `earlier`."""
        parts, group, is_below = [], blocks.Group(), earlier is not None
        earlier = {} if earlier is None else earlier
        if self.below and (is_below or b"far-bases" in self.features):
            collections.deque(self.below.raw_objects(id_of, None, earlier), 0)
        wanted = [index for index, ((_, first), (_, after)) in enumerate(zip(self.rows, self.rows[1:]))
                  if number is None or first <= number < max(after, first + 1)]
        # Far bases are in earlier blocks; all of them are simpler than those that are needed.
        far = any(self.data[self.rows[index][0] + 16] == 6 for index in wanted)
        begin = 0 if far else min(wanted, default=0)
        self.read_group_before(begin, group)
        for index in range(begin, max(wanted, default=-1) + 1):
            (_, first), (_, after) = self.rows[index:index + 2]
            found = self.block(index, group)
            require((found.first, found.count) == (first, after - first or 1), "a block disagrees with BTAB")
            require(found.kind == blocks.SEGMENT or not (parts or after == first), "several blocks of one object")
            contents = blocks.decode(found, self.end, id_of, earlier)
            if found.kind == blocks.SEGMENT:
                require(found.offset == sum(len(part) for part, *_ in parts), "a gap between segments")
                parts.append((contents[0], found.type, found.object_sizes))
                require(contents[0] and parts[0][1:] == parts[-1][1:], "segments that do not fit")
                if after == first:
                    continue
                contents, parts = [b"".join(part for part, *_ in parts)], []
                require([len(contents[0])] == found.object_sizes, "segments do not make up the object")
            elif is_below or b"far-bases" in self.features:
                of = found.blocks or [1] * found.count
                earlier |= {first + at: (found.type, *both) for at, both in enumerate(zip(contents, of))}
            for at, content in enumerate(contents, first) if index in wanted else ():
                yield at, b"%s %d\0" % (found.type, len(content)), content

    def block(self, at, group):
        chunk = container.chunk(self.data, self.rows[at][0], self.rows[at + 1][0], b"BLCK")
        return blocks.block(chunk, self.features, self.id_width, self.limits, group)

    def read_group_before(self, at, group):
        """The blocks before this one in its group."""
        kind, place, _ = struct.unpack(">B11xII", self.data[self.rows[at][0] + 16:][:20])
        for before in range(max(0, at - place) if kind != blocks.SEGMENT else at, at):
            self.block(before, group)

    def find(self, wanted):
        """The content of one object, in the four steps of "Overview"."""
        require(wanted in self.ids, f"object {wanted.hex()} is not in the file")
        number = self.numbers[self.ids.index(wanted)]
        if number < self.first:
            return self.below.find(wanted)
        return next(content for found, _, content in self.objects(number) if found == wanted)

    def verify(self):
        """Every check of the parts; then the objects, each with its checks."""
        self.read_index()
        hashed = b"".join(self.ids), self.data[self.header_size:-32] + self.data[:self.header_size]
        require(self.digests == tuple(hashlib.sha256(data).digest() for data in hashed), "wrong digest or file hash")
        parts = {name: self.chunk(name) for name in self.chunks}
        places = (0, self.header_size), self.chunks[b"REFS"], self.chunks[b"BTAB"], self.contents
        copies = b"".join(self.data[start:end] for start, end in places)
        require(b"COPY" not in parts or [*parts.items()][-1] == (b"COPY", copies), "COPY is not last or differs")
        of_below = list(self.below.verify()) if self.below else []
        self.files = container.files(parts.get(b"FTAB"), parts.get(b"FDAT", b""), self.limits["content"],
                                     self.below and self.below.files)
        return itertools.chain(of_below, self.objects())


def text_of(ref):
    return b"ref: " + ref.target if ref.symbolic else ref.target.hex().encode()


def restore(file, directory):
    def write(name, content):
        path = pathlib.Path(directory, os.fsdecode(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    for name in ("objects", "refs"):
        pathlib.Path(directory, name).mkdir(parents=True)
    sha256 = b"[extensions]\nobjectFormat = sha256\n" if file.id_width == 32 else b""
    for found, head, content in file.verify():
        write(f"objects/{found.hex()[:2]}/{found.hex()[2:]}", zlib.compress(head + content))
    write("config", b"[core]\nbare = true\nrepositoryFormatVersion = %d\n%s" % (bool(sha256), sha256))
    for ref in (file.head, *file.refs):
        write(ref.name, text_of(ref) + b"\n")
    write("shallow", b"".join(found.hex().encode() + b"\n" for found in file.shallow))
    for kept in file.files:  # those that may name programs or other places are out of use
        write(kept.name + (b".archived" if kept.group in (4, 6, 7, 8, 9) else b""), kept.content)


def main(command, path, *arguments):
    file = ZpackFile(path)
    if command == "refs":
        for ref in (file.head, *file.refs):
            print(os.fsdecode(text_of(ref) + b" " + ref.name))
    elif command == "cat":
        file.read_index()
        sys.stdout.buffer.write(file.find(bytes.fromhex(arguments[0])))
    elif command == "verify":
        for found, head, _ in file.verify():
            print(found.hex(), head[:-1].decode())
    else:
        restore(file, *arguments)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("refs", "cat", "verify", "restore"):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (container.Refused, OSError) as error:
        sys.exit(f"{sys.argv[2]}: {error}")
