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
from .log import ChangedFile, Commit, Signature
from .operations import (Consolidated, Path as _Path, Paths as _Paths, Progress, Report,
                         consolidate, convert, restore, verify)
from .search import HistoryMatch, Match, MatchingBlob

__version__: str = _version()
__all__ = ["Archive", "ChangedFile", "Commit", "Consolidated", "Error", "HistoryMatch", "Match",
           "MatchingBlob", "Object", "ObjectIterator", "Progress", "Ref", "Report", "Signature",
           "consolidate", "convert", "errors", "open", "restore", "verify"]


def open(path: _Path, *, cache_size: int = 256 << 20,  # pylint: disable=redefined-builtin
         backing: _Paths = ()) -> Archive:
    """Opens the file `path`. Keeps `cache_size` bytes of decoded data.

    backing: a file or directory, or several, in which the files that it depends on are looked for, if
        they are not beside it
    """
    return Archive(path, cache_size=cache_size, backing=backing)


