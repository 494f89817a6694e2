# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""convert, verify and restore.

An operation runs in a thread of its own, so that Ctrl-C stops it: KeyboardInterrupt
goes on once it has ended. restore then leaves nothing; convert leaves the hidden
file that 'git-zpack convert --resume' continues.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, NamedTuple, Optional, Union

from . import _zpack

_PROFILES = {"fast": 0, "balanced": 1, "max": 2, "cold": 3}
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


def convert(repository: Path, path: Path, *, profile: str = "balanced",
            base: Optional[Path] = None, overwrite: bool = False,
            threads: int = 0,
            progress: Optional[ProgressCallback] = None) -> None:
    """Makes the file `path` of `repository`, reads it back and hashes every object.

    profile: 'fast', 'balanced', 'max' or 'cold'
    base: an older file, whose blocks are copied
    overwrite: replaces an existing file
    threads: 0 for one on each processor
    progress: is called with a Progress, ten times a second, in another thread
    """
    _zpack.convert(repository, path, _choice(_PROFILES, "profile", profile), base, overwrite,
                   threads, _listener(progress))


def verify(path: Path, repository: Optional[Path] = None, *,
           level: str = "objects", allow_newer: bool = False, threads: int = 0,
           progress: Optional[ProgressCallback] = None) -> Report:
    """Verifies the file `path`, and compares it with `repository` if that is given.

    Damage is no exception; the report has it.

    level: 'structure', 'checksums', 'objects' or 'connectivity'
    allow_newer: the repository may have grown since
    threads, progress: as for convert
    """
    found = _zpack.verify(path, repository, _choice(_LEVELS, "level", level), allow_newer,
                          threads, _listener(progress))
    return Report(found["ok"], found["objects"], found["verified"],
                  tuple(map(_text, found["damages"])),
                  tuple(map(_text, found["differences"])))


def restore(path: Path, directory: Path, *, overwrite: bool = False,
            trust: bool = False, threads: int = 0,
            progress: Optional[ProgressCallback] = None) -> None:
    """Makes the bare repository `directory` of the file `path`.

    overwrite: replaces an existing bare repository
    trust: hooks, settings and other files become active
    threads, progress: as for convert
    """
    _zpack.restore(path, directory, overwrite, trust, threads, _listener(progress))


def _choice(choices: dict[str, int], name: str, value: str) -> int:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}")
    return choices[value]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _listener(progress: Optional[ProgressCallback]) -> Optional[Callable[..., Any]]:
    """A function for the numbers of a Progress."""
    return None if progress is None else lambda *numbers: progress(Progress(*numbers))
