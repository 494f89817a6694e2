# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of failures, and which of them are worth another try."""

from __future__ import annotations

import enum
import errno
import os
import re
from typing import Optional

from .text import quoted


class Kind(enum.Enum):
    """Why a repository could not be archived, checked or restored."""

    SOURCE_BROKEN = "source broken"
    SOURCE_CHANGED = "source changed meanwhile"
    NO_SPACE = "no space"
    MEMORY = "killed by memory"
    NETWORK = "network"
    STORAGE = "storage"
    DAMAGED = "archive damaged"
    WORKER_LOST = "worker lost"
    TIME = "time limit"
    PROGRAM = "program"
    NOT_REACHED = "not reached"


# Another try helps if what failed may be different in a minute.
RETRIED = frozenset((Kind.SOURCE_CHANGED, Kind.NO_SPACE, Kind.MEMORY, Kind.NETWORK,
                     Kind.STORAGE, Kind.WORKER_LOST))


class Failure(Exception):
    """A failure whose kind is known. Its text is one sentence."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NETWORK = (errno.ECONNRESET, errno.ECONNREFUSED, errno.ECONNABORTED, errno.ETIMEDOUT,
            errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EPIPE, errno.ENETDOWN,
            errno.EHOSTDOWN)
_NETWORK_NAMES = re.compile(
    r"Timeout|Connection|Endpoint|SSH|Socket|Throttl|SlowDown|ServerDisconnected|"
    r"IncompleteRead|HTTPClientError|gaierror")
_NO_SPACE_TEXT = re.compile(r"No space left on device|Disk quota exceeded|file too large", re.I)
_MEMORY_TEXT = re.compile(r"out of memory|Cannot allocate memory", re.I)


def of_exception(error: BaseException) -> Failure:
    """The failure that an exception of the storage or the system stands for."""
    if isinstance(error, Failure):
        return error
    text = text_of(error)
    number = error.errno if isinstance(error, OSError) else None
    if number in _NO_SPACE or _NO_SPACE_TEXT.search(text):
        return Failure(Kind.NO_SPACE, text)
    if isinstance(error, MemoryError):
        return Failure(Kind.MEMORY, text)
    chain: Optional[BaseException] = error
    while chain is not None:
        if _is_network(chain):
            return Failure(Kind.NETWORK, text)
        chain = chain.__cause__ or chain.__context__
    return Failure(Kind.STORAGE, text)


def text_of(error: BaseException) -> str:
    """What an exception says: of the system's, the error and the file; of others, the class too."""
    if not isinstance(error, OSError):
        return f"{type(error).__name__}: {error}"
    text = error.strerror or str(error) or type(error).__name__
    if isinstance(error.filename, (str, bytes)):
        return f"'{quoted(os.fsencode(error.filename))}': {text}"
    return text


def _is_network(error: BaseException) -> bool:
    if isinstance(error, (ConnectionError, TimeoutError)):
        return True
    if isinstance(error, OSError) and error.errno in _NETWORK:
        return True
    return any(_NETWORK_NAMES.search(cls.__name__) for cls in type(error).__mro__)


def of_program(status: int, message: str) -> Failure:
    """The failure of git-zpack that ended with this status and message.

    status: as subprocess gives it, negative for a signal
    """
    if status == -9:
        return Failure(Kind.MEMORY, "git-zpack was killed (signal 9), probably for its memory")
    if status < 0:
        return Failure(Kind.WORKER_LOST, f"git-zpack was ended by signal {-status}")
    if _NO_SPACE_TEXT.search(message):
        return Failure(Kind.NO_SPACE, message)
    if _MEMORY_TEXT.search(message):
        return Failure(Kind.MEMORY, message)
    if status in (126, 127, 129):
        return Failure(Kind.PROGRAM, message)
    return Failure(Kind.SOURCE_BROKEN, message)


def delay(attempt: int, first: float) -> float:
    """Seconds to wait before a try: first, then four times as long each time."""
    return min(first * 4.0 ** max(0, attempt - 1), 600.0)
