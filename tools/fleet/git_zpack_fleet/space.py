# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Disk space of a directory, shared by the processes that write there.

A task says before it begins how many bytes it may write. The ledger is a file
beside what is written; the kernel's lock of it ends with the process.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import time
from typing import Any, Callable, Iterator

from .failures import Failure, Kind
from .database import process_birth
from .text import parse_json, size_text

_LEDGER = "space.json"
_POLL_SECONDS = 0.5
# What a file system needs for itself and for the record.
_MARGIN = 8 << 20


@contextlib.contextmanager
def reserved(directory: str, size: int, patience: float,
             spare: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Holds size bytes of the file system of a directory.

    Waits up to patience seconds while other processes hold what is missing.
    spare: removes something that is not needed; false if there is nothing
    Raises Failure(NO_SPACE) if the space is not there.
    """
    name = f"{os.getpid()} {time.monotonic_ns()}"
    deadline = time.monotonic() + patience
    while not _try_reserve(directory, name, size, spare):
        if time.monotonic() > deadline:
            raise Failure(Kind.NO_SPACE, f"no space in '{directory}': other tasks hold it")
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        with _ledger(directory) as entries:
            entries.pop(name, None)


def _try_reserve(directory: str, name: str, size: int, spare: Callable[[], bool]) -> bool:
    with _ledger(directory) as entries:
        for other in [key for key, entry in entries.items()
                      if process_birth(int(key.split()[0])) != entry[1]]:
            del entries[other]
        held = sum(entry[0] for entry in entries.values())
        needed = size + _MARGIN
        while needed + held > (free := free_bytes(directory)) and spare():
            pass
        if needed + held > free:
            if not entries:
                raise Failure(Kind.NO_SPACE, f"no space in '{directory}': {size_text(needed)} "
                                             f"needed, {size_text(_MARGIN)} of it as a reserve, "
                                             f"{size_text(free)} free")
            return False
        entries[name] = (size, process_birth(os.getpid()))
        return True


def free_bytes(directory: str) -> int:
    """What a user may still write to the file system of a directory."""
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize


@contextlib.contextmanager
def _ledger(directory: str) -> Iterator[dict[str, tuple[int, str]]]:
    path = os.path.join(directory, _LEDGER)
    with open(path, "r+b", buffering=0, opener=_open_or_create) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        content = file.read()
        try:
            entries = _valid(parse_json(content or b"{}"))
        except ValueError:
            entries = {}  # A machine died while writing; its tasks are gone.
        yield entries
        # In place, as some file systems sync a file that was truncated.
        content = json.dumps(entries).encode().ljust(len(content))
        if os.pwrite(file.fileno(), content, 0) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def _valid(entries: Any) -> dict[str, tuple[int, str]]:
    """The entries that this program can have written."""
    if not isinstance(entries, dict):
        return {}
    return {key: (value[0], value[1]) for key, value in entries.items()
            if key.partition(" ")[0].isdecimal() and isinstance(value, list) and len(value) == 2
            and isinstance(value[0], int) and isinstance(value[1], str)}


def _open_or_create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)
