# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Lines on standard output and standard error."""

from __future__ import annotations

import contextlib
import errno
import os
import sys


class Unwritable(Exception):
    """Standard output cannot be written. The text says why.

    unread: because whoever read it has ended
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(f"write failure on standard output: {error.strerror}")
        self.unread = error.errno == errno.EPIPE


def tell(text: str, end: str = "\n") -> None:
    """Writes to standard output, now. Raises Unwritable."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        print(text, end=end, flush=True)
    except OSError as error:
        # What could not be written would be tried again when the program ends.
        sys.stdout = None
        raise Unwritable(error) from error


def say(message: str, end: str = "\n") -> None:
    """Writes to standard error, if that can be written: what a run does counts more."""
    with contextlib.suppress(OSError):
        print(message, end=end, file=sys.stderr, flush=True)
