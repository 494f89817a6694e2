# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of a repository without reading its objects.

The digest covers what stat() says of everything that an archive holds: refs,
packs, directories of loose objects, reflogs, hooks, settings. Git replaces
files by renaming, so a change has another inode, size or time; users make hooks
executable. Symbolic links are followed where Git finds refs, reflogs and
objects. Of alternates, only their places count: what they get is no change.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import subprocess
import time
from typing import Callable, Iterator, NamedTuple, Optional

from .discover import git_directory, is_git_directory, is_hidden
from .regular import open_regular
from .text import quoted

# Two changes within one tick of the clock of a file system look alike.
RACY_SECONDS = 2.0

_PASSING = frozenset((
    b"objects", b"modules", b"index", b"gc.pid", b"gc.log", b"COMMIT_EDITMSG",
    b"FETCH_HEAD", b"ORIG_HEAD", b"fsmonitor--daemon.ipc"))
# What an archive holds of other directories, convert does not read through links.
_FOLLOWED = frozenset((b"refs", b"logs", b"reftable", b"worktrees", b"objects"))
# A link may lead to a whole file system.
_MOST_FILES = 10_000_000
_MOST_ALTERNATES = 5
_SHOW_REF_SECONDS = 3600.0


class _Seen(NamedTuple):
    """What stat() says of a file.

    changed: nanoseconds
    executable: by its owner; an archive holds no other right
    """

    size: int
    changed: int
    inode: int
    executable: bool


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
        if is_hidden(path):
            return Scan("", False, 0, b"", f"'{quoted(path)}' is hidden from Git by the '.git' in "
                                           "it; move that away")
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
        hasher.update(b"%d %d %d" % status[:3])
        hasher.update(b" x\n" if status.executable else b"\n")
        newest = max(newest, status.changed / 1e9)
    for line in _alternates(os.path.join(directory, b"objects")):
        hasher.update(b"alternate %b\0" % line)
    return hasher.hexdigest(), newest


def _entries(directory: bytes) -> Iterator[tuple[bytes, _Seen]]:
    for name, entry in _files(directory, _is_passing):
        # A link of Git's own, such as packed-refs, or in what Git follows.
        yield from _stat_of(entry, name, followed=b"/" not in name or _is_followed(name))
    for entry in _list(os.path.join(directory, b"objects")):
        if entry.name == b"pack":
            # Git takes a pack of any name.
            for pack in _list(entry.path):
                yield from _stat_of(pack, b"objects/pack/" + pack.name, followed=True)
        elif len(entry.name) == 2:
            status = _status(entry)
            if status is not None:
                yield b"objects/" + entry.name, _Seen(0, status.st_mtime_ns, 0, False)


def _is_passing(name: bytes) -> bool:
    below, last = os.path.split(name)
    return (last.endswith(b".lock") or name in _PASSING
            or (below == b"hooks" and last.endswith(b".sample")))


def _is_followed(name: bytes) -> bool:
    return name.split(b"/", 1)[0] in _FOLLOWED


def _files(directory: bytes,
           skipped: Callable[[bytes], bool]) -> Iterator[tuple[bytes, os.DirEntry[bytes]]]:
    """What is below a git directory and is no directory, with its name there.

    Visits each directory once. Raises OSError, also if there are too many files.
    """
    visited: set[tuple[int, int]] = set()
    listed = 0
    stack = [b""]
    while stack:
        below = stack.pop()
        path = os.path.join(directory, below)
        if _is_followed(below) and not _is_new(path, visited):
            continue
        entries = _list(path)
        listed += len(entries)
        if listed > _MOST_FILES:
            raise OSError(errno.EFBIG, f"more than {_MOST_FILES:,} files")
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = os.path.join(below, entry.name)
            if skipped(name):
                continue
            if _is_directory(entry, followed=_is_followed(name)):
                stack.append(name)
            else:
                yield name, entry


def _is_new(path: bytes, visited: set[tuple[int, int]]) -> bool:
    """Whether a directory was not visited yet; now it is."""
    try:
        status = os.stat(path)
    except FileNotFoundError:  # Removed meanwhile.
        return False
    identity = (status.st_dev, status.st_ino)
    if identity in visited:
        return False
    visited.add(identity)
    return True


def _is_directory(entry: os.DirEntry[bytes], *, followed: bool) -> bool:
    if not followed or not entry.is_symlink():
        return entry.is_dir(follow_symlinks=False)
    status = _status(entry)
    return status is not None and stat.S_ISDIR(status.st_mode)


def _list(path: bytes) -> list[os.DirEntry[bytes]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _status(entry: os.DirEntry[bytes]) -> Optional[os.stat_result]:
    """The status of what an entry leads to; None if that is nothing."""
    try:
        return entry.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise


def _stat_of(entry: os.DirEntry[bytes], name: bytes, *,
             followed: bool) -> Iterator[tuple[bytes, _Seen]]:
    """What a file is, and if it is a link, what the link leads to."""
    try:
        status: Optional[os.stat_result] = entry.stat(follow_symlinks=False)
    except FileNotFoundError:  # Renamed or removed meanwhile.
        return
    while status is not None:
        yield name, _Seen(status.st_size, status.st_mtime_ns, status.st_ino,
                          stat.S_ISREG(status.st_mode) and bool(status.st_mode & stat.S_IXUSR))
        linked = followed and stat.S_ISLNK(status.st_mode)
        status = _status(entry) if linked else None
        if status is not None and stat.S_ISDIR(status.st_mode):
            return
        name += b"/."


def measure(directory: bytes) -> int:
    """Bytes of all files in the git directory."""
    total = 0
    for _, entry in _files(directory, lambda name: False):
        status = _status(entry)
        if status is not None and stat.S_ISREG(status.st_mode):
            total += status.st_size
    return total


def _alternates(objects: bytes) -> list[bytes]:
    try:
        with open(os.path.join(objects, b"info", b"alternates"), "rb",
                  opener=open_regular) as file:
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
    """SHA-1 of the output of git show-ref, as grokmirror; None if Git fails or hangs."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "--git-dir", git_directory(path), "show-ref"],
                              env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                              timeout=_SHOW_REF_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    # git show-ref says 1 if there are no refs.
    return hashlib.sha1(done.stdout).hexdigest() if done.returncode in (0, 1) else None
