# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""restore: the newest archives become repositories again."""

from __future__ import annotations

import collections
import fnmatch
import os
from typing import Container, Iterator, Mapping, NamedTuple, Optional, Sequence

from . import worker
from .batches import batched
from .discover import OF_GIT
from .engine import Engine, Task
from .jobs import Outcome, RestoreJob
from .manifest import Manifest
from .meter import Meter
from .output import say, tell
from .records import ArchiveRow, Link, RepositoryRow
from .session import Counts, Fatal, Run, engine_of, registered
from .text import counted, quoted


class _Chosen(NamedTuple):
    """A repository to restore.

    around: the names of the others that it lies in
    below: the files that its archive depends on
    """

    row: RepositoryRow
    archive: ArchiveRow
    around: tuple[bytes, ...]
    below: tuple[Link, ...]


class Destination(NamedTuple):
    """Where repositories are restored, and more options of git-zpack restore."""

    directory: bytes
    options: tuple[str, ...]


def restore(manifest: Manifest, options: Run, patterns: Sequence[bytes],
            destination: Destination) -> int:
    """Restores the newest archives below a directory; returns how many failed."""
    rows = selected(manifest, patterns)
    with registered(manifest, "restore") as (_, counts):
        restoring = _Restoring(manifest, options, destination, counts)
        chosen = restoring.choose(rows)
        if chosen:
            with engine_of(options) as engine:
                restoring.run(engine, chosen)
        tell(f"{counted(len(rows))}: {len(rows) - counts.failures:,} restored, "
             f"{counts.failures:,} failed")
        return counts.failures


class _Restoring:
    """One run of restore."""

    def __init__(self, manifest: Manifest, options: Run, destination: Destination,
                 counts: Counts) -> None:
        self._chains = manifest.chains
        self._options = options
        self._destination = destination
        self._counts = counts
        self._failed: set[bytes] = set()

    def choose(self, rows: Sequence[RepositoryRow]) -> list[_Chosen]:
        """What can be restored, the largest first; says what cannot."""
        names = collections.Counter(row.name for row in rows if row.archive is not None)
        chosen = []
        for row in rows:
            around = _around(row.name, names)
            problem = _inside_git(row.name, around) or _not_alone(row, names)
            if row.archive is None:
                self._complain(row.name, row.why_unsafe())
            elif problem is not None:
                self._fail(row.name, problem)
            else:
                chosen.append(_Chosen(row, row.archive, around,
                                      self._chains.below(row.archive.hash)))
        return sorted(chosen, key=lambda one: -one.archive.size)

    def run(self, engine: Engine, chosen: Sequence[_Chosen]) -> None:
        """Restores outer repositories before those that lie in them.

        A repository is restored to a directory that is empty or not there.
        """
        meter = Meter("restoring", shown=self._options.progress)
        meter.expect(len(chosen), sum(one.archive.size for one in chosen))

        def done(task: Task, outcome: Outcome) -> None:
            job: RestoreJob = task.arguments[0]
            meter.add(job.size, failed=outcome.kind is not None)
            self._counts.done += 1
            self._counts.bytes += job.size
            if outcome.kind is not None:
                self._fail(job.name, f"{outcome.kind}: {outcome.message}")

        for depth in sorted({len(one.around) for one in chosen}):
            ready = [one for one in chosen if len(one.around) == depth and self._is_ready(one)]
            engine.run(batched(self._tasks(ready), len(ready), lambda: engine.slots), done,
                       tick=meter.tick)
        meter.finish()

    def _is_ready(self, one: _Chosen) -> bool:
        failed = next((name for name in one.around if name in self._failed), None)
        if failed is not None:
            self._fail(one.row.name,
                       f"not restored, because '{quoted(failed)}' around it was not")
        return failed is None

    def _tasks(self, ready: Sequence[_Chosen]) -> Iterator[Task]:
        for row, archive, _, below in ready:
            target = os.path.join(self._destination.directory, row.name)
            job = RestoreJob(row.id, archive.hash, row.name, archive.size, target,
                             self._destination.options, self._options.memory, below)
            yield Task("restore", quoted(row.name), worker.restore,
                       (job, self._options.settings), self._options.memory, archive.size)

    def _fail(self, name: bytes, problem: str) -> None:
        self._failed.add(name)
        self._complain(name, problem)

    def _complain(self, name: bytes, problem: str) -> None:
        self._counts.failures += 1
        say(f"error: '{quoted(name)}': {problem}")


def _around(name: bytes, names: Container[bytes]) -> tuple[bytes, ...]:
    """Those of the names that are directories above a name, the outermost first."""
    parts = name.split(b"/")
    above = (b"/".join(parts[:count]) for count in range(1, len(parts)))
    return tuple(one for one in above if one in names)


def _inside_git(name: bytes, around: Sequence[bytes]) -> Optional[str]:
    """Why a repository cannot be restored inside those around it, or None."""
    for outer in around:
        if name[len(outer) + 1:].split(b"/", 1)[0] in OF_GIT:
            return (f"lies where '{quoted(outer)}' keeps its refs or objects; restore it alone, "
                    "to another directory")
    return None


def _not_alone(row: RepositoryRow, names: Mapping[bytes, int]) -> Optional[str]:
    """Why a repository cannot be restored together with others, or None."""
    if names.get(row.name, 0) < 2:
        return None
    return (f"another repository has the name, too; restore it alone, by its path "
            f"'{quoted(row.path)}'")


def selected(manifest: Manifest, patterns: Sequence[bytes]) -> list[RepositoryRow]:
    """The repositories that names, paths or patterns name.

    A pattern that is the name of a repository is no pattern. One that begins with
    a slash is compared with paths. Raises Fatal if one of them names none.
    """
    every = list(manifest.repositories())
    chosen = {row.id for row in every} if not patterns else set()
    for pattern in patterns:
        named = ([row.id for row in every if pattern in (row.name, row.path)]
                 or [row.id for row in every if fnmatch.fnmatchcase(
                     row.path if pattern.startswith(b"/") else row.name, pattern)])
        if not named:
            raise Fatal(f"no repository in the manifest matches '{quoted(pattern)}'")
        chosen.update(named)
    rows = [row for row in every if row.id in chosen]
    if not rows:
        raise Fatal("the manifest has no repository")
    for row in rows:
        if not _is_below(row.name):
            raise Fatal(f"the manifest has a name that no repository has: '{quoted(row.name)}'")
    return rows


def _is_below(name: bytes) -> bool:
    """Whether a name is a path below a directory, in its only form."""
    return b"\0" not in name and not {b"", b".", b".."}.intersection(name.split(b"/"))
