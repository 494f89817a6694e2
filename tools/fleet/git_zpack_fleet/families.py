# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Families of repositories that share objects, and which of a family is the base."""

from __future__ import annotations

import os
from typing import Iterable, Mapping, NamedTuple, Optional, Sequence

from .discover import grokmirror_entries, listed
from .sketch import Sketch, are_alike, candidates, unpacked

# Of the repositories with one oldest commit, the largest ones are compared.
_MOST_COMPARED = 64


class Member(NamedTuple):
    """What is known of a repository that may belong to a family.

    pool: the object database that it borrows from or lends
    sketch: arguments of unpacked(), as that takes ten times as much memory
    labels: of repositories with a common label, a manifest says that they are forks
    needed_by: how many repositories have archives that depend on one of its own
    """

    id: int
    path: bytes
    size: int
    pool: bytes
    labels: tuple[bytes, ...]
    sketch: Optional[tuple[int, bytes]]
    needed_by: int = 0


def bases_of(members: Sequence[Member]) -> dict[int, int]:
    """The base of each repository that has one.

    The base of a family is the repository on which most others depend already,
    or else the largest one.
    """
    ordered = sorted(members, key=lambda member: (-member.needed_by, -member.size, member.path))
    groups = _Groups()
    for member in ordered:
        for label in _labels(member):
            groups.join(("repository", member.id), ("label", label))
    _join_alike(ordered, groups)
    bases: dict[object, int] = {}
    found: dict[int, int] = {}
    for member in ordered:
        base = bases.setdefault(groups.of(("repository", member.id)), member.id)
        if base != member.id:
            found[member.id] = base
    return found


def _labels(member: Member) -> Iterable[bytes]:
    if member.pool:
        yield b"pool " + member.pool
    for label in member.labels:
        yield b"label " + label


def _join_alike(ordered: Sequence[Member], groups: "_Groups") -> None:
    """Joins each repository to the first before it that is alike."""
    known: dict[int, list[int]] = {}
    firsts: list[Member] = []
    for member in ordered:
        mine = _sketch_of(member)
        if mine is None or not mine.commits:
            continue
        for place in candidates(mine, known, _MOST_COMPARED):
            other = _sketch_of(firsts[place])
            if other is not None and are_alike(other, mine):
                groups.join(("repository", firsts[place].id), ("repository", member.id))
                break
        else:
            # Only those that may be a base are compared with the others.
            for number in mine.origins:
                known.setdefault(number, []).append(len(firsts))
            firsts.append(member)


def _sketch_of(member: Member) -> Optional[Sketch]:
    return None if member.sketch is None else unpacked(*member.sketch)


class _Groups:
    """Which things belong together."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def of(self, thing: object) -> object:
        """The thing that stands for the group."""
        above = self._above.setdefault(thing, thing)
        while above != self._above[above]:
            self._above[thing] = self._above[above]
            thing, above = above, self._above[above]
        return above

    def join(self, one: object, other: object) -> None:
        """Makes two groups one."""
        self._above[self.of(other)] = self.of(one)


def forks_in_grokmirror(manifest: bytes, root: bytes) -> Mapping[bytes, tuple[bytes, ...]]:
    """Labels of the repositories, by path, that a manifest of grokmirror calls forks.

    They have the same 'forkgroup', or one is the 'reference' of the other. Raises
    as read_grokmirror.
    """
    labels: dict[bytes, set[bytes]] = {}
    for entry_name, entry in grokmirror_entries(manifest).items():
        found = listed(root, entry_name)
        # A repository is the reference of others under its own name.
        mine = labels.setdefault(found.path, {b"reference " + found.name})
        values = entry if isinstance(entry, dict) else {}
        group, reference = values.get("forkgroup"), values.get("reference")
        if isinstance(group, str) and group:
            mine.add(b"forkgroup " + _encoded(group))
        if isinstance(reference, str) and reference:
            mine.add(b"reference " + os.path.normpath(_encoded(reference).lstrip(b"/")))
    return {path: tuple(sorted(mine)) for path, mine in labels.items()}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
