# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Which files of the store depend on which others, and what families need to know.

Every file that an archive needs has a row, also a file whose archive the record
lost: a receipt names all of them.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

from .records import HASH, MOST_FILES, Link, NewArchive, is_valid, parse_chain
from .store import archive_key

Select = Callable[[str, Sequence[Any]], Iterator[tuple[Any, ...]]]

_BELOW = f"""
WITH RECURSIVE chain(hash, size, onto, damage, depth) AS (
  SELECT hash, size, onto, damage, 0 FROM files WHERE hash = ?
  UNION ALL
  SELECT f.hash, f.size, f.onto, f.damage, depth + 1
  FROM files f JOIN chain c ON f.hash = c.onto WHERE depth <= {MOST_FILES})
SELECT hash, size, onto, damage FROM chain ORDER BY depth"""


class _FileRow(NamedTuple):
    hash: str
    size: int
    onto: Optional[str]
    damage: Optional[str]


class _SketchRow(NamedTuple):
    repository: int
    commits: int
    content: bytes


class Chains:
    """Reads what the record knows of files, sketches and repositories that are apart."""

    def __init__(self, select: Select, damaged: Callable[[str], Exception]) -> None:
        self._select = select
        self._damaged = damaged

    def below(self, content_hash: str) -> tuple[Link, ...]:
        """The files that a file depends on, the nearest first."""
        rows = [self._file(row) for row in self._select(_BELOW, (content_hash,))]
        if len(rows) > MOST_FILES or (rows and rows[-1].onto is not None):
            raise self._damaged(f"the files below {content_hash[:12]} are no chain")
        return tuple(Link(row.hash, row.size) for row in rows[1:])

    def needed(self, hashes: Iterable[str]) -> set[str]:
        """The files that any of these files depend on."""
        onto = self.dependencies()
        found: set[str] = set()
        for content_hash in hashes:
            below = onto.get(content_hash)
            while below is not None and below not in found:
                found.add(below)
                below = onto.get(below)
        return found

    def needed_bytes(self, hashes: Iterable[str]) -> int:
        """The bytes of the files on which these depend, without these themselves."""
        hashes = set(hashes)
        needed = self.needed(hashes) - hashes
        if not needed:
            return 0
        rows = self._select("SELECT hash, size, onto, damage FROM files", ())
        return sum(row.size for row in map(self._file, rows) if row.hash in needed)

    def undamaged(self, hashes: Iterable[str]) -> list[Link]:
        """Those of these files, and of the files on which they depend, that have no damage."""
        hashes = set(hashes)
        hashes |= self.needed(hashes)
        rows = self._select("SELECT hash, size, onto, damage FROM files", ())
        return [Link(row.hash, row.size) for row in map(self._file, rows)
                if row.hash in hashes and row.damage is None]

    def broken(self, lost: Mapping[str, str]) -> dict[str, str]:
        """Why lost files, and files that depend on a lost or damaged file, cannot be read."""
        damaged = {row.hash: row.damage for row in map(self._file, self._select(
            "SELECT hash, size, onto, damage FROM files WHERE damage IS NOT NULL", ()))}
        damaged.update(lost)
        if not damaged:
            return {}
        above: dict[str, list[str]] = {}
        for content_hash, onto in self.dependencies().items():
            above.setdefault(onto, []).append(content_hash)
        broken = dict(lost)
        for content_hash, damage in damaged.items():
            why = f"depends on '{archive_key(content_hash)}': {damage}"
            left = list(above.get(content_hash, ()))
            while left:
                upper = left.pop()
                if upper not in broken:
                    broken[upper] = why
                    left += above.get(upper, ())
        return broken

    def dependencies(self) -> dict[str, str]:
        """Each file that depends on another one, and that one."""
        onto: dict[str, str] = dict(self._select(
            "SELECT hash, onto FROM files WHERE onto IS NOT NULL", ()))
        if _has_circle(onto):
            raise self._damaged("files depend on each other in a circle")
        return onto

    def owners(self) -> dict[str, set[int]]:
        """The repositories that have a file as an archive."""
        found: dict[str, set[int]] = {}
        for content_hash, number in self._select("SELECT hash, repository FROM archives", ()):
            found.setdefault(content_hash, set()).add(number)
        return found

    def own(self, repository: int, chain: Sequence[Link]) -> int:
        """How many of the first files of a chain no other repository has alone."""
        marks = ", ".join("?" * len(chain))
        others = {content_hash for content_hash, mine in self._select(
            "SELECT hash, MAX(repository = ?) FROM archives "
            f"WHERE hash IN ({marks}) GROUP BY hash",
            (repository, *(link.hash for link in chain))) if not mine}
        return next((index for index, link in enumerate(chain) if link.hash in others),
                    len(chain))

    def shared(self) -> set[str]:
        """The files on which archives of several repositories depend."""
        owners = self.owners()
        onto = self.dependencies()
        found: set[str] = set()
        for content_hash, below in onto.items():
            if not owners.get(content_hash, set()) <= owners.get(below, set()):
                found.add(below)
        return found | self.needed(found)

    def sketches(self) -> Iterator[tuple[int, int, bytes]]:
        """The sketches of repositories: number, commits, content."""
        for row in self._select("SELECT repository, commits, content FROM sketches", ()):
            if not is_valid(_SketchRow, row):
                raise self._damaged("a row of 'sketches' has values that cannot be")
            yield _SketchRow(*row)

    def cold(self) -> set[str]:
        """The files that were encoded again with the profile cold."""
        return {content_hash for content_hash, in self._select("SELECT hash FROM cold", ())}

    def apart(self) -> set[int]:
        """The repositories that belong to no family."""
        return {number for number, in self._select("SELECT repository FROM apart", ())}

    def from_source(self) -> set[int]:
        """The repositories whose next archive has nothing of an older one."""
        return {number for number, in self._select("SELECT repository FROM from_source", ())}

    def _file(self, row: Sequence[Any]) -> _FileRow:
        if not is_valid(_FileRow, row) or not (row[2] is None or HASH.fullmatch(row[2])):
            raise self._damaged("a row of 'files' has values that cannot be")
        return _FileRow(*row)


def _has_circle(onto: Mapping[str, str]) -> bool:
    seen: set[str] = set()
    for start in onto:
        chain: set[str] = set()
        at = start
        while at in onto and at not in seen:
            seen.add(at)
            chain.add(at)
            at = onto[at]
        if at in chain:
            return True
    return False


def insert_files(database: sqlite3.Connection, archive: NewArchive) -> None:
    """Records an archive that was written or read back just now, and what it needs."""
    links = (Link(archive.hash, archive.size), *parse_chain(archive.chain))
    lower = (*(link.hash for link in links[1:]), None)
    database.executemany(
        "INSERT INTO files(hash, size, onto) VALUES(?, ?, ?) ON CONFLICT(hash) DO NOTHING",
        [(*link, onto) for link, onto in zip(links, lower)])
    database.execute("UPDATE files SET damage = NULL WHERE hash = ?", (archive.hash,))
