# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Reads .zpack files, and makes, verifies and restores them.

    import zpack

    with zpack.open("project.zpack") as archive:
        commit = archive["HEAD"]
        print(bytes(commit).decode())
"""

from __future__ import annotations

from . import errors
from ._zpack import Archive, Object, ObjectIterator, Ref
from ._zpack import version as _version
from .errors import Error
from .operations import Path as _Path, Progress, Report, convert, restore, verify

__version__: str = _version()
__all__ = ["Archive", "Error", "Object", "ObjectIterator", "Progress", "Ref",
           "Report", "convert", "errors", "open", "restore", "verify"]


def open(path: _Path, *, cache_size: int = 256 << 20) -> Archive:  # pylint: disable=redefined-builtin
    """Opens the file `path`. Keeps `cache_size` bytes of decoded data."""
    return Archive(path, cache_size=cache_size)


