# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the archive of a repository on a worker, by itself or onto an older one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from typing import Any, Iterator, NamedTuple, Optional, Sequence

from . import fingerprint
from .backing import Unusable, at_hand, options, reserved_space
from .failures import Failure, Kind, of_program
from .jobs import ArchiveJob, Join, Settings
from .place import Place, hash_file, remove, store_of, temporary, write_note
from .program import memory_options, run, run_json
from .records import Link, NewArchive, chain_text
from .store import Store, archive_key

# Any disk and any profile do more.
_BYTES_IN_A_SECOND = 100_000
# As git zpack consolidate --geometric 2.
_FACTOR = 2


class Made(NamedTuple):
    """A new archive.

    lost_refs: refs of the archive before that the repository no longer has
    missing: as in Outcome
    """

    archive: NewArchive
    lost_refs: int = 0
    missing: tuple[tuple[str, str], ...] = ()


class _Older(NamedTuple):
    """An older archive at hand, and the files that it depends on."""

    path: str
    below: tuple[str, ...] = ()


def make(job: ArchiveJob, before: fingerprint.Scan, settings: Settings, place: Place) -> Made:
    """Converts a repository in the state before, and notes the archive."""
    try:
        with _older(job, settings) as older:
            return _make(job, before, settings, place, older)
    except Unusable as unusable:
        if job.patient:
            raise
        made = _make(job, before, settings, place, None)
        return made._replace(missing=((unusable.content_hash, unusable.why),))


def _make(job: ArchiveJob, before: fingerprint.Scan, settings: Settings, place: Place,
          older: Optional[_Older]) -> Made:
    started = time.monotonic()
    # What is fetched here, or may be joined with the new archive.
    more = sum(link.size for link in job.chain()[:job.own])
    if _is_plain(job):
        more = 0 if store_of(settings).is_local else job.base_size
    with reserved_space(settings, before.size + more):
        if older is None and _is_plain(job):
            older = _base_of(job, store_of(settings), place)
        try:
            result, chain = _convert(job, settings, place, older)
        except Failure as failure:
            now = fingerprint.scan(job.path)
            if failure.kind is Kind.SOURCE_BROKEN and now.digest != before.digest:
                raise Failure(Kind.SOURCE_CHANGED, failure.message) from failure
            if failure.kind is not Kind.SOURCE_BROKEN:
                raise
            remove(temporary(place.archive))
            if older is None:
                raise
            older = None  # The older archive may be what is damaged.
            result, chain = _convert(job, settings, place, None)
        # Only needed to tell an unchanged repository from a changed one; for
        # small repositories, asking takes a tenth of the conversion.
        refs = (refs_in(settings, place.archive, older.below + (older.path,) if older else ())
                if before.racy else "")
        made = NewArchive(
            repository=job.id, hash=hash_file(place.archive), size=result["file_bytes"],
            source_bytes=before.size, digest=before.digest, racy=before.racy,
            refs=refs, objects=result["objects"],
            seconds=time.monotonic() - started, peak=result["peak_rss_bytes"], uploaded=0,
            base=job.base if older is not None and _used_base(job, result) else None,
            chain=chain_text(chain))
        write_note(place.note, made)
    return Made(made, _lost_refs(result))


def seconds_for(size: int, settings: Settings) -> float:
    """How long git-zpack may work on so many bytes."""
    return settings.limit + size / _BYTES_IN_A_SECOND


def refs_in(settings: Settings, path: str, backing: Sequence[str] = ()) -> str:
    """The fingerprint of the refs in an archive, as grokmirror's."""
    ran = run(settings.program, ["list-refs", "--fingerprint", *options(backing), path],
              seconds=seconds_for(os.path.getsize(path), settings))
    if ran.status != 0:
        raise of_program(ran.status, ran.message)
    # A file without refs has no fingerprint, and git show-ref prints nothing.
    return ran.output.decode("ascii", "replace").strip() or hashlib.sha1().hexdigest()


def consolidate(settings: Settings, files: Sequence[str], joined: int, target: str,
                memory: int, profile: Optional[str] = None) -> dict[str, Any]:
    """Makes one file of the newest files of a chain; files: all of them, the newest first.

    profile: with which every object is encoded again, or None
    Returns what git-zpack says of the new file.
    """
    size = sum(os.path.getsize(path) for path in files[:joined])
    words = ["--from", str(len(files) - joined + 1)]
    if profile is not None:
        words += ["--profile", profile]
    return run_json(
        settings.program,
        ["consolidate", "--json", "--quiet", "--force", *words,
         *memory_options(memory, settings.threads), *options(files[1:]), files[0], target],
        seconds=seconds_for(size, settings))


def files_to_join(sizes: Sequence[int], below: int, join: Join) -> int:
    """How many of the newest files of a repository become one; 1: none.

    sizes: of its own files, the newest first
    below: files of other repositories on which they depend
    """
    if len(sizes) + below > join.most:
        return len(sizes)
    joined = 1
    newer = 0
    for number, size in enumerate(sizes):
        if join.geometric and size < _FACTOR * newer:
            joined = number + 1
        newer += size
    return joined


def _is_plain(job: ArchiveJob) -> bool:
    """Whether the older archive, if there is one, depends on nothing."""
    return not job.below and not job.onto


@contextlib.contextmanager
def _older(job: ArchiveJob, settings: Settings) -> Iterator[Optional[_Older]]:
    if job.base is None or _is_plain(job):
        yield None
        return
    with at_hand(job.chain(), settings, proven=False) as paths:
        yield _Older(paths[0], tuple(paths[1:]))


def _base_of(job: ArchiveJob, store: Store, place: Place) -> Optional[_Older]:
    if job.base is None:
        return None
    if store.is_local:
        path = store.local_path(archive_key(job.base))
        return _Older(path) if os.path.exists(path) else None
    try:
        store.fetch(job.base, place.base)
    except (FileNotFoundError, Failure):
        remove(place.base)  # Lost or damaged: everything is converted.
        return None
    return _Older(place.base)


def _convert(job: ArchiveJob, settings: Settings, place: Place,
             older: Optional[_Older]) -> tuple[dict[str, Any], tuple[Link, ...]]:
    """Writes the archive; returns what git-zpack says, and what the archive depends on."""
    words = ["convert", "--json", "--quiet", "--force", *settings.convert,
             *memory_options(job.memory, settings.threads)]
    if older is not None:
        words += options(older.below)
    if older is not None and job.onto:
        result = run_json(settings.program, [*words, "--onto", older.path, job.path, place.draft],
                          seconds=seconds_for(job.size, settings), keep_open=(place.lock,))
        return _joined(job, settings, place, older, result)
    words.append("--resume")
    if older is not None:
        words += ["--base", older.path]
    result = run_json(settings.program, [*words, job.path, place.archive],
                      seconds=seconds_for(job.size, settings), keep_open=(place.lock,))
    return result, ()


def _joined(job: ArchiveJob, settings: Settings, place: Place, older: _Older,
            result: dict[str, Any]) -> tuple[dict[str, Any], tuple[Link, ...]]:
    """The increment in the draft, or what it becomes with others, as the archive."""
    chain = job.chain()
    sizes = [result["file_bytes"], *(link.size for link in chain[:job.own])]
    joined = files_to_join(sizes, len(chain) - job.own, job.join)
    if joined > 1:
        files = [place.draft, older.path, *older.below]
        told = consolidate(settings, files, joined, place.joined, job.memory)
        os.replace(place.joined, place.draft)
        result = {**result, "file_bytes": told["file_bytes"], "objects": told["objects"],
                  "peak_rss_bytes": max(result["peak_rss_bytes"], told["peak_rss_bytes"])}
    os.replace(place.draft, place.archive)
    return result, chain[joined - 1:]


def _used_base(job: ArchiveJob, result: dict[str, Any]) -> bool:
    if job.onto:
        return True
    base = result.get("base")
    return isinstance(base, dict) and base.get("unused") is None


def _lost_refs(result: dict[str, Any]) -> int:
    lost = result.get("lost")  # None without a base
    refs = lost.get("refs") if isinstance(lost, dict) else None
    return refs if isinstance(refs, int) else 0
