# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""convert, consolidate, verify and restore.

An operation runs in a thread of its own, so that Ctrl-C stops it: KeyboardInterrupt
goes on once it has ended. restore, consolidate and convert with `onto` then leave
nothing; convert otherwise leaves the hidden file that 'git-zpack convert --resume'
continues.

A file can depend on other files. They are looked for beside the file, then in the files
and directories of `backing`, which is one path or several, then in those of the environment variable ZPACK_BACKING.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Iterable, NamedTuple, Optional, Union

from . import _zpack
from .search import choice

_PROFILES = {"fast": 0, "balanced": 1, "max": 2, "cold": 3}
_COPY = -1
_LEVELS = {"structure": 0, "checksums": 1, "objects": 2, "connectivity": 3}


class Progress(NamedTuple):
    """How far an operation is. Totals are 0 if they are not known."""

    phase: str
    objects: int
    total_objects: int
    bytes: int
    total_bytes: int


ProgressCallback = Callable[[Progress], Any]
Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
Paths = Union[Path, Iterable[Path]]


@dataclasses.dataclass(frozen=True)
class Report:
    """What verify found.

    ok: neither damage nor a difference
    objects: in the file; 0 if its structure is damaged
    verified: objects that were decoded and hashed
    damages, differences: a sentence each
    """

    ok: bool
    objects: int
    verified: int
    damages: tuple[str, ...]
    differences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


@dataclasses.dataclass(frozen=True)
class Consolidated:
    """What consolidate did.

    files: that were joined; 0 if nothing was written
    files_below: on which the new file depends
    objects: in the new file
    bytes_before: of the files that were joined
    bytes: of the new file
    """

    files: int
    files_below: int
    objects: int
    bytes_before: int
    bytes: int


def convert(repository: Path, path: Path, *, profile: str = "balanced",
            base: Optional[Path] = None, onto: Optional[Path] = None,
            skip_unchanged: bool = False, overwrite: bool = False,
            lose_dependents: bool = False, backing: Paths = (), threads: int = 0,
            progress: Optional[ProgressCallback] = None) -> bool:
    """Makes the file `path` of `repository`, reads it back and hashes every object.

    Returns whether a file was written.

    profile: 'fast', 'balanced', 'max' or 'cold'
    base: an older file, whose blocks are copied
    onto: a file on which the new one depends; the new one holds only what this one lacks
    skip_unchanged: with `onto`, writes nothing if the repository has not changed
    overwrite: replaces an existing file
    lose_dependents: with `overwrite`, also one on which others in its directory depend
    threads: 0 for one on each processor
    progress: is called with a Progress, ten times a second, in another thread
    """
    values = {"profile": choice(_PROFILES, "profile", profile), "base": base, "onto": onto,
              "skip_unchanged": skip_unchanged, "overwrite": overwrite,
              "lose_dependents": lose_dependents, "backing": backing, "threads": threads}
    return _zpack.convert(repository, path, values, _listener(progress))


def consolidate(path: Path, output: Path, *, profile: Optional[str] = None, first: int = 1,
                geometric: Optional[int] = None, overwrite: bool = False,
                lose_dependents: bool = False, backing: Paths = (),
                threads: int = 0,
                progress: Optional[ProgressCallback] = None) -> Consolidated:
    """Makes one file `output` of the file `path` and those that it depends on.

    Reads the new file back and hashes every object. Needs no repository.

    profile: encodes every object again; without it, blocks are copied
    first: the first file to join, counted from 1 in the order of dependence
    geometric: joins as few of the newest files as leave each file this many times as large
        as all newer ones together; at least 2
    overwrite, lose_dependents, threads, progress: as for convert
    """
    if geometric is not None and geometric < 2:
        raise ValueError(f"geometric is at least 2, not {geometric}")
    values = {"profile": _COPY if profile is None else choice(_PROFILES, "profile", profile),
              "from": first, "geometric": geometric or 0, "overwrite": overwrite,
              "lose_dependents": lose_dependents, "backing": backing, "threads": threads}
    done = _zpack.consolidate(path, output, values, _listener(progress))
    return Consolidated(*done)


def verify(path: Path, repository: Optional[Path] = None, *,
           level: str = "objects", allow_newer: bool = False, own: bool = False,
           backing: Paths = (), threads: int = 0,
           progress: Optional[ProgressCallback] = None) -> Report:
    """Verifies the file `path`, and compares it with `repository` if that is given.

    Damage is no exception; the report has it.

    level: 'structure', 'checksums', 'objects' or 'connectivity'
    allow_newer: the repository may have grown since
    own: does not check the files that the file depends on; they must be there all the same
    threads, progress: as for convert
    """
    values = {"level": choice(_LEVELS, "level", level), "allow_newer": allow_newer, "own": own,
              "backing": backing, "threads": threads}
    found = _zpack.verify(path, repository, values, _listener(progress))
    return Report(found["ok"], found["objects"], found["verified"],
                  tuple(map(_text, found["damages"])),
                  tuple(map(_text, found["differences"])))


def restore(path: Path, directory: Path, *, overwrite: bool = False,
            trust: bool = False, backing: Paths = (), threads: int = 0,
            progress: Optional[ProgressCallback] = None) -> None:
    """Makes the bare repository `directory` of the file `path`.

    overwrite: replaces an existing bare repository
    trust: hooks, settings and other files become active
    threads, progress: as for convert
    """
    values = {"overwrite": overwrite, "trust": trust, "backing": backing, "threads": threads}
    _zpack.restore(path, directory, values, _listener(progress))


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _listener(progress: Optional[ProgressCallback]) -> Optional[Callable[..., Any]]:
    """A function for the numbers of a Progress."""
    return None if progress is None else lambda *numbers: progress(Progress(*numbers))
