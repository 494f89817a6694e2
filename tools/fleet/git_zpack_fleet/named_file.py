# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files that a user names to have something written to them."""

from __future__ import annotations

import os
import stat
import tempfile
from typing import Optional

from .session import Fatal
from .text import quoted


def write_file(target: str, content: bytes) -> None:
    """Replaces a file when all is written; writes into what is no regular file.

    Links are followed. A new file honours the umask, an old one keeps its mode.
    Raises Fatal.
    """
    try:
        old = _status(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            _write(target, content)
        else:
            _replace(target, content, old)
    except OSError as error:
        name = quoted(os.fsencode(target))
        raise Fatal(f"unable to create '{name}': {error.strerror or error}") from error


def _status(path: str) -> Optional[os.stat_result]:
    for follow in (True, False):  # A link that leads nowhere stands for itself.
        try:
            return os.stat(path, follow_symlinks=follow)
        except OSError:
            continue
    return None


def _replace(target: str, content: bytes, old: Optional[os.stat_result]) -> None:
    path = target if old is None else os.path.realpath(target)
    parent = os.path.dirname(path) or os.curdir
    with tempfile.TemporaryDirectory(dir=parent, prefix=".git-zpack-fleet-") as directory:
        partial = os.path.join(directory, "partial")
        _write(partial, content)
        if old is not None:
            os.chmod(partial, stat.S_IMODE(old.st_mode))
        os.replace(partial, path)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
