# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The files that an archive depends on, at hand on this machine.

Files of a local store stay where they are. Files of another store are fetched
once for all workers of the machine, to a directory in the scratch directory.
They may stay there for the next run, but take no space that is needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import uuid
from typing import Iterator, Sequence

from .failures import Failure, Kind
from .jobs import Settings
from .place import hash_file, locked, remove, scratch_of, store_of
from .records import Link
from .space import free_bytes, reserved
from .store import Store, archive_key

_FOLDER = "backing"
_MARGIN = 1 << 20
_UNUSED_SECONDS = 7 * 86400.0
# Files whose bytes this process has compared with their name, and how they looked then.
_right: dict[str, tuple[int, ...]] = {}


class Unusable(Failure):
    """A file that is needed is missing from the store, or is damaged there."""

    def __init__(self, content_hash: str, why: str) -> None:
        super().__init__(Kind.DAMAGED, f"needs '{archive_key(content_hash)}', which {why}")
        self.content_hash = content_hash
        self.why = why


MISSING = "is missing from the store"
WRONG = "does not have the hash that is its name"


@contextlib.contextmanager
def at_hand(links: Sequence[Link], settings: Settings, *, proven: bool) -> Iterator[list[str]]:
    """The paths of files of the store, which nobody removes meanwhile.

    proven: the bytes of all are compared with their names; otherwise only their sizes
    Raises Unusable, and what the store raises.
    """
    store = store_of(settings)
    if store.is_local:
        yield [_local(store, link, proven=proven) for link in links]
        return
    with contextlib.ExitStack() as held:
        directory = _directory(settings)
        missing = sum(link.size for link in links
                      if not os.path.exists(os.path.join(directory, _name(link))))
        with reserved_space(settings, missing):
            paths = [held.enter_context(_fetched(store, directory, link)) for link in links]
        yield paths


def options(paths: Sequence[str]) -> list[str]:
    """Options of git-zpack that say where files are."""
    return [word for path in paths for word in ("--backing", path)]


@contextlib.contextmanager
def reserved_space(settings: Settings, size: int) -> Iterator[None]:
    """Holds space and a margin in the scratch directory; removes kept files in the way."""
    scratch = scratch_of(settings, store_of(settings))
    with reserved(scratch, size + _MARGIN, settings.patience, lambda: _remove_oldest(scratch)):
        yield


@contextlib.contextmanager
def place_for(link: Link, settings: Settings) -> Iterator[str]:
    """The path of a file that one task fetches for itself, which ends with the block.

    If the process is killed, what is left is a kept file that nobody uses.
    """
    path = os.path.join(_directory(settings), f"{link.hash}.{uuid.uuid4().hex}.zpack")
    with locked(_lock_of(path)):
        try:
            yield path
        finally:
            remove(path)
            remove(_lock_of(path))


def keep(path: str, link: Link, settings: Settings) -> None:
    """Moves a file that is in the store to the kept ones: others may depend on it."""
    directory = _directory(settings)
    kept = os.path.join(directory, _name(link))
    with locked(_lock_of(kept)):
        os.replace(path, kept)
        _right[kept] = _identity(kept)
    tidy(settings)


def tidy(settings: Settings) -> None:
    """Removes kept files that nobody has used for a week, or that take too much space.

    All together take at most half of what is free without them.
    """
    scratch = scratch_of(settings, store_of(settings))
    files = _kept(scratch)
    total = sum(size for _, size, _ in files)
    for used, size, path in files:
        if used > time.time() - _UNUSED_SECONDS and total <= free_bytes(scratch):
            return
        if _remove_unused(path):
            total -= size


def _local(store: Store, link: Link, *, proven: bool) -> str:
    path = store.local_path(archive_key(link.hash))
    try:
        status = os.stat(path)
        if not os.path.isfile(path):
            raise Unusable(link.hash, MISSING)
        seen = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if status.st_size != link.size:
            raise Unusable(link.hash, WRONG)
        if proven and _right.get(path) != seen:
            if store.hash_of(archive_key(link.hash)) != link.hash:
                raise Unusable(link.hash, WRONG)
            _right[path] = seen
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Unusable(link.hash, MISSING) from error
    except OSError as error:
        if os.path.islink(path):  # A loop.
            raise Unusable(link.hash, MISSING) from error
        raise
    return path


@contextlib.contextmanager
def _fetched(store: Store, directory: str, link: Link) -> Iterator[str]:
    path = os.path.join(directory, _name(link))
    while True:
        with locked(_lock_of(path)):
            if not _is_right(path, link):
                _fetch(store, path, link)
        # Another task may remove the file between the two locks.
        with locked(_lock_of(path), fcntl.LOCK_SH):
            if _is_right(path, link):
                os.utime(path)
                yield path
                return


def _fetch(store: Store, path: str, link: Link) -> None:
    partial = path.removesuffix(".zpack") + ".part"
    try:
        store.fetch(link.hash, partial)
        os.replace(partial, path)
        _right[path] = _identity(path)
    except FileNotFoundError as error:
        raise Unusable(link.hash, MISSING) from error
    except Failure as failure:
        if failure.kind is not Kind.DAMAGED:
            raise
        raise Unusable(link.hash, WRONG) from failure
    finally:
        remove(partial)


def _is_right(path: str, link: Link) -> bool:
    """Whether a kept file is whole: it was not synced, and the machine may have died."""
    if not os.path.exists(path) or os.path.getsize(path) != link.size:
        return False
    if _right.get(path) != _identity(path):
        if hash_file(path) != link.hash:
            return False
        _right[path] = _identity(path)
    return True


def _identity(path: str) -> tuple[int, ...]:
    status = os.stat(path)
    return status.st_ino, status.st_size


def _name(link: Link) -> str:
    return link.hash + ".zpack"


def _directory(settings: Settings) -> str:
    directory = os.path.join(scratch_of(settings, store_of(settings)), _FOLDER)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory


def _lock_of(path: str) -> str:
    return os.path.splitext(path)[0] + ".lock"


def _kept(scratch: str) -> list[tuple[float, int, str]]:
    """Time of last use, bytes and path of kept files, the longest unused first."""
    found = []
    with contextlib.suppress(FileNotFoundError), os.scandir(
            os.path.join(scratch, _FOLDER)) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                if not entry.name.endswith(".lock"):
                    status = entry.stat()
                    found.append((status.st_mtime, status.st_size, entry.path))
    return sorted(found)


def _remove_oldest(scratch: str) -> bool:
    return any(_remove_unused(path) for _, _, path in _kept(scratch))


def _remove_unused(path: str) -> bool:
    """Removes a kept file, or what is left of a fetch, unless a task uses it."""
    try:
        with locked(_lock_of(path), fcntl.LOCK_EX | fcntl.LOCK_NB):
            remove(path)
            remove(_lock_of(path))
            return True
    except BlockingIOError:
        return False
