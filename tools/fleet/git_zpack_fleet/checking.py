# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""verify and prune: what happens to archives after they were recorded."""

from __future__ import annotations

import math
import time
from typing import Iterable, Iterator, NamedTuple, Optional, Sequence

from . import worker
from .backing import MISSING
from .engine import Task
from .jobs import Outcome, VerifyJob
from .lost import lost_of, tell_lost
from .manifest import Manifest
from .meter import Meter
from .output import say, tell
from .place import valid_note
from .records import ArchiveRow, parse_chain
from .session import Counts, Fatal, Run, engine_of, listed, registered
from .store import Store, Stored, archive_key, is_archive_key, receipt_key
from .text import counted, quoted, size_text


class Scope(NamedTuple):
    """Which archives verify checks, and how.

    budget: seconds after which no more checks begin; None: no limit
    share: of all archives, at most this many
    """

    level: str
    budget: Optional[float]
    share: float


def verify(manifest: Manifest, options: Run, scope: Scope) -> int:
    """Checks archives, those never checked first; returns how many are not intact."""
    names = {row.id: row.name for row in manifest.repositories()}
    order: dict[str, ArchiveRow] = {}
    for row in manifest.scrub_order():
        order.setdefault(row.hash, row)
    chosen = list(order.values())[:math.ceil(scope.share * len(order))]
    deadline = None if scope.budget is None else time.monotonic() + scope.budget
    if manifest.unwritable is not None:
        say(f"warning: cannot write manifest '{manifest.path}': {manifest.unwritable}; "
            "what this run finds is not recorded")
    meter = Meter("verifying", shown=options.progress)
    meter.expect(len(chosen), sum(row.size for row in chosen))
    with registered(manifest, "verify") as (_, counts):

        def tasks() -> Iterator[Task]:
            for row in chosen:
                if deadline is not None and time.monotonic() > deadline:
                    return
                name = names[row.repository]
                below = manifest.chains.below(row.hash)
                # What every archive has of its own is checked once.
                own = bool(below) and all(link.hash in order for link in below)
                job = VerifyJob(row.repository, row.hash, name, row.size, scope.level,
                                options.memory, below, own)
                yield Task("verify", quoted(name), worker.verify, (job, options.settings),
                           options.memory, 0)

        def done(task: Task, outcome: Outcome) -> None:
            job: VerifyJob = task.arguments[0]
            problem = outcome.damage
            if outcome.kind is not None:
                problem = f"{outcome.kind}: {outcome.message}"
            else:
                # The damage of what an archive depends on is not its own.
                for content_hash, why in _findings(job, outcome):
                    manifest.record_verified(content_hash, why)
            meter.add(job.size, failed=problem is not None)
            _count(counts, _bytes_read(job, outcome), problem is not None)
            if problem is not None:
                say(f"error: '{quoted(job.name)}': {archive_key(job.hash)}: {problem}")

        if chosen:
            with engine_of(options) as engine:
                engine.run(tasks(), done, tick=meter.tick)
    meter.finish()
    left = len(order) - counts.done
    tell(f"{counted(counts.done, 'archive', 'archives')} checked, {counts.failures:,} not "
         f"intact; {size_text(counts.bytes)} read; {left:,} not checked now")
    return counts.failures


def _findings(job: VerifyJob, outcome: Outcome) -> Sequence[tuple[str, Optional[str]]]:
    """Hashes of the files of which a check has found something, and their damage."""
    return outcome.missing or ((job.hash, outcome.damage),)


def _bytes_read(job: VerifyJob, outcome: Outcome) -> int:
    """Bytes of the archive, if the check did not fail and the archive was there."""
    damage = dict(_findings(job, outcome)).get(job.hash)
    is_missing = damage is not None and damage.endswith(MISSING)
    return 0 if outcome.kind is not None or is_missing else job.size


def _count(counts: Counts, size: int, failed: bool) -> None:
    counts.done += 1
    counts.bytes += size
    counts.failures += failed


class Retention(NamedTuple):
    """What prune keeps.

    newest: archives of each repository that the store has and no check found damaged, and all
        that are newer than the oldest of these
    lost: seconds for which an archive is kept of which the next ones may lack objects
    grace: seconds since the last change of a file that the record does not know
    """

    newest: int
    lost: float
    grace: float


def prune(manifest: Manifest, store: Store, retention: Retention, *, dry_run: bool) -> int:
    """Removes old archives and files that nothing names; returns how many failed.

    The newest archive of a repository always stays, also if only a receipt names
    it, and every file on which an archive that stays depends. Raises Fatal.
    """
    with registered(manifest, "prune") as (_, counts):
        receipts = listed(store, "receipts")
        objects = listed(store, "objects")
        # Nothing of it is recorded: a store that is not mounted may be back for the next run.
        manifest.lost = lost_of(manifest.chains.undamaged(manifest.chains.owners()),
                                {file.key: file.size for file in objects})
        tell_lost(manifest.lost)
        archives = manifest.archives()
        old, stay = _old_archives(manifest, archives, retention)
        gone = {row.id for row in old}
        needed = manifest.chains.needed(row.hash for row in archives if row.id not in gone)
        old = [row for row in old if row.hash not in needed]
        gone = {row.id for row in old}
        kept = {archive_key(row.hash) for row in archives if row.id not in gone}
        kept |= {archive_key(content_hash) for content_hash in needed}
        kept |= {receipt_key(row.path) for row in manifest.repositories()}
        known = {archive_key(row.hash) for row in old}
        young = time.time() - retention.grace
        # An old archive and a newer one may be the same file.
        files = [file for file in objects + receipts if file.key not in kept and (
            file.key in known or (file.changed is not None and file.changed < young))]
        unknown = any(is_archive_key(file.key) and file.key not in known for file in files)
        named = _named_by_receipts(manifest, store, receipts, every=unknown) if files else set()
        # The record first: what it does not name, the next prune removes.
        if not dry_run:
            manifest.forget_archives(gone, needed)
        for file in files:
            if file.key in named:
                continue
            if dry_run:
                tell(f"would remove {file.key} ({size_text(file.size)})")
            else:
                store.remove(file.key)
            counts.done += 1
            counts.bytes += file.size
        tell(f"{counted(counts.done, 'file', 'files')} "
             f"{'would be removed' if dry_run else 'removed'}, {size_text(counts.bytes)}")
        if stay:
            tell(f"{counted(stay, 'archive stays', 'archives stay')}, because the next ones may "
                 "lack objects that their repositories have lost (--keep-lost)")
        return counts.failures


def _named_by_receipts(manifest: Manifest, store: Store, receipts: Iterable[Stored], *,
                       every: bool) -> set[str]:
    """The receipts of repositories without an archive in the record, and what they name.

    every: also those of the other repositories, of which the record may be out of date
    Raises Fatal if such a receipt cannot be read.
    """
    recorded = {receipt_key(row.path) for row in manifest.repositories()
                if row.archive is not None}
    named: set[str] = set()
    for key in (file.key for file in receipts if every or file.key not in recorded):
        if not key.endswith(".json"):
            continue  # What a run that was killed has left.
        made = valid_note(store.receipt(key))
        if made is not None:
            links = parse_chain(made.chain)
            named |= {key, archive_key(made.hash), *(archive_key(link.hash) for link in links)}
        elif every or key not in recorded:
            raise Fatal(f"cannot read '{key}', which may name the newest archive of a "
                        "repository; remove it if that is not needed")
    return named


def _old_archives(manifest: Manifest, archives: Iterable[ArchiveRow],
                  retention: Retention) -> tuple[list[ArchiveRow], int]:
    """The archives that are not kept, and how many are kept only for what was lost."""
    newest = {row.archive.id for row in manifest.repositories() if row.archive is not None}
    by_repository: dict[int, list[ArchiveRow]] = {}
    for row in archives:
        by_repository.setdefault(row.repository, []).append(row)
    old: list[ArchiveRow] = []
    stay = 0
    recent = time.time() - retention.lost
    for rows in by_repository.values():
        whole = [index for index, row in enumerate(rows) if row.damage is None]
        if len(whole) < retention.newest:
            continue  # What is damaged may be all that is left.
        for row, lost in zip(rows[:whole[-retention.newest]], _losses(rows)):
            if row.id in newest:
                continue
            if lost > recent:
                stay += row.hash not in manifest.lost
            else:
                old.append(row)
    return old, stay


def _losses(rows: Sequence[ArchiveRow]) -> list[float]:
    """When the first archive that may lack objects of a row was recorded; 0 if the objects are
    in a whole newer archive.

    rows: the archives of a repository, the oldest first
    """
    losses = [0.0]
    for row, successor in zip(reversed(rows[:-1]), reversed(rows)):
        # Only a file of whose objects none was lost can be the base of the next.
        if row.hash not in (successor.base, successor.hash):
            losses.append(successor.recorded)
        else:
            losses.append(0.0 if successor.damage is None else losses[-1])
    return losses[::-1]
