# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks that run on workers: look at, archive, check and restore repositories.

A task never raises: its answer says what failed. A task that runs twice, or
again after its worker was killed, finishes what is there.
"""

from __future__ import annotations

import contextlib
import os
from typing import Callable, Iterator, Optional, Sequence, TypeVar

from . import fingerprint, sketch
from .backing import (MISSING, WRONG, Unusable, at_hand, keep, options, place_for,
                      reserved_space, tidy)
from .converting import consolidate, make, refs_in, seconds_for
from .durable import make_directories
from .failures import Failure, Kind, of_exception, of_program
from .jobs import (ArchiveJob, Outcome, RestoreJob, RewriteJob, ScanJob, ScanResult, Settings,
                   SketchJob, SketchResult, VerifyJob)
from .place import Place, hash_file, locked_place, read_note, remove, store_of, valid_note
from .program import memory_options, run, run_json
from .records import Link, NewArchive, parse_chain
from .store import Store, archive_key
from .text import printable, quoted, without_secrets

_Job = TypeVar("_Job", ArchiveJob, VerifyJob, RestoreJob, RewriteJob)
_QUICK_SECONDS = 60.0


def scan(jobs: list[ScanJob]) -> list[ScanResult]:
    """Looks at a batch of repositories."""
    return [_scan(job) for job in jobs]


def _scan(job: ScanJob) -> ScanResult:
    seen = fingerprint.scan(job.path, job.digest)
    unchanged = seen.error is None and seen.digest == job.digest
    if unchanged and job.racy:
        unchanged = fingerprint.refs_fingerprint(job.path) == job.refs
    return ScanResult(job.id, seen.digest, seen.size, seen.pool, unchanged, seen.error)


def take_sketches(jobs: list[SketchJob], settings: Settings) -> list[SketchResult]:
    """Looks at the commits of a batch of repositories."""
    return [_take_sketch(job, settings) for job in jobs]


def _take_sketch(job: SketchJob, settings: Settings) -> SketchResult:
    try:
        taken = sketch.take(job.path, settings.limit)
    except OSError:
        taken = None  # The conversion says what is wrong.
    return (SketchResult(job.id, 0, None) if taken is None
            else SketchResult(job.id, taken.commits, taken.packed()))


def archive(job: ArchiveJob, settings: Settings) -> Outcome:
    """Converts a repository, uploads the archive and reads it back."""
    return _guarded(_archive, job, settings)


def verify(job: VerifyJob, settings: Settings) -> Outcome:
    """Reads an archive, compares its hash and lets git-zpack check it."""
    return _guarded(_verify, job, settings)


def restore(job: RestoreJob, settings: Settings) -> Outcome:
    """Restores a repository, or proves that the one that is there is the archive's."""
    return _guarded(_restore, job, settings)


def rewrite(job: RewriteJob, settings: Settings) -> Outcome:
    """Makes one file of an archive and all that it depends on, and uploads it."""
    return _guarded(_rewrite, job, settings)


def check_program(program: str) -> str:
    """The version of git-zpack on this worker; raises Failure without it."""
    ran = run(program, ["--version"], seconds=_QUICK_SECONDS)
    if ran.status != 0:
        raise Failure(Kind.PROGRAM, f"cannot run '{program}': {ran.message}")
    return ran.output.decode("utf-8", "replace").strip()


def _guarded(work: Callable[[_Job, Settings], Outcome], job: _Job,
             settings: Settings) -> Outcome:
    try:
        return work(job, settings)
    except Unusable as unusable:
        return Outcome(job.id, kind=unusable.kind.value, message=unusable.message,
                       missing=((unusable.content_hash, unusable.why),))
    except Exception as error:  # pylint: disable=broad-except
        failure = of_exception(error)
        kind = failure.kind
        if kind is Kind.SOURCE_BROKEN and not isinstance(job, ArchiveJob):
            kind = Kind.PROGRAM  # No repository was read.
        return Outcome(job.id, kind=kind.value,
                       message=printable(without_secrets(failure.message, settings.url)))


def _archive(job: ArchiveJob, settings: Settings) -> Outcome:
    with locked_place(settings, job.path) as place:
        before = fingerprint.scan(job.path, job.digest)
        if before.error is not None:
            raise Failure(Kind.SOURCE_BROKEN, before.error)
        if before.digest == job.digest:
            before = before._replace(size=job.size)
        made = _already_made(job, before, settings, place)
        lost_refs = 0
        missing: tuple[tuple[str, str], ...] = ()
        if made is None:
            made, lost_refs, missing = make(job, before, settings, place)
        made = _upload(made, job.path, settings, place)
    return Outcome(job.id, archive=made, lost_refs=lost_refs, missing=missing)


def _upload(made: NewArchive, path: bytes, settings: Settings, place: Place) -> NewArchive:
    """Brings an archive to the store, unless it is there; ends the task's files."""
    store = store_of(settings)
    if os.path.exists(place.archive):
        sent = store.put(place.archive, made.hash, move=True)
        made = made._replace(uploaded=made.uploaded + sent)
        store.write_receipt(path, made._asdict())
    elif not store.has(made.hash):
        raise Failure(Kind.STORAGE,
                      f"'{archive_key(made.hash)}' has other bytes than its name says")
    if settings.increments and not store.is_local and os.path.exists(place.archive):
        keep(place.archive, Link(made.hash, made.size), settings)
    place.clear()
    return made


def _already_made(job: ArchiveJob, before: fingerprint.Scan, settings: Settings,
                  place: Place) -> Optional[NewArchive]:
    """What a task that died had finished for this state of the repository."""
    store = store_of(settings)
    notes = [read_note(place.note)]
    # Dask repeats the tasks of a worker that died; then a receipt saves a
    # conversion, but from another machine it is one more request for each.
    if job.inherited or store.is_local:
        notes.append(store.read_receipt(job.path))
    for note in notes:
        made = valid_note(note)
        if made is None or made.digest != before.digest or made.racy or before.racy:
            continue
        if job.fresh and (made.chain or made.base is not None):
            continue
        if made.chain and not _can_depend(made, settings):
            continue
        made = made._replace(repository=job.id)
        if os.path.exists(place.archive) and hash_file(place.archive) == made.hash:
            return made
        with contextlib.suppress(FileNotFoundError):
            if store.has(made.hash):
                remove(place.archive)
                return made
    return None


def _can_depend(made: NewArchive, settings: Settings) -> bool:
    """Whether a finished archive may depend on other files, and these are there."""
    store = store_of(settings)
    return settings.increments and all(
        store.is_there(archive_key(link.hash), link.size) for link in parse_chain(made.chain))


@contextlib.contextmanager
def _local_archive(link: Link, below: Sequence[Link], settings: Settings, *,
                   proven: bool) -> Iterator[tuple[str, list[str]]]:
    """An archive on this machine and the files below it, compared with their names.

    proven: as in at_hand, for the files below
    """
    store = store_of(settings)
    key = archive_key(link.hash)
    with at_hand(below, settings, proven=proven) as paths:
        if store.is_local:
            with _named_if_missing(key):
                right = store.hash_of(key) == link.hash
            if not right:
                raise Failure(Kind.DAMAGED,
                              f"bytes of '{key}' do not have the hash that is its name")
            yield store.local_path(key), paths
            return
        with reserved_space(settings, link.size), place_for(link, settings) as path:
            with _named_if_missing(key):
                store.fetch(link.hash, path)
            yield path, paths
    tidy(settings)


@contextlib.contextmanager
def _named_if_missing(key: str) -> Iterator[None]:
    """A file that is not in the store is a failure that another try does not cure."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Failure(Kind.DAMAGED, f"'{key}' {MISSING}") from error


def _verify(job: VerifyJob, settings: Settings) -> Outcome:
    try:
        with _local_archive(Link(job.hash, job.size), job.below, settings,
                            proven=not job.own) as (path, below):
            ran = run(settings.program, ["verify", "--json", "--quiet", "--level", job.level,
                                         *(["--own"] if job.own else []), *options(below),
                                         *memory_options(job.memory, settings.threads), path],
                      seconds=seconds_for(job.size, settings))
    except Unusable as unusable:
        return Outcome(job.id, damage=unusable.message,
                       missing=((unusable.content_hash, unusable.why),
                                *_own_damage(job, store_of(settings))))
    except Failure as failure:
        if failure.kind is not Kind.DAMAGED:
            raise
        return Outcome(job.id, damage=failure.message)
    if ran.status in (0, 1):
        return Outcome(job.id, damage=None if ran.status == 0 else ran.message)
    raise Failure(Kind.PROGRAM, ran.message)


def _own_damage(job: VerifyJob, store: Store) -> tuple[tuple[str, str], ...]:
    """What is wrong with an archive itself, of which a file below is missing or damaged."""
    try:
        right = store.hash_of(archive_key(job.hash)) == job.hash
    except FileNotFoundError:
        return ((job.hash, MISSING),)
    except Exception:  # pylint: disable=broad-except
        return ()  # The file below is what is reported; the next check tries again.
    return () if right else ((job.hash, WRONG),)


def _restore(job: RestoreJob, settings: Settings) -> Outcome:
    _make_directories_above(job.target)
    with _local_archive(Link(job.hash, job.size), job.below, settings,
                        proven=True) as (path, below):
        if os.path.exists(os.path.join(job.target, b"HEAD")):
            _compare(job, path, below, settings)  # An earlier run may have restored it.
            return Outcome(job.id)
        if os.path.lexists(job.target) and not _may_be_filled(job.target):
            raise Failure(Kind.PROGRAM, f"'{quoted(job.target)}' exists and is not a repository; "
                                        "restore to another directory")
        refs = refs_in(settings, path, below)
        run_json(settings.program,
                 ["restore", "--json", "--quiet", *job.options, *options(below),
                  *memory_options(job.memory, settings.threads), path, job.target],
                 seconds=_restore_seconds(job, settings))
    if fingerprint.refs_fingerprint(job.target) != refs:
        raise Failure(Kind.DAMAGED, "refs of the restored repository are not those of the archive")
    return Outcome(job.id)


def _make_directories_above(target: bytes) -> None:
    try:
        make_directories(os.path.dirname(target))
    except OSError as error:
        failure = of_exception(error)
        if failure.kind is not Kind.STORAGE:
            raise
        raise Failure(Kind.PROGRAM, f"could not create leading directories of '{quoted(target)}': "
                                    f"{error.strerror}") from error


def _compare(job: RestoreJob, path: str, below: Sequence[str], settings: Settings) -> None:
    """Raises Failure unless the destination is all that the archive holds, and no more."""
    ran = run(settings.program, ["verify", "--quiet", "--against", job.target, "--read-source",
                                 *options(below), *memory_options(job.memory, settings.threads),
                                 path], seconds=_restore_seconds(job, settings))
    if ran.status != 0:
        raise of_program(ran.status, "destination exists and could not be proven to be what the "
                                     f"archive holds: {ran.message}")


def _restore_seconds(job: RestoreJob, settings: Settings) -> float:
    return seconds_for(job.size + sum(link.size for link in job.below), settings)


def _rewrite(job: RewriteJob, settings: Settings) -> Outcome:
    older = job.archive
    chain = (Link(older.hash, older.size), *parse_chain(older.chain))
    with locked_place(settings, job.path) as place:
        with at_hand(chain, settings, proven=True) as paths:
            with reserved_space(settings, sum(link.size for link in chain)):
                told = consolidate(settings, paths, len(paths), place.joined, job.memory,
                                   job.profile)
        os.replace(place.joined, place.archive)
        made = older._replace(
            hash=hash_file(place.archive), size=told["file_bytes"], objects=told["objects"],
            peak=told["peak_rss_bytes"], uploaded=0, base=older.hash, chain="",
            seconds=sum(phase["seconds"] for phase in told["phases"]))
        made = _upload(made, job.path, settings, place)
    return Outcome(job.id, archive=made)


def _may_be_filled(path: bytes) -> bool:
    if not os.path.isdir(path):
        return False
    names = os.listdir(path)
    # git-zpack decides whether there are only leftovers of a killed run, which it removes.
    return not names or any(name.startswith(b".zpack-tmp") for name in names)
