# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""On which older archive a new one is made: copied blocks, an increment, or a family."""

from __future__ import annotations

import itertools
from types import MappingProxyType
from typing import Collection, Iterable, Mapping, NamedTuple, Optional

from .families import Member, bases_of
from .jobs import Join
from .manifest import Manifest
from .records import MOST_FILES, ArchiveRow, Link, RepositoryRow
from .sketch import is_packed


class Policy(NamedTuple):
    """How archives may depend on each other. By default, none does.

    increments: a changed repository gets a file that depends on its latest one
    families: forks depend on the archive of their base; includes increments
    join: when increments become one file
    cold: seconds after which an archive is encoded again as small as can be, or None
    labels: what a manifest of grokmirror says of repositories, by path
    """

    increments: bool = False
    families: bool = False
    join: Join = Join()
    cold: Optional[float] = None
    labels: Mapping[bytes, tuple[bytes, ...]] = MappingProxyType({})


class Older(NamedTuple):
    """The older archive for a new one; fields as in ArchiveJob."""

    base: Optional[str] = None
    base_size: int = 0
    below: tuple[Link, ...] = ()
    onto: bool = False
    foreign: bool = False
    own: int = 0

    def chain(self) -> tuple[Link, ...]:
        """The archive and the files that it depends on."""
        return () if self.base is None else (Link(self.base, self.base_size), *self.below)


class Planner:
    """Chooses the older archive of each repository of a run."""

    def __init__(self, manifest: Manifest, policy: Policy) -> None:
        self._manifest = manifest
        self._policy = policy
        self._bases: dict[int, int] = {}
        self._base_numbers: set[int] = set()
        self._needed: dict[int, int] = {}
        self._apart = manifest.chains.apart()
        self._from_source = manifest.chains.from_source()
        self._sketched: dict[int, tuple[int, bytes]] = {}
        self._shared = manifest.chains.shared() if policy.increments else set()

    def leaves(self, row: RepositoryRow) -> bool:
        """Whether a repository needs an archive that has nothing of another repository's."""
        if row.id in self._from_source:
            return True
        return row.id in self._apart and row.archive is not None and not self._is_alone(
            row.id, self._of(row.archive, row.id))

    def without_sketch(self, rows: Iterable[RepositoryRow]) -> list[RepositoryRow]:
        """The repositories whose commits must be looked at to find their families."""
        if not self._policy.families:
            return []
        joining = {row.id: row for row in rows if row.id not in self._apart}
        for number, commits, content in self._manifest.chains.sketches():
            if number in joining and is_packed(content):
                self._sketched[number] = (commits, content)
        return [row for number, row in joining.items() if number not in self._sketched]

    def note_sketches(self, sketches: Iterable[tuple[int, int, bytes]]) -> None:
        """Remembers sketches; those without commits only for this run."""
        sketches = list(sketches)
        for number, commits, content in sketches:
            self._sketched[number] = (commits, content)
        self._manifest.record_sketches(one for one in sketches if one[1])

    def find_families(self, rows: Iterable[RepositoryRow], sizes: Mapping[int, int],
                      pools: Mapping[int, bytes]) -> None:
        """Finds the base of each repository whose state is known."""
        if not self._policy.families:
            return
        self._needed = self._dependents()
        self._bases = bases_of([
            Member(row.id, row.path, sizes[row.id], pools[row.id],
                   self._policy.labels.get(row.path, ()), self._sketched.get(row.id),
                   self._needed.get(row.id, 0))
            for row in rows if row.id in sizes and row.id not in self._apart])
        self._base_numbers = set(self._bases.values())
        self._sketched.clear()

    def family(self, number: int) -> Optional[int]:
        """The repository that is the base of this one's family, which may be this one."""
        return number if number in self._base_numbers else self._bases.get(number)

    def waits(self, row: RepositoryRow, changed: Collection[int]) -> bool:
        """Whether other repositories must be archived before this one."""
        onto_base = self._bases.get(row.id) in changed
        damaged = row.archive is not None and row.archive.damage is not None
        if not onto_base and not damaged:
            return False
        mine = self._of(row.archive, row.id)
        if damaged and not self._is_alone(row.id, mine):
            return True
        return onto_base and self._joins(row.id, Older() if damaged else mine)

    def older(self, number: int, newest: Optional[ArchiveRow]) -> Older:
        """The older archive for the next one of a repository."""
        usable = newest is not None and newest.damage is None
        mine = self._of(newest if usable else None, number)
        if number in self._from_source or (number in self._apart
                                           and not self._is_alone(number, mine)):
            return Older()
        if not self._policy.increments:
            return mine
        base = self._bases.get(number)
        if base is not None and self._joins(number, mine):
            other = self._manifest.newest(base)
            if other is not None and other.damage is None:
                found = self._of(other, number)
                if len(found.chain()) < MOST_FILES:
                    return found._replace(onto=True, foreign=True, own=0)
        # The blocks of a chain that cannot grow are copied to a file of their own.
        return mine._replace(onto=mine.base is not None and len(mine.chain()) < MOST_FILES)

    def _of(self, archive: Optional[ArchiveRow], number: int) -> Older:
        if archive is None:
            return Older()
        below = self._manifest.chains.below(archive.hash)
        chain = (Link(archive.hash, archive.size), *below)
        own = self._manifest.chains.own(number, chain)
        # What others need stays, so a file with the same content would come in addition.
        joinable = itertools.takewhile(lambda link: link.hash not in self._shared, chain[:own])
        own = sum(1 for _ in joinable)
        return Older(archive.hash, archive.size, below, own=own)

    def _joins(self, number: int, mine: Older) -> bool:
        """Whether the next archive goes onto the base, and not onto the own latest."""
        return self._is_alone(number, mine) and not self._needed.get(number)

    def _is_alone(self, number: int, mine: Older) -> bool:
        """Whether an archive depends on files of its own repository only."""
        return self._manifest.chains.own(number, mine.chain()) == len(mine.chain())

    def _dependents(self) -> dict[int, int]:
        """How many repositories have archives that depend on one of each."""
        chains = self._manifest.chains
        owners = chains.owners()
        above: dict[int, set[int]] = {}
        for content_hash, onto in chains.dependencies().items():
            for number in owners.get(onto, ()):
                users = owners.get(content_hash, set())
                if number not in users:
                    above.setdefault(number, set()).update(users)
        return {number: len(users) for number, users in above.items()}
