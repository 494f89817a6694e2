# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""separate: an archive becomes one file with all that it depends on."""

from __future__ import annotations

from typing import Iterator, Sequence

from . import worker
from .engine import Task
from .jobs import Outcome, SeparateJob
from .manifest import Manifest
from .meter import Meter
from .records import ArchiveRow, NewArchive, RepositoryRow, chain_text
from .restoring import selected
from .session import Counts, Run, engine_of, keep_copy, registered, say
from .text import counted, quoted


def separate(manifest: Manifest, options: Run, patterns: Sequence[bytes], *,
             from_source: bool) -> int:
    """Takes repositories out of their families; returns how many could not be.

    from_source: the next archive does it, from the repositories themselves
    """
    rows = selected(manifest, patterns)
    with registered(manifest, "separate") as (run, counts):
        # First, so that a run that is killed leaves no repository in a family.
        manifest.set_apart(row.id for row in rows)
        separating = _Separating(manifest, options, run, counts)
        chosen = [] if from_source else separating.choose(rows)
        if chosen:
            with engine_of(options) as engine:
                meter = Meter("separating", shown=options.progress)
                meter.expect(len(chosen), sum(archive.size for _, archive in chosen))

                def done(task: Task, outcome: Outcome) -> None:
                    meter.add(task.weight, failed=outcome.kind is not None)
                    separating.done(task, outcome)

                engine.run(separating.tasks(chosen), done, tick=meter.tick)
                meter.finish()
        failures = counts.failures
    if chosen:
        keep_copy(manifest, options.settings)
    _tell_needed(manifest, rows)
    if from_source:
        print(f"{counted(len(rows))}: the next 'archive' converts them by themselves")
    else:
        print(f"{counted(len(rows))}: {counts.done:,} separated, "
              f"{len(rows) - counts.done - failures:,} depended on nothing, {failures:,} failed")
    return failures


class _Separating:
    """One run of separate."""

    def __init__(self, manifest: Manifest, options: Run, run: str, counts: Counts) -> None:
        self._manifest = manifest
        self._options = options
        self._run = run
        self._counts = counts

    def choose(self, rows: Sequence[RepositoryRow]) -> list[tuple[RepositoryRow, ArchiveRow]]:
        """The repositories whose newest archives depend on other files."""
        chosen = []
        for row in rows:
            if row.archive is None:
                self._complain(row.name, row.why_unsafe())
            elif self._manifest.chains.below(row.archive.hash):
                chosen.append((row, row.archive))
        return chosen

    def tasks(self, chosen: Sequence[tuple[RepositoryRow, ArchiveRow]]) -> Iterator[Task]:
        """A task for each repository that no other run works on."""
        leases = self._manifest.take_leases(self._run, [row.id for row, _ in chosen])
        for row, seen in chosen:
            newest = self._manifest.newest(row.id)
            if not leases[row.id].granted or newest is None or newest.id != seen.id:
                self._complain(row.name, "another run works on it")
                continue
            archive = NewArchive(
                row.id, newest.hash, newest.size, newest.source_bytes, newest.digest,
                bool(newest.racy), newest.refs, newest.objects, newest.seconds, newest.peak,
                newest.uploaded, newest.base, chain_text(self._manifest.chains.below(newest.hash)))
            job = SeparateJob(row.id, row.path, archive, row.name, self._options.memory)
            yield Task("separate", quoted(row.name), worker.separate,
                       (job, self._options.settings), self._options.memory, newest.size)

    def done(self, task: Task, outcome: Outcome) -> None:
        """Records an archive that depends on nothing, or says why there is none."""
        job: SeparateJob = task.arguments[0]
        for content_hash, why in outcome.missing:
            self._manifest.record_verified(content_hash, why)
        if outcome.archive is None:
            self._manifest.end_leases(self._run, [job.id])
            self._complain(job.name, f"{outcome.kind}: {outcome.message}")
        elif self._manifest.record(self._run, [outcome.archive], []):
            self._complain(job.name, "another run works on it")
        else:
            self._counts.done += 1
            self._counts.bytes += outcome.archive.size
            self._counts.uploaded += outcome.archive.uploaded

    def _complain(self, name: bytes, problem: str) -> None:
        self._counts.failures += 1
        say(f"error: '{quoted(name)}': {problem}")


def _tell_needed(manifest: Manifest, rows: Sequence[RepositoryRow]) -> None:
    """Says which of the repositories have archives on which those of others depend."""
    owners = manifest.chains.owners()
    newest = [row for row in manifest.repositories() if row.archive is not None]
    for row in rows:
        mine = {archive.hash for archive in manifest.archives(row.id)}
        needing = sum(1 for other in newest if other.archive is not None and other.id != row.id
                      and mine & manifest.chains.needed([other.archive.hash])
                      and row.id not in owners.get(other.archive.hash, ()))
        if needing:
            say(f"warning: the archives of {counted(needing)} depend on one of "
                f"'{quoted(row.name)}', whose objects they hold; separate these too")
