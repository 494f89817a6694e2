# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: one exception for each kind of error."""

from __future__ import annotations


class Error(Exception):
    """An error of the library.

    message: complete, and safe to print
    path: the file that it is about, or None
    object: id of the object that it is about, in hexadecimal, or None
    offset: of the damaged part in the file, in bytes, or None
    """

    def __init__(self, message: bytes | str, path: bytes | str = "",
                 object: str | None = None, offset: int | None = None):
        self.message = _text(message)
        self.path = _text(path) or None
        self.object = object
        self.offset = offset
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError has one that quotes.
        return self.message


class IOError(Error, OSError):  # pylint: disable=redefined-builtin
    """The system refused a read, write or rename."""


class NotDurableError(Error):
    """The result is complete, but its directory could not be synced."""


class CorruptError(Error):
    """The file contradicts its format, or an object its id."""


class UnsupportedError(Error):
    """Valid, but not for this version."""


class NotFoundError(Error, KeyError):
    """No such object, ref, file or repository."""


class AmbiguousError(Error, LookupError):
    """An abbreviated id fits several objects."""


class InvalidArgumentError(Error, ValueError):
    """An argument, or a combination of arguments, is not allowed."""


class ExistsError(Error):
    """The destination exists already, or is being written."""


class LimitExceededError(Error):
    """A size in the file is above a limit."""


class MismatchError(Error):
    """What was read back differs from the source."""


class SourceCorruptError(Error):
    """An object of the repository is missing or damaged."""


class InterruptedError(Error):  # pylint: disable=redefined-builtin
    """The operation was stopped, or a signal ended an iterator of another thread."""


class GitError(Error):
    """libgit2 refused the repository."""


class OutOfMemoryError(Error, MemoryError):
    """The system gave no memory."""


class InternalError(Error):
    """A bug in the library."""


_TYPES = {
    "io": IOError,
    "not-durable": NotDurableError,
    "corrupt": CorruptError,
    "unsupported": UnsupportedError,
    "not-found": NotFoundError,
    "ambiguous": AmbiguousError,
    "invalid-argument": InvalidArgumentError,
    "exists": ExistsError,
    "limit-exceeded": LimitExceededError,
    "mismatch": MismatchError,
    "source-corrupt": SourceCorruptError,
    "interrupted": InterruptedError,
    "git": GitError,
    "out-of-memory": OutOfMemoryError,
    "internal": InternalError,
}


def type_of(code: str) -> type[Error]:
    """The exception that stands for an error code of the library."""
    return _TYPES[code]


def _text(value: bytes | str) -> str:
    if isinstance(value, str):
        return value
    return value.decode("utf-8", "surrogateescape")
