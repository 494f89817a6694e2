# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the manifest."""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple, Optional, Sequence

from .failures import Kind

HASH = re.compile("[0-9a-f]{64}")
# Of a chain of files that depend on each other, the new one included.
MOST_FILES = 255
# Further from 1970, there may be no date.
_MOST_SECONDS = 6e10


class Link(NamedTuple):
    """A file of the store on which another one depends."""

    hash: str
    size: int


def chain_text(links: Sequence[Link]) -> str:
    """Links as one text, which parse_chain reads."""
    return " ".join(f"{link.hash}:{link.size}" for link in links)


def parse_chain(text: str) -> tuple[Link, ...]:
    """The links of a text. Raises ValueError."""
    links = []
    for word in text.split():
        content_hash, _, size = word.partition(":")
        if not HASH.fullmatch(content_hash) or not size.isdecimal() or len(size) > 18:
            raise ValueError(f"not a link: '{word}'")
        links.append(Link(content_hash, int(size)))
    if len({link.hash for link in links}) < len(links) or len(links) >= MOST_FILES:
        raise ValueError("not a chain")
    return tuple(links)


class ArchiveRow(NamedTuple):
    """An archive that was uploaded, read back and recorded.

    hash: SHA-256 of the file, which is its name in the store
    digest, racy: the state of the repository before it was converted
    refs: if racy, the fingerprint of the refs in the file, as grokmirror's; else ''
    uploaded: bytes sent to the store; 0 if the store had the file
    objects: in the file itself
    base: hash of the archive of which this one has all objects, because its blocks
        were copied or because this one depends on it, or None
    verified: when git-zpack verify last checked it, or None
    damage: what verify found, or None
    """

    id: int
    repository: int
    hash: str
    size: int
    source_bytes: int
    digest: str
    racy: int
    refs: str
    objects: int
    seconds: float
    peak: int
    uploaded: int
    base: Optional[str]
    recorded: float
    verified: Optional[float]
    damage: Optional[str]


class NewArchive(NamedTuple):
    """What is known of an archive before it is recorded; fields as in ArchiveRow.

    chain: the files that it depends on, the nearest first, as chain_text writes them
    """

    repository: int
    hash: str
    size: int
    source_bytes: int
    digest: str
    racy: bool
    refs: str
    objects: int
    seconds: float
    peak: int
    uploaded: int
    base: Optional[str]
    chain: str = ""


class RepositoryRow(NamedTuple):
    """A repository, its state when it was last seen, and its newest archive."""

    id: int
    path: bytes
    name: bytes
    bytes: int
    digest: str
    seen: float
    attempts: int
    failure: Optional[str]
    message: Optional[str]
    failed: Optional[float]
    archive: Optional[ArchiveRow]

    def is_safe(self) -> bool:
        """Whether an undamaged archive has the state that was last seen."""
        return (self.archive is not None and self.archive.damage is None
                and self.archive.digest == self.digest and self.failure is None)

    def is_unreached(self) -> bool:
        """Whether the walk of the last archive did not reach what may be a repository."""
        return self.failure == Kind.NOT_REACHED.value

    def why_unsafe(self) -> str:
        """A sentence, for a repository that is not safe."""
        if self.archive is not None and self.archive.damage is not None:
            return f"archive damaged: {self.archive.damage}"
        if self.failure is not None:
            return f"{self.failure}: {self.message}"
        return "not archived yet" if self.archive is None else "changed since it was archived"


def is_valid(row: type[tuple[Any, ...]], values: Sequence[Any]) -> bool:
    """Whether values can be the fields of a row: SQLite and JSON promise no types."""
    names, allowed = _fields(row)
    if len(values) != len(names) or not all(map(isinstance, values, allowed)):
        return False
    # Times and durations; JSON and SQLite know infinity, too.
    if not all(-_MOST_SECONDS < value < _MOST_SECONDS for value, kinds in zip(values, allowed)
               if float in kinds and value is not None):
        return False
    # Names of files are made of it.
    return "hash" not in names or HASH.fullmatch(values[names.index("hash")]) is not None


@functools.cache
def _fields(row: type[tuple[Any, ...]]) -> tuple[list[str], list[tuple[type, ...]]]:
    """Names and types of the fields, without those that are rows themselves."""
    kinds: dict[str, tuple[type, ...]] = {
        "bytes": (bytes,), "str": (str,), "int": (int,), "bool": (int,), "float": (int, float),
        "Optional[str]": (str, type(None)), "Optional[float]": (int, float, type(None))}
    # As they are written: a field has the name of the type 'bytes'.
    written = {name: hint.__forward_arg__ for name, hint in row.__annotations__.items()}
    fields = {name: kinds[text] for name, text in written.items() if text in kinds}
    return list(fields), list(fields.values())
