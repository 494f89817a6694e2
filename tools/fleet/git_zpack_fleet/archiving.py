# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""archive: look at all repositories, convert what changed, the largest first."""

from __future__ import annotations

import collections
import time
from typing import Any, Callable, Collection, Iterator, Optional, Sequence, Union

from . import worker
from .batches import batched
from .discover import Found, Unreached
from .engine import Engine, Task
from .failures import Kind
from .jobs import ArchiveJob, Outcome, ScanJob, ScanResult, SketchJob
from .lost import lost_files, tell_lost
from .manifest import Manifest
from .meter import Meter
from .output import say, tell
from .planning import Planner
from .records import NewArchive, RepositoryRow
from .rewriting import COLD, Rewriter, cold_ones
from .session import Counts, Run, engine_of, keep_copy, registered
from .store import archive_key
from .text import counted, quoted, size_text

_SCANNED_AT_ONCE = 64
_LEASED_AT_ONCE = 32
# Each time, the manifest is synced to the disk.
_FLUSH_SECONDS = 1.0
_SCAN_BYTES = 1 << 20


class Archiving:
    """One run of archive."""

    def __init__(self, manifest: Manifest, options: Run) -> None:
        self._manifest = manifest
        self._options = options
        self._run = ""
        self._counts = Counts()
        self._rows: dict[int, RepositoryRow] = {}
        self._archives: list[NewArchive] = []
        self._failures: list[tuple[int, str, str]] = []
        self._elsewhere = 0
        self._unchanged = 0
        self._flushed = 0.0
        self._digests: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        self._pools: dict[int, bytes] = {}
        self._cooled = 0
        self._missing = False
        self._tried: set[int] = set()
        # Those that wait until what they need is archived again.
        self._postponed: set[int] = set()
        self._waited: set[int] = set()
        self._planner = Planner(manifest, options.policy)

    def run(self, found: Collection[Found], unreached: Collection[Unreached],
            walked: Sequence[bytes]) -> int:
        """Archives the repositories; returns how many of them, and of others that have an
        archive, are not safe.

        unreached, walked: as in Manifest.see_unreached
        """
        paths = {one.path for one in found}
        with registered(self._manifest, "archive") as (self._run, self._counts):
            places = self._manifest.see_unreached(unreached, walked, paths)
            ids = set(self._manifest.see(found).values())
            self._note_lost()
            self._rows = {row.id: row for row in self._manifest.repositories() if row.id in ids}
            if self._rows:
                with engine_of(self._options) as engine:
                    changed = self._scan(engine)
                    if changed:
                        self._find_families(engine)
                        self._convert_all(engine, changed)
                    self._cool(engine)
            # Also if the repository at such a place is archived now: others may be below it.
            places = self._manifest.see_unreached(unreached, walked, paths)
            rows = list(self._manifest.repositories())
            # The archive of a repository that this run has not seen may be all that is left.
            unsafe = [row for row in rows if not row.is_safe()
                      and (row.id in ids | places or row.archive is not None)]
            self._counts.failures = len(unsafe)
        keep_copy(self._manifest, self._options.settings)
        _warn_of_equal_names(rows, ids)
        self._tell(unsafe, len(ids | places | {row.id for row in unsafe}))
        return len(unsafe)

    def _note_lost(self) -> None:
        """Notes what the store has lost, so that it is archived again.

        Nothing of it is recorded: a store that is not mounted may be back for the next run.
        """
        settings = self._options.settings
        self._manifest.lost = lost_files(self._manifest, settings.url, settings.options)
        tell_lost(self._manifest.lost)

    def _scan(self, engine: Engine) -> list[int]:
        """Looks at all repositories; returns those that changed, the largest first."""
        meter = Meter("looking at repositories", shown=self._options.progress)
        meter.expect(len(self._rows), 0)
        changed: list[int] = []

        def done(task: Task, result: Any) -> None:
            if isinstance(result, Outcome):
                for job in task.arguments[0]:
                    self._failures.append((job.id, result.kind or "", result.message))
                return
            self._note_scans(result, changed)
            for _ in result:
                meter.add(0)

        engine.run(self._scan_tasks(), done, tick=self._flush)
        meter.finish()
        self._flush()
        changed.sort(key=lambda number: (-self._sizes[number], number))
        return changed

    def _scan_tasks(self) -> Iterator[Task]:
        jobs = []
        for row in self._rows.values():
            newest = row.archive
            usable = newest is not None and newest.damage is None and not self._planner.leaves(row)
            jobs.append(ScanJob(row.id, row.path, newest.digest, bool(newest.racy), newest.refs)
                        if newest is not None and usable
                        else ScanJob(row.id, row.path, "", False, ""))
        return self._in_batches("scan", worker.scan, jobs, _SCAN_BYTES)

    def _in_batches(self, phase: str, work: Callable[..., Any],
                    jobs: Sequence[Union[ScanJob, SketchJob]], memory: int,
                    *more: Any) -> Iterator[Task]:
        """Tasks for many repositories each; more: arguments after the jobs."""
        for start in range(0, len(jobs), _SCANNED_AT_ONCE):
            batch = jobs[start:start + _SCANNED_AT_ONCE]
            name = quoted(self._rows[batch[0].id].name)
            yield Task(phase, f"{name} and {len(batch) - 1} more", work, (batch, *more), memory, 0)

    def _note_scans(self, results: list[ScanResult], changed: list[int]) -> None:
        unchanged: list[int] = []
        seen: list[tuple[int, str, int]] = []
        for result in results:
            if result.error is not None:
                self._failures.append((result.id, Kind.SOURCE_BROKEN.value, result.error))
                continue
            self._digests[result.id] = result.digest
            self._sizes[result.id] = result.size or self._rows[result.id].bytes
            self._pools[result.id] = result.pool
            seen.append((result.id, result.digest, result.size))
            (unchanged if result.unchanged else changed).append(result.id)
        self._manifest.record_scans(seen)
        self._manifest.record_unchanged(unchanged)
        self._unchanged += len(unchanged)

    def _find_families(self, engine: Engine) -> None:
        rows = [row for row in self._rows.values() if row.id in self._sizes]
        new = [SketchJob(row.id, row.path) for row in self._planner.without_sketch(rows)]

        def done(_task: Task, result: Any) -> None:
            if not isinstance(result, Outcome):  # Without a sketch, others may tell the family.
                self._planner.note_sketches((one.id, one.commits, one.content)
                                            for one in result if one.content is not None)

        if new:
            engine.run(self._in_batches("sketch", worker.take_sketches, new,
                                        self._options.memory, self._options.settings), done)
        self._planner.find_families(rows, self._sizes, self._pools)

    def _convert_all(self, engine: Engine, changed: list[int]) -> None:
        """Archives repositories after those on whose archives theirs may depend."""
        first = set(changed)
        self._waited = {number for number in changed
                        if self._planner.waits(self._rows[number], first)}
        self._convert(engine, [number for number in changed if number not in self._waited])
        self._convert(engine, [number for number in changed if number in self._waited])
        self._tried.update(changed)
        if not self._missing:
            return
        # What is missing may be missing for repositories that looked unchanged.
        self._missing = False
        self._rows = {row.id: row for row in self._manifest.repositories()
                      if row.id in self._rows}
        unsafe = [number for number, row in self._rows.items()
                  if number in self._sizes and number not in self._tried and not row.is_safe()]
        self._unchanged -= len(unsafe)
        again = [*unsafe, *sorted(self._postponed)]
        self._postponed.clear()
        self._convert_all(engine, again)

    def _cool(self, engine: Engine) -> None:
        """Encodes old archives again. What fails stays as it is, and is safe."""
        age = self._options.policy.cold
        if age is None:
            return
        rows = [row for row in self._manifest.repositories() if row.id in self._sizes]
        chosen = cold_ones(self._manifest, rows, age)
        if chosen:
            counts = Counts()
            Rewriter(self._manifest, self._options, self._run, counts, COLD).run(
                engine, "encoding again", chosen)
            self._counts.uploaded += counts.uploaded
            self._cooled = counts.done

    def _convert(self, engine: Engine, changed: list[int]) -> None:
        if not changed:
            return
        meter = Meter("archiving", shown=self._options.progress)
        meter.expect(len(changed), sum(self._sizes[number] for number in changed))

        def done(task: Task, outcome: Outcome) -> None:
            job: ArchiveJob = task.arguments[0]
            meter.add(task.weight, failed=outcome.kind is not None)
            self._note_missing(job, outcome)
            if outcome.missing and outcome.archive is None:
                self._postponed.add(job.id)
                self._manifest.end_leases(self._run, [job.id])
                return
            if outcome.archive is not None:
                self._archives.append(outcome.archive)
                if job.foreign:
                    return
                if job.base is not None and outcome.archive.base is None:
                    say(f"warning: '{quoted(job.name)}': the archive {job.base[:12]} may have "
                        "objects that the repository has lost; 'prune' keeps it for some time")
                if outcome.lost_refs and job.base is not None:
                    refs = counted(outcome.lost_refs, "ref", "refs")
                    say(f"warning: '{quoted(job.name)}': the archive {job.base[:12]} has {refs} "
                        "that the repository no longer has")
            else:
                self._failures.append((job.id, outcome.kind or "", outcome.message))

        def again(task: Task, outcome: Outcome) -> Task:
            job: ArchiveJob = task.arguments[0]
            job = job._replace(inherited=True)
            memory = task.memory
            if outcome.kind == Kind.MEMORY.value:
                memory = min(2 * memory, engine.worker_memory or memory)
                job = job._replace(memory=memory)
            return task._replace(arguments=(job, *task.arguments[1:]), memory=memory)

        def tick() -> None:
            meter.tick()
            if time.monotonic() > self._flushed + _FLUSH_SECONDS:
                self._flush()

        try:
            engine.run(batched(self._archive_tasks(changed), len(changed), lambda: engine.slots),
                       done, again, tick)
        finally:
            self._flush()
            meter.finish()

    def _note_missing(self, job: ArchiveJob, outcome: Outcome) -> None:
        for content_hash, why in outcome.missing:
            say(f"warning: '{quoted(job.name)}': '{archive_key(content_hash)}' {why}; archiving "
                "again what depends on it")
            self._manifest.record_verified(content_hash, why)
            self._missing = True

    def _archive_tasks(self, changed: list[int]) -> Iterator[Task]:
        shared = {pool for pool, count in
                  collections.Counter(self._pools[number] for number in changed).items()
                  if count > 1}
        for start in range(0, len(changed), _LEASED_AT_ONCE):
            batch = changed[start:start + _LEASED_AT_ONCE]
            leases = self._manifest.take_leases(self._run, batch)
            for number in batch:
                if not leases[number].granted:
                    self._elsewhere += 1
                    continue
                task = self._archive_task(number, leases[number].inherited)
                if task is None:
                    self._manifest.end_leases(self._run, [number])
                    continue
                yield task._replace(group=self._group_of(number, shared))

    def _group_of(self, number: int, shared: set[bytes]) -> Optional[bytes]:
        """What the repository has in common with others, which prefer one worker."""
        family = self._planner.family(number)
        if family is not None:
            return b"family %d" % family
        pool = self._pools[number]
        return pool if pool in shared else None

    def _archive_task(self, number: int, inherited: bool) -> Optional[Task]:
        row = self._rows[number]
        newest = self._manifest.newest(number)
        before = row.archive
        if newest is not None and (before is None or newest.id != before.id):
            return None  # Another run archived it after this run looked at it.
        damaged = newest is not None and newest.damage is not None
        if damaged and before is not None and before.damage is None:
            self._postponed.add(number)  # Another task found what is missing meanwhile.
            return None
        if newest is not None and not damaged and number in self._waited and not newest.racy \
                and newest.digest == self._digests[number]:
            # Only an archive on which it depends was damaged, and was written again.
            self._manifest.record_unchanged([number])
            self._unchanged += 1
            return None
        older = self._planner.older(number, newest)
        job = ArchiveJob(
            id=number, path=row.path, name=row.name, digest=self._digests[number],
            size=self._sizes[number], inherited=inherited, memory=self._options.memory,
            join=self._options.policy.join, patient=number not in self._tried,
            fresh=damaged or (newest is not None and older.base is None), **older._asdict())
        return Task("archive", quoted(row.name), worker.archive, (job, self._options.settings),
                    self._options.memory, self._sizes[number])

    def _flush(self) -> None:
        """Records what ended since the last time, in one transaction."""
        self._flushed = time.monotonic()
        if not self._archives and not self._failures:
            return
        lost = self._manifest.record(self._run, self._archives, self._failures)
        self._counts.done += len(self._archives) - len(lost)
        self._counts.bytes += sum(archive.source_bytes for archive in self._archives)
        self._counts.uploaded += sum(archive.uploaded for archive in self._archives)
        self._archives, self._failures = [], []

    def _tell(self, unsafe: list[RepositoryRow], count: int) -> None:
        for row in unsafe:
            say(f"error: not safe: '{quoted(row.name)}': {row.why_unsafe()}")
        if self._cooled:
            tell(f"{counted(self._cooled, 'archive', 'archives')} encoded again")
        if self._elsewhere:
            say(f"warning: another run works on {counted(self._elsewhere)}")
        tell(f"{counted(count)}: {self._counts.done:,} archived, "
             f"{self._unchanged:,} unchanged, {len(unsafe):,} not safe; "
             f"{size_text(self._counts.bytes)} read, "
             f"{size_text(self._counts.uploaded)} uploaded")


def _warn_of_equal_names(rows: Sequence[RepositoryRow], ids: set[int]) -> None:
    """Says which repositories of a run cannot be restored together with others."""
    paths: dict[bytes, list[bytes]] = collections.defaultdict(list)
    for row in rows:
        if row.archive is not None:
            paths[row.name].append(row.path)
    equal = [row for row in rows if row.id in ids and len(paths[row.name]) > 1]
    if equal:
        first, second = paths[equal[0].name][:2]
        say(f"warning: {counted(len(equal))} with names that others have, too, such as "
            f"'{quoted(first)}' and '{quoted(second)}'; 'restore' takes these only alone, by "
            "their paths")
