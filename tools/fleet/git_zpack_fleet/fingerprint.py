# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of a repository without reading its objects.

The digest covers what stat() says of everything that an archive holds: refs,
packs, directories of loose objects, reflogs, hooks, settings. Git replaces
files by renaming, so a change has another inode, size or time.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from typing import Iterator, NamedTuple, Optional

from .discover import git_directory, is_git_directory
from .text import quoted

# Two changes within one tick of the clock of a file system look alike.
RACY_SECONDS = 2.0

_PASSING = frozenset((
    b"objects", b"modules", b"index", b"gc.pid", b"gc.log", b"COMMIT_EDITMSG",
    b"FETCH_HEAD", b"ORIG_HEAD", b"fsmonitor--daemon.ipc"))
_MOST_ALTERNATES = 5


class Scan(NamedTuple):
    """How a repository looks now.

    digest: of the state; '' if the repository cannot be read
    racy: something changed so recently that the next change may look the same
    size: bytes of its own object database and files; 0 if not measured
    pool: the object database that it shares with its forks, or its own
    error: why the repository cannot be read, or None
    """

    digest: str
    racy: bool
    size: int
    pool: bytes
    error: Optional[str]


def scan(path: bytes, known_digest: str = "") -> Scan:
    """The state of a repository; measures the size unless the digest is known."""
    directory = git_directory(path)
    try:
        if not is_git_directory(directory):
            return Scan("", False, 0, b"", f"not a git repository: '{quoted(path)}'")
        digest, newest = _digest(directory)
        size = 0 if digest == known_digest else measure(directory)
        racy = newest > time.time() - RACY_SECONDS
        return Scan(digest, racy, size, pool_of(directory), None)
    except OSError as error:
        return Scan("", False, 0, b"", f"cannot read '{quoted(path)}': {error.strerror}")


def _digest(directory: bytes) -> tuple[str, float]:
    hasher = hashlib.sha256()
    newest = 0.0
    for name, status in sorted(_entries(directory)):
        hasher.update(b"%d %b\0" % (len(name), name))
        hasher.update(b"%d %d %d\n" % status)
        newest = max(newest, status[1] / 1e9)
    for line in _alternates(os.path.join(directory, b"objects")):
        hasher.update(b"alternate %b\0" % line)
    return hasher.hexdigest(), newest


def _entries(directory: bytes) -> Iterator[tuple[bytes, tuple[int, int, int]]]:
    stack = [b""]
    while stack:
        below = stack.pop()
        for entry in _list(os.path.join(directory, below)):
            name = os.path.join(below, entry.name)
            if entry.name.endswith(b".lock") or (not below and entry.name in _PASSING):
                continue
            if below == b"hooks" and entry.name.endswith(b".sample"):
                continue
            if entry.is_dir(follow_symlinks=False):
                stack.append(name)
            else:
                yield from _stat_of(entry, name, of_content=True)
    for entry in _list(os.path.join(directory, b"objects")):
        if entry.name == b"pack":
            for pack in _list(entry.path):
                if pack.name.startswith(b"pack-"):
                    yield from _stat_of(pack, b"objects/pack/" + pack.name, of_content=True)
        elif len(entry.name) == 2:
            yield from _stat_of(entry, b"objects/" + entry.name, of_content=False)


def _list(path: bytes) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _stat_of(entry: os.DirEntry[bytes], name: bytes, *,
             of_content: bool) -> Iterator[tuple[bytes, tuple[int, int, int]]]:
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # Renamed or removed meanwhile.
        return
    if of_content:
        yield name, (status.st_size, status.st_mtime_ns, status.st_ino)
    else:
        yield name, (0, status.st_mtime_ns, 0)


def measure(directory: bytes) -> int:
    """Bytes of all files in the git directory."""
    total = 0
    stack = [directory]
    while stack:
        for entry in _list(stack.pop()):
            if entry.is_dir(follow_symlinks=False):
                stack.append(entry.path)
                continue
            try:
                total += entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue
    return total


def _alternates(objects: bytes) -> list[bytes]:
    try:
        with open(os.path.join(objects, b"info", b"alternates"), "rb") as file:
            lines = file.read(1 << 20).split(b"\n")
    except OSError:
        return []
    return [os.path.normpath(os.path.join(objects, line))
            for line in lines if line and not line.startswith(b"#")]


def pool_of(directory: bytes) -> bytes:
    """The last object database on the way along the first alternates."""
    objects = os.path.realpath(os.path.join(directory, b"objects"))
    for _ in range(_MOST_ALTERNATES):
        alternates = _alternates(objects)
        if not alternates:
            break
        objects = os.path.realpath(alternates[0])
    return objects


def refs_fingerprint(path: bytes) -> Optional[str]:
    """SHA-1 of the output of git show-ref, as grokmirror; None if Git fails."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GIT_")}
    done = subprocess.run(["git", "--git-dir", git_directory(path), "show-ref"],
                          env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    # git show-ref says 1 if there are no refs.
    return hashlib.sha1(done.stdout).hexdigest() if done.returncode in (0, 1) else None
