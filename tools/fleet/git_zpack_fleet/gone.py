# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What earlier runs of archive have seen, and this one does not see any more."""

from __future__ import annotations

import os
from typing import Collection, Container, Iterable, Sequence

from .discover import git_directory, is_at_or_below, resembles_git_directory
from .jobs import Settings
from .manifest import Manifest
from .output import say
from .records import RepositoryRow
from .store import Store
from .text import counted, quoted, without_secrets


def tell_gone(manifest: Manifest, root: bytes, seen: Collection[bytes], doubt: str) -> bool:
    """Says which archived repositories are no longer below the root; false if all are.

    seen: paths of this run
    doubt: what to ask if all are gone
    """
    gone: list[RepositoryRow] = []
    places: list[RepositoryRow] = []
    for row in manifest.repositories():
        if is_at_or_below(row.path, root) and row.path not in seen:
            (places if row.archive is None and row.is_unreached() else gone).append(row)
    if any(is_at_or_below(path, root) for path in seen):
        archived = [row for row in gone if row.archive is not None]
        if archived:
            say(f"warning: gone: {counted(len(archived))} below '{quoted(root)}', such as "
                f"'{quoted(archived[0].name)}'; the archives stay")
        return True
    # A file system that is not mounted must not look like a safe one.
    gone += [row for row in places if not _is_there(row.path, root)]
    if gone:
        say(f"error: none is left of {counted(len(gone))} below '{quoted(root)}'; {doubt}")
    return not gone


def _is_there(place: bytes, root: bytes) -> bool:
    """Whether a walk of the root looked at the place; a root that is empty hides what it is."""
    return bool(os.listdir(root)) if place == root else os.path.lexists(place)


def forget_gone(manifest: Manifest, settings: Settings, seen: Container[bytes],
                roots: Sequence[bytes], unread: Sequence[bytes]) -> None:
    """Forgets places and repositories that were never archived and are not there any more.

    seen: paths of this run
    roots: directories that this run has looked into
    unread: places that it has not reached
    """
    rows = list(manifest.repositories())
    gone = [row for row in rows if row.archive is None and row.path not in seen
            and not _is_at_or_below_any(row.path, unread) and _is_gone(row, rows)
            and (_has_neighbours(row.path) or (_is_at_or_below_any(row.path, roots)
                                               and not _may_be_unmounted(row.path)))]
    # One with a receipt has an archive that was not recorded.
    gone = [row for row in gone if not _has_receipt(row, settings)]
    told = [row for row in gone if not row.is_unreached()]
    if told:
        say(f"warning: gone: {counted(len(told))} that had no archive, such as "
            f"'{quoted(told[0].name)}'")
    manifest.forget(row.id for row in gone)


def _has_receipt(row: RepositoryRow, settings: Settings) -> bool:
    """Whether the store may have a receipt of a repository."""
    try:
        return Store(settings.url, settings.options).read_receipt(row.path) is not None
    except Exception as error:  # pylint: disable=broad-except
        say(f"warning: cannot read the receipt of '{quoted(row.name)}': "
            f"{without_secrets(str(error), settings.url)}")
        return True


def _is_at_or_below_any(path: bytes, roots: Iterable[bytes]) -> bool:
    return any(is_at_or_below(path, root) for root in roots)


def _is_gone(row: RepositoryRow, rows: Iterable[RepositoryRow]) -> bool:
    """Whether nothing is where a repository was that had no archive."""
    try:
        if row.is_unreached():
            os.lstat(row.path)
            return False
        os.scandir(row.path).close()
        return not resembles_git_directory(git_directory(row.path))
    except (FileNotFoundError, NotADirectoryError):
        # If it was a root, others were below it.
        return not any(is_at_or_below(other.path, row.path) for other in rows if other != row)
    except OSError:
        return False


def _may_be_unmounted(path: bytes) -> bool:
    """Whether the nearest directory above a path that is there is empty."""
    above = os.path.dirname(path)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    try:
        return not os.listdir(above)
    except OSError:
        return True


def _has_neighbours(path: bytes) -> bool:
    """Whether something is in the directory of a path: a file system that is not mounted has
    an empty one, or none."""
    try:
        return bool(os.listdir(os.path.dirname(path)))
    except OSError:
        return False
