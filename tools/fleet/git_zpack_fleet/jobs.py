# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the client sends to workers, and what they answer. All can be pickled."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from .records import NewArchive


class Settings(NamedTuple):
    """What all tasks of a run have in common.

    program: git-zpack, found on the workers' PATH unless it is a path
    url, options: the store, for fsspec
    scratch: directory on the workers; None: in a local store, or in TMPDIR
    convert: more options of git-zpack convert
    threads: of each git-zpack
    patience: seconds to wait for disk space that other tasks hold
    limit: seconds for a git-zpack, beside those for the size of its work
    """

    program: str
    url: str
    options: dict[str, Any]
    scratch: Optional[str]
    convert: tuple[str, ...]
    threads: int
    patience: float
    limit: float


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


class ArchiveJob(NamedTuple):
    """A repository to convert and upload.

    digest, size: of the repository, as the scan of this run saw it
    base: hash of the archive whose blocks can be copied, or None
    base_size: its bytes
    inherited: a run that died may have uploaded the archive already
    memory: bytes for git-zpack
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


class VerifyJob(NamedTuple):
    """An archive to check."""

    id: int
    hash: str
    name: bytes
    size: int
    level: str
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


class Outcome(NamedTuple):
    """How a task ended: with an archive, with damage, with a failure, or well.

    kind: value of failures.Kind, or None
    lost_refs: refs that the archive before has, and the repository no longer
    """

    id: int
    archive: Optional[NewArchive] = None
    damage: Optional[str] = None
    kind: Optional[str] = None
    message: str = ""
    lost_refs: int = 0
