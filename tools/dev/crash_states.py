# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What a power cut can leave of files, from a record of what a program did
(tests/support/record_preload.cc).

The model is that of POSIX, which ext4, XFS and btrfs refine, as in the studies of
crash consistency (Pillai et al., 'All File Systems Are Not Created Equal', OSDI 2014):

- What was written to a file since its last sync may be there, missing, there as zeros
  up to the new size, torn at 512 bytes, or without an earlier one of the writes.
- Each name that was made, changed or removed since its directory was synced may be as
  before or as after, in any order; 'syncfs' syncs all.
- A sync of a file does not sync its name.
"""

import dataclasses
import hashlib
import os
import random
import stat

SECTOR = 512
DATA_VARIANTS = ("all", "none", "zeros", "torn", "first lost")
# Of so many names that are not synced, each one is left out and kept alone; of more,
# as many at random.
MOST_SINGLE_NAMES = 10


class RecordError(Exception):
    """The record does not lead to the files that are there."""


@dataclasses.dataclass
class Inode:
    """Of a file: its synced content, and what was written since, in order, as
    (offset, bytes), or (size, None) for a new size. Of a link: its target."""
    kind: str
    content: bytes = b""
    pending: list = dataclasses.field(default_factory=list)

    def with_pending(self, variant):
        """The content after a power cut."""
        if variant == "none" or not self.pending:
            return self.content
        changes = self.pending
        if variant == "first lost":
            changes = changes[1:]
        if variant == "torn":
            offset, data = changes[-1]
            if data is None:
                changes = changes[:-1]
            else:
                half = len(data) // 2 // SECTOR * SECTOR
                changes = [*changes[:-1], (offset, data[:half])]
        content = bytearray(self.content)
        for offset, data in changes:
            if data is None:
                content[offset:] = bytes(max(offset - len(content), 0))
                continue
            if len(content) < offset:
                content += bytes(offset - len(content))
            if variant == "zeros" and offset + len(data) > len(self.content):
                data = bytes(len(data))
            content[offset:offset + len(data)] = data
        return bytes(content)

    def sync(self):
        self.content = self.with_pending("all")
        self.pending = []


class Disk:
    """A tree of files below 'root': what is synced, and what is not yet."""

    def __init__(self, root):
        self.root = root
        self.inodes = {}
        # Numbers of inodes are used again; these are their keys in 'inodes' now.
        self.keys = {}
        self.names = {}  # synced: (key of the directory, name) to key
        self.pending = []  # changes of names, as tuples
        self.top = self._scan(root)

    def _scan(self, path):
        info = os.lstat(path)
        if stat.S_ISLNK(info.st_mode):
            inode = Inode("link", os.readlink(path).encode(errors="surrogateescape"))
        elif stat.S_ISDIR(info.st_mode):
            inode = Inode("directory")
        else:
            with open(path, "rb") as file:
                inode = Inode("file", file.read())
        key = self._add(info.st_ino, inode)
        if inode.kind == "directory":
            for name in os.listdir(path):
                self.names[key, name] = self._scan(f"{path}/{name}")
        return key

    def _add(self, number, inode):
        key = self.keys[number] = len(self.inodes)
        self.inodes[key] = inode
        return key

    def _key(self, word):
        return self.keys[int(word)]

    def _place(self, path, names):
        """The inode of the directory of a path, and the name in it."""
        *folders, name = path[len(self.root) + 1:].split("/")
        at = self.top
        for folder in folders:
            at = names[at, folder]
        return at, name

    def apply(self, words, data):
        """One operation of a record."""
        kind = words[0]
        if kind == "write":
            self.inodes[self._key(words[1])].pending.append((int(words[2]), data))
        elif kind == "resize":
            self.inodes[self._key(words[1])].pending.append((int(words[2]), None))
        elif kind == "sync-file":
            self.inodes[self._key(words[1])].sync()
        elif kind == "sync-directory":
            self._sync_names(self._key(words[1]))
        elif kind == "sync-all":
            for inode in self.inodes.values():
                inode.sync()
            self.names, self.pending = self.names_with(range(len(self.pending))), []
        else:
            self._change_name(kind, words)

    def _change_name(self, kind, words):
        names = self.names_with(range(len(self.pending)))
        if kind == "create":
            number, what, path = int(words[1]), words[2], words[3]
            content = b""
            if what == "link":
                content = os.readlink(path).encode(errors="surrogateescape")
            key = self._add(number, Inode(what, content))
            self.pending.append(("set", self._place(path, names), key))
        elif kind == "link":
            self.pending.append(("set", self._place(words[2], names), self._key(words[1])))
        elif kind == "remove":
            self.pending.append(("remove", self._place(words[1], names)))
        elif kind in ("rename", "exchange"):
            self.pending.append((kind, self._place(words[1], names),
                                 self._place(words[2], names)))
        else:
            raise RecordError(f"unknown operation '{kind}'")

    def names_with(self, chosen):
        """The names after the chosen ones of the pending changes."""
        names = dict(self.names)
        for index in chosen:
            kind, place, *other = self.pending[index]
            if kind == "set":
                names[place] = other[0]
            elif kind == "remove":
                names.pop(place, None)
            elif kind == "rename" and place in names:
                names[other[0]] = names.pop(place)
            elif kind == "exchange" and place in names and other[0] in names:
                names[place], names[other[0]] = names[other[0]], names[place]
        return names

    @staticmethod
    def _touched(change):
        """Places and inodes that a change of names is about."""
        return {part for part in change[1:] if isinstance(part, (tuple, int))}

    def _sync_names(self, directory):
        """The changes in a directory are synced, and the earlier ones that they need."""
        needed, synced = set(), []
        for index in reversed(range(len(self.pending))):
            change = self.pending[index]
            touched = self._touched(change)
            folders = {part[0] for part in touched if isinstance(part, tuple)}
            if directory in folders or touched & needed:
                synced.append(index)
                needed |= touched | folders
        synced.reverse()
        self.names = self.names_with(synced)
        self.pending = [change for index, change in enumerate(self.pending)
                        if index not in set(synced)]

    def choices_of_names(self, chance):
        """Sets of pending changes that a power cut may have kept, as ranges or lists."""
        count = len(self.pending)
        singles = range(count)
        if count > MOST_SINGLE_NAMES:
            singles = chance.sample(singles, MOST_SINGLE_NAMES)
        yield range(count)
        yield range(0)
        for single in singles:
            yield range(single)
            yield [single]
            yield [index for index in range(count) if index != single]

    def states(self, chance):
        """What a power cut may leave now: pairs of (files, text). 'files' is a sorted tuple of
        (path below the root, inode kind, content)."""
        for chosen in self.choices_of_names(chance):
            names = self.names_with(chosen)
            for variant in DATA_VARIANTS:
                yield self._files(names, variant), \
                    f"{len(chosen)} of {len(self.pending)} names, data: {variant}"
                if not any(inode.pending for inode in self.inodes.values()):
                    break

    def _files(self, names, variant):
        below = {}
        for (directory, name), number in names.items():
            below.setdefault(directory, []).append((name, number))
        files, pending = [], [(self.top, "")]
        while pending:
            directory, path = pending.pop()
            for name, number in below.get(directory, []):
                inode = self.inodes[number]
                files.append((path + name, inode.kind, inode.with_pending(variant)))
                if inode.kind == "directory":
                    pending.append((number, f"{path}{name}/"))
        return tuple(sorted(files))


def read_record(path):
    """The operations of a record: words and bytes."""
    with open(path, "rb") as file:
        while line := file.readline():
            words = line.decode(errors="surrogateescape").rstrip("\n").split("\t")
            yield words, file.read(int(words[3])) if words[0] == "write" else b""


def files_of(root):
    """The files that are there, as Disk.states gives them."""
    files = []
    for path, folders, names in os.walk(root):
        for name in folders + names:
            entry = os.path.join(path, name)
            below = os.path.relpath(entry, root)
            if os.path.islink(entry):
                files.append((below, "link", os.readlink(entry).encode()))
            elif os.path.isdir(entry):
                files.append((below, "directory", b""))
            else:
                with open(entry, "rb") as file:
                    files.append((below, "file", file.read()))
    return tuple(sorted(files))


def write_files(files, root):
    """Makes a state below an empty directory."""
    for path, kind, content in files:
        place = os.path.join(root, path)
        if kind == "directory":
            os.makedirs(place, exist_ok=True)
        elif kind == "link":
            os.symlink(content, place)
        else:
            with open(place, "wb") as file:
                file.write(content)


def distinct_states(disk, record, seed):
    """All that a power cut may leave, at each operation: (files, text), each once. 'disk' is as
    before the first operation."""
    chance = random.Random(seed)
    seen = set()
    number = 0
    for number, (words, data) in enumerate(record, 1):
        disk.apply(words, data)
        for files, text in disk.states(chance):
            digest = hashlib.sha256(repr(files).encode()).digest()
            if digest not in seen:
                seen.add(digest)
                yield files, f"operation {number} ({words[0]}), {text}"
