# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Where the tasks of a worker keep their files, and what they note there."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
from typing import Any, Iterator, NamedTuple, Optional

from .failures import Failure, Kind
from .jobs import Settings
from .records import NewArchive, is_valid, parse_chain
from .store import Store
from .text import parse_json

_stores: dict[str, Store] = {}
_LIMIT_OF_NOTE = 1 << 16
# What notes and receipts of earlier versions of this program lack.
_ADDED: dict[str, Any] = {"chain": ""}


class Place(NamedTuple):
    """Where a task keeps its files, and the descriptor that locks them.

    draft, joined: files that no later run continues
    """

    archive: str
    note: str
    base: str
    draft: str
    joined: str
    lock: int

    def clear(self) -> None:
        """Removes what the task has left."""
        for path in (self.archive, self.note, self.base, self.draft, self.joined):
            remove(path)
            remove(temporary(path))


def store_of(settings: Settings) -> Store:
    """The store; connections are kept for the next task."""
    key = repr((settings.url, settings.options))
    if key not in _stores:
        _stores[key] = Store(settings.url, settings.options)
    return _stores[key]


def scratch_of(settings: Settings, store: Store) -> str:
    """The directory for temporary files on this machine; made if needed."""
    if settings.scratch is not None:
        directory = settings.scratch
    elif store.is_local:
        directory = store.local_path("scratch")
    else:
        directory = os.path.join(tempfile.gettempdir(), f"git-zpack-fleet-{os.getuid()}")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    if os.stat(directory).st_uid != os.getuid():
        raise Failure(Kind.PROGRAM, f"directory '{directory}' belongs to another user")
    return directory


@contextlib.contextmanager
def locked_place(settings: Settings, path: bytes) -> Iterator[Place]:
    """Locks the files of one repository; waits for a task that still runs."""
    directory = scratch_of(settings, store_of(settings))
    stem = os.path.join(directory, hashlib.sha256(path).hexdigest())
    with locked(stem + ".lock") as lock:
        try:
            yield Place(stem + ".zpack", stem + ".json", stem + ".base",
                        stem + ".draft.zpack", stem + ".joined.zpack", lock)
        finally:
            remove(stem + ".lock")


@contextlib.contextmanager
def locked(path: str, operation: int = fcntl.LOCK_EX) -> Iterator[int]:
    """Locks a file, which is made if needed; who has it alone may remove it.

    operation: as of flock(); raises BlockingIOError only if that says so
    """
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, operation)
            if os.path.exists(path) and os.path.samestat(os.fstat(lock), os.stat(path)):
                yield lock
                return
        finally:
            os.close(lock)


def hash_file(path: str) -> str:
    """The name of a file in the store."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def valid_note(note: Optional[dict[str, Any]]) -> Optional[NewArchive]:
    """The archive that a note or a receipt is about; None if it is damaged."""
    if note is None or set(_ADDED | note) != set(NewArchive._fields):
        return None  # Of another version of this program.
    made = NewArchive(**(_ADDED | note))
    if not is_valid(NewArchive, made):
        return None
    try:
        parse_chain(made.chain)
    except ValueError:
        return None
    return made


def read_note(path: str) -> Optional[dict[str, Any]]:
    """What a task of this machine has written when its archive was complete, or None."""
    try:
        with open(path, encoding="utf-8") as file:
            note = parse_json(file.read(_LIMIT_OF_NOTE))
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) else None


def write_note(path: str, made: NewArchive) -> None:
    """Notes that an archive is complete."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(made._asdict(), file)
    os.replace(path + ".new", path)


def temporary(path: str) -> str:
    """What git-zpack calls a file until it is complete."""
    directory, name = os.path.split(path)
    return os.path.join(directory, f".{name}.zpack-tmp")


def remove(path: str) -> None:
    """Removes a file, which may be gone."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
