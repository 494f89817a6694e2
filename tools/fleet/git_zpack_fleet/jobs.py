# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the client sends to workers, and what they answer. All can be pickled."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from .records import MOST_FILES, Link, NewArchive


class Settings(NamedTuple):
    """What all tasks of a run have in common.

    program: git-zpack, found on the workers' PATH unless it is a path
    url, options: the store, for fsspec
    scratch: directory on the workers; None: in a local store, or in TMPDIR
    convert: more options of git-zpack convert
    threads: of each git-zpack
    patience: seconds to wait for disk space that other tasks hold
    limit: seconds for a git-zpack, beside those for the size of its work
    increments: archives may depend on others, and files on which they may depend stay
        in the scratch directory for a time
    """

    program: str
    url: str
    options: dict[str, Any]
    scratch: Optional[str]
    convert: tuple[str, ...]
    threads: int
    patience: float
    limit: float
    increments: bool = False


class ScanJob(NamedTuple):
    """A repository to look at, and the state and refs of its newest archive."""

    id: int
    path: bytes
    digest: str
    racy: bool
    refs: str


class ScanResult(NamedTuple):
    """What a scan saw.

    unchanged: the newest archive has this state
    error: why the repository cannot be read, or None
    """

    id: int
    digest: str
    size: int
    pool: bytes
    unchanged: bool
    error: Optional[str]


class Join(NamedTuple):
    """When increments of a repository become one file.

    geometric: as soon as a file is not twice as large as all newer ones together
    most: files in a chain, the new one included
    """

    geometric: bool = False
    most: int = MOST_FILES


class ArchiveJob(NamedTuple):
    """A repository to convert and upload.

    digest, size: of the repository, as the scan of this run saw it
    base: hash of the archive whose blocks can be copied, or None
    base_size: its bytes
    inherited: a run that died may have uploaded the archive already
    memory: bytes for git-zpack
    below: the files that base depends on, the nearest first
    onto: the new archive depends on base, in place of copies of its blocks
    foreign: base is an archive of another repository
    own: how many of base and those below it may be joined with the new archive
    join: when files of this repository become one
    patient: if a file that it needs is missing, the task fails, so that the file can
        be made again first
    fresh: no archive that depends on others, or was made of another one, is the answer,
        such as the one before
    """

    id: int
    path: bytes
    name: bytes
    digest: str
    size: int
    base: Optional[str]
    base_size: int
    inherited: bool
    memory: int
    below: tuple[Link, ...] = ()
    onto: bool = False
    foreign: bool = False
    own: int = 0
    join: Join = Join()
    patient: bool = False
    fresh: bool = False

    def chain(self) -> tuple[Link, ...]:
        """The files that the task needs, the nearest first."""
        return () if self.base is None else (Link(self.base, self.base_size), *self.below)


class SketchJob(NamedTuple):
    """A repository whose commits are looked at."""

    id: int
    path: bytes


class SketchResult(NamedTuple):
    """The sketch of a repository; None if Git could not list its commits."""

    id: int
    commits: int
    content: Optional[bytes]


class VerifyJob(NamedTuple):
    """An archive to check.

    below: the files that it depends on, the nearest first
    own: these files are checked by other tasks
    """

    id: int
    hash: str
    name: bytes
    size: int
    level: str
    memory: int
    below: tuple[Link, ...] = ()
    own: bool = False


class RewriteJob(NamedTuple):
    """An archive that becomes one file with all that it depends on.

    profile: with which every object is encoded again, or None
    """

    id: int
    path: bytes
    archive: NewArchive
    name: bytes
    profile: Optional[str]
    memory: int


class RestoreJob(NamedTuple):
    """An archive to restore to a directory that does not exist yet."""

    id: int
    hash: str
    name: bytes
    size: int
    target: bytes
    options: tuple[str, ...]
    memory: int
    below: tuple[Link, ...] = ()


class Outcome(NamedTuple):
    """How a task ended: with an archive, with damage, with a failure, or well.

    kind: value of failures.Kind, or None
    lost_refs: refs that the archive before has, and the repository no longer
    missing: hash of a file that was needed and is missing or damaged, and which
    """

    id: int
    archive: Optional[NewArchive] = None
    damage: Optional[str] = None
    kind: Optional[str] = None
    message: str = ""
    lost_refs: int = 0
    missing: tuple[tuple[str, str], ...] = ()
