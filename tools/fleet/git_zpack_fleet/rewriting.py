# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archives are written again without their repositories: as one file, or smaller."""

from __future__ import annotations

import time
from typing import Iterable, Iterator, Optional, Sequence

from . import worker
from .engine import Engine, Task
from .jobs import Outcome, RewriteJob
from .manifest import Manifest
from .meter import Meter
from .records import ArchiveRow, NewArchive, RepositoryRow, chain_text
from .output import say
from .session import Counts, Run
from .text import quoted

# Of git zpack consolidate: for files that are hardly ever read.
COLD = "cold"


class Rewriter:
    """Replaces newest archives by others of the same content that depend on nothing."""

    def __init__(self, manifest: Manifest, options: Run, run: str, counts: Counts,
                 profile: Optional[str] = None) -> None:
        """profile: with which every object is encoded again; None: blocks are copied"""
        self._manifest = manifest
        self._options = options
        self._run = run
        self._counts = counts
        self._profile = profile

    def run(self, engine: Engine, title: str,
            chosen: Sequence[tuple[RepositoryRow, ArchiveRow]]) -> None:
        """Replaces these archives, unless another run works on their repositories."""
        meter = Meter(title, shown=self._options.progress)
        meter.expect(len(chosen), sum(archive.size for _, archive in chosen))

        def done(task: Task, outcome: Outcome) -> None:
            meter.add(task.weight, failed=outcome.kind is not None)
            self._done(task, outcome)

        engine.run(self._tasks(chosen), done, tick=meter.tick)
        meter.finish()

    def _tasks(self, chosen: Sequence[tuple[RepositoryRow, ArchiveRow]]) -> Iterator[Task]:
        leases = self._manifest.take_leases(self._run, [row.id for row, _ in chosen])
        for row, seen in chosen:
            newest = self._manifest.newest(row.id)
            if not leases[row.id].granted or newest is None or newest.id != seen.id:
                self.complain(row.name, "another run works on it")
                continue
            below = self._manifest.chains.below(newest.hash)
            archive = NewArchive(
                row.id, newest.hash, newest.size, newest.source_bytes, newest.digest,
                bool(newest.racy), newest.refs, newest.objects, newest.seconds, newest.peak,
                newest.uploaded, newest.base, chain_text(below))
            job = RewriteJob(row.id, row.path, archive, row.name, self._profile,
                             self._options.memory)
            yield Task("rewrite", quoted(row.name), worker.rewrite, (job, self._options.settings),
                       self._options.memory, newest.size + sum(link.size for link in below))

    def _done(self, task: Task, outcome: Outcome) -> None:
        job: RewriteJob = task.arguments[0]
        for content_hash, why in outcome.missing:
            self._manifest.record_verified(content_hash, why)
        if outcome.archive is None:
            self._manifest.end_leases(self._run, [job.id])
            self.complain(job.name, f"{outcome.kind}: {outcome.message}")
        elif self._manifest.record(self._run, [outcome.archive], []):
            self.complain(job.name, "another run works on it")
        else:
            if self._profile == COLD:
                self._manifest.record_cold(outcome.archive.hash)
            self._counts.done += 1
            self._counts.bytes += outcome.archive.size
            self._counts.uploaded += outcome.archive.uploaded

    def complain(self, name: bytes, problem: str) -> None:
        """Says why an archive is not replaced."""
        self._counts.failures += 1
        say(f"error: '{quoted(name)}': {problem}")


def cold_ones(manifest: Manifest, rows: Iterable[RepositoryRow],
              age: float) -> list[tuple[RepositoryRow, ArchiveRow]]:
    """The archives that are older than age seconds, and should be encoded again.

    An archive on which one of another repository depends, or the other way, stays.
    """
    chains = manifest.chains
    shared = chains.shared()
    cold = chains.cold()
    before = time.time() - age
    chosen = []
    for row in rows:
        archive = row.archive
        if archive is None or not row.is_safe() or archive.recorded > before \
                or archive.hash in cold or archive.hash in shared:
            continue
        if not any(link.hash in shared for link in chains.below(archive.hash)):
            chosen.append((row, archive))
    return chosen
