# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The tasks that run on workers: look at, archive, check and restore repositories.

A task never raises: its answer says what failed. A task that runs twice, or
again after its worker was killed, finishes what is there.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
import time
from typing import Any, Callable, Iterator, NamedTuple, Optional, TypeVar

from . import fingerprint
from .durable import make_directories
from .failures import Failure, Kind, of_exception, of_program
from .jobs import (ArchiveJob, Outcome, RestoreJob, ScanJob, ScanResult, Settings, VerifyJob)
from .program import memory_options, run, run_json
from .records import NewArchive, is_valid
from .space import reserved
from .store import Store, archive_key
from .text import parse_json, printable, quoted

_stores: dict[str, Store] = {}
_Job = TypeVar("_Job", ArchiveJob, VerifyJob, RestoreJob)
_MARGIN = 1 << 20
_LIMIT_OF_NOTE = 1 << 16
_QUICK_SECONDS = 60.0
# Any disk and any profile do more.
_BYTES_IN_A_SECOND = 100_000


def scan(jobs: list[ScanJob]) -> list[ScanResult]:
    """Looks at a batch of repositories."""
    return [_scan(job) for job in jobs]


def _scan(job: ScanJob) -> ScanResult:
    seen = fingerprint.scan(job.path, job.digest)
    unchanged = seen.error is None and seen.digest == job.digest
    if unchanged and job.racy:
        unchanged = fingerprint.refs_fingerprint(job.path) == job.refs
    return ScanResult(job.id, seen.digest, seen.size, seen.pool, unchanged, seen.error)


def archive(job: ArchiveJob, settings: Settings) -> Outcome:
    """Converts a repository, uploads the archive and reads it back."""
    return _guarded(_archive, job, settings)


def verify(job: VerifyJob, settings: Settings) -> Outcome:
    """Reads an archive, compares its hash and lets git-zpack check it."""
    return _guarded(_verify, job, settings)


def restore(job: RestoreJob, settings: Settings) -> Outcome:
    """Restores a repository, and compares its refs with the archive's."""
    return _guarded(_restore, job, settings)


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
    except Exception as error:  # pylint: disable=broad-except
        failure = of_exception(error)
        return Outcome(job.id, kind=failure.kind.value, message=printable(failure.message))


class _Place(NamedTuple):
    """Where a task keeps its files, and the descriptor that locks them."""

    directory: str
    archive: str
    note: str
    base: str
    lock: int


def store_of(settings: Settings) -> Store:
    """The store; connections are kept for the next task."""
    key = repr((settings.url, settings.options))
    if key not in _stores:
        _stores[key] = Store(settings.url, settings.options)
    return _stores[key]


def scratch_of(settings: Settings, store: Store) -> str:
    """The directory for temporary files on this machine; made if needed."""
    if settings.scratch is not None:
        directory = settings.scratch
    elif store.is_local:
        directory = store.local_path("scratch")
    else:
        directory = os.path.join(tempfile.gettempdir(), f"git-zpack-fleet-{os.getuid()}")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    if os.stat(directory).st_uid != os.getuid():
        raise Failure(Kind.PROGRAM, f"directory '{directory}' belongs to another user")
    return directory


@contextlib.contextmanager
def _place(directory: str, name: str) -> Iterator[_Place]:
    """Locks the files of one repository; waits for a task that still runs."""
    stem = os.path.join(directory, name)
    while True:
        lock = os.open(stem + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.exists(stem + ".lock") and os.path.samestat(
                    os.fstat(lock), os.stat(stem + ".lock")):
                try:
                    yield _Place(directory, stem + ".zpack", stem + ".json", stem + ".base", lock)
                finally:
                    _remove(stem + ".lock")
                return
        finally:
            os.close(lock)


def _archive(job: ArchiveJob, settings: Settings) -> Outcome:
    store = store_of(settings)
    with _place(scratch_of(settings, store), hashlib.sha256(job.path).hexdigest()) as place:
        before = fingerprint.scan(job.path, job.digest)
        if before.error is not None:
            raise Failure(Kind.SOURCE_BROKEN, before.error)
        if before.digest == job.digest:
            before = before._replace(size=job.size)
        made = _already_made(job, before, store, place)
        lost_refs = 0
        if made is None:
            made, lost_refs = _make(job, before, settings, place)
        if os.path.exists(place.archive):
            sent = store.put(place.archive, made.hash, move=True)
            made = made._replace(uploaded=made.uploaded + sent)
            store.write_receipt(job.path, made._asdict())
        elif not store.has(made.hash):
            raise Failure(Kind.STORAGE,
                          f"'{archive_key(made.hash)}' has other bytes than its name says")
        for leftover in (place.archive, place.note, place.base):
            _remove(leftover)
    return Outcome(job.id, archive=made, lost_refs=lost_refs)


def _already_made(job: ArchiveJob, before: fingerprint.Scan, store: Store,
                  place: _Place) -> Optional[NewArchive]:
    """What a task that died had finished for this state of the repository."""
    notes = [read_note(place.note)]
    # Dask repeats the tasks of a worker that died; then a receipt saves a
    # conversion, but from another machine it is one more request for each.
    if job.inherited or store.is_local:
        notes.append(store.read_receipt(job.path))
    for note in notes:
        made = valid_note(note)
        if made is None or made.digest != before.digest or made.racy or before.racy:
            continue
        made = made._replace(repository=job.id)
        if os.path.exists(place.archive) and _hash_file(place.archive) == made.hash:
            return made
        with contextlib.suppress(FileNotFoundError):
            if store.has(made.hash):
                _remove(place.archive)
                return made
    return None


def _make(job: ArchiveJob, before: fingerprint.Scan, settings: Settings,
          place: _Place) -> tuple[NewArchive, int]:
    """The new archive, and how many refs of its base the repository no longer has."""
    store = store_of(settings)
    started = time.monotonic()
    needed = before.size + _MARGIN + (0 if store.is_local else job.base_size)
    with reserved(place.directory, needed, settings.patience):
        base = _base_of(job, store, place)
        try:
            result = _convert(job, settings, place, base)
        except Failure as failure:
            now = fingerprint.scan(job.path)
            if failure.kind is Kind.SOURCE_BROKEN and now.digest != before.digest:
                raise Failure(Kind.SOURCE_CHANGED, failure.message) from failure
            if failure.kind is not Kind.SOURCE_BROKEN:
                raise
            _remove_partial(place)
            if base is None:
                raise
            base = None  # The base may be what is damaged.
            result = _convert(job, settings, place, None)
        # Only needed to tell an unchanged repository from a changed one; for
        # small repositories, asking takes a tenth of the conversion.
        refs = _refs_in(settings, place.archive) if before.racy else ""
        made = NewArchive(
            repository=job.id, hash=_hash_file(place.archive), size=result["file_bytes"],
            source_bytes=before.size, digest=before.digest, racy=before.racy,
            refs=refs, objects=result["objects"],
            seconds=time.monotonic() - started, peak=result["peak_rss_bytes"], uploaded=0,
            base=job.base if base is not None and _used_base(result) else None)
        _write_note(place.note, made)
    return made, _lost_refs(result)


def seconds_for(size: int, settings: Settings) -> float:
    """How long git-zpack may work on so many bytes."""
    return settings.limit + size / _BYTES_IN_A_SECOND


def _refs_in(settings: Settings, path: str) -> str:
    ran = run(settings.program, ["list-refs", "--fingerprint", path],
              seconds=seconds_for(os.path.getsize(path), settings))
    if ran.status != 0:
        raise of_program(ran.status, ran.message)
    # A file without refs has no fingerprint, and git show-ref prints nothing.
    return ran.output.decode("ascii", "replace").strip() or hashlib.sha1().hexdigest()


def _used_base(result: dict[str, Any]) -> bool:
    base = result.get("base")
    return isinstance(base, dict) and base.get("unused") is None


def _lost_refs(result: dict[str, Any]) -> int:
    lost = result.get("lost")  # None without a base
    refs = lost.get("refs") if isinstance(lost, dict) else None
    return refs if isinstance(refs, int) else 0


def _base_of(job: ArchiveJob, store: Store, place: _Place) -> Optional[str]:
    if job.base is None:
        return None
    if store.is_local:
        path = store.local_path(archive_key(job.base))
        return path if os.path.exists(path) else None
    try:
        store.fetch(job.base, place.base)
    except (FileNotFoundError, Failure):
        _remove(place.base)  # Lost or damaged: everything is converted.
        return None
    return place.base


def _convert(job: ArchiveJob, settings: Settings, place: _Place,
             base: Optional[str]) -> dict[str, Any]:
    options = ["convert", "--json", "--quiet", "--force", "--resume", *settings.convert,
               *memory_options(job.memory, settings.threads)]
    if base is not None:
        options += ["--base", base]
    return run_json(settings.program, [*options, job.path, place.archive],
                    seconds=seconds_for(job.size, settings), keep_open=(place.lock,))


@contextlib.contextmanager
def _local_archive(content_hash: str, size: int, settings: Settings) -> Iterator[str]:
    """The path of an archive on this machine, its bytes compared with its name."""
    store = store_of(settings)
    if store.is_local:
        key = archive_key(content_hash)
        if store.hash_of(key) != content_hash:
            raise Failure(Kind.DAMAGED, f"bytes of '{key}' do not have the hash that is its name")
        yield store.local_path(key)
        return
    scratch = scratch_of(settings, store)
    with reserved(scratch, size + _MARGIN, settings.patience):
        with tempfile.TemporaryDirectory(dir=scratch, prefix="fetched-") as directory:
            path = os.path.join(directory, content_hash + ".zpack")
            store.fetch(content_hash, path)
            yield path


def _verify(job: VerifyJob, settings: Settings) -> Outcome:
    try:
        with _local_archive(job.hash, job.size, settings) as path:
            ran = run(settings.program, ["verify", "--json", "--quiet", "--level", job.level,
                                         *memory_options(job.memory, settings.threads), path],
                      seconds=seconds_for(job.size, settings))
    except FileNotFoundError:
        return Outcome(job.id, damage=f"'{archive_key(job.hash)}' is missing from the store")
    except Failure as failure:
        if failure.kind is not Kind.DAMAGED:
            raise
        return Outcome(job.id, damage=failure.message)
    if ran.status in (0, 1):
        return Outcome(job.id, damage=None if ran.status == 0 else ran.message)
    raise Failure(Kind.PROGRAM, ran.message)


def _restore(job: RestoreJob, settings: Settings) -> Outcome:
    make_directories(os.path.dirname(job.target))
    with _local_archive(job.hash, job.size, settings) as path:
        refs = _refs_in(settings, path)
        if os.path.exists(os.path.join(job.target, b"HEAD")):
            if fingerprint.refs_fingerprint(job.target) == refs:
                return Outcome(job.id)  # By an earlier run; restore publishes whole ones.
            raise Failure(Kind.PROGRAM, "destination exists and has other refs")
        if os.path.lexists(job.target) and not _is_empty(job.target):
            raise Failure(Kind.PROGRAM, f"'{quoted(job.target)}' exists and is not a repository; "
                                        "restore to another directory")
        run_json(settings.program,
                 ["restore", "--json", "--quiet", *job.options,
                  *memory_options(job.memory, settings.threads), path, job.target],
                 seconds=seconds_for(job.size, settings))
    if fingerprint.refs_fingerprint(job.target) != refs:
        raise Failure(Kind.DAMAGED, "refs of the restored repository are not those of the archive")
    return Outcome(job.id)


def _is_empty(path: bytes) -> bool:
    return os.path.isdir(path) and not os.listdir(path)


def _hash_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def valid_note(note: Optional[dict[str, Any]]) -> Optional[NewArchive]:
    """The archive that a note or a receipt is about; None if it is damaged."""
    if note is None or set(note) != set(NewArchive._fields):
        return None  # Of another version of this program.
    made = NewArchive(**note)
    return made if is_valid(NewArchive, made) else None


def read_note(path: str) -> Optional[dict[str, Any]]:
    """What a task of this machine has written when its archive was complete, or None."""
    try:
        with open(path, encoding="utf-8") as file:
            note = parse_json(file.read(_LIMIT_OF_NOTE))
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) else None


def _write_note(path: str, made: NewArchive) -> None:
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(made._asdict(), file)
    os.replace(path + ".new", path)


def _remove_partial(place: _Place) -> None:
    directory, name = os.path.split(place.archive)
    _remove(os.path.join(directory, f".{name}.zpack-tmp"))


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
