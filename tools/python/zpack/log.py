# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archive.log: commits, and the files that they change.

Threads of its own list the commits. At most 16 MB of them wait for the program. Ctrl-C is
heard while the iterator waits. The threads end when the iterator is gone.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Optional, Union

from .errors import Error
from .search import Pathspec, Pattern, bytes_of, choice, number, pathspecs

if TYPE_CHECKING:
    from ._zpack import Archive

_RENAMES = {"none": 0, "renames": 1, "copies": 2, "copies-harder": 3}
_NO_PICKAXE, _STRING, _EXPRESSION, _LINES, _OBJECT = range(5)
_STATUSES = "ACDMRTUXB*"
_MOST = 2**64 - 1
_PERSON = re.compile(rb"([^<]*)<?([^>]*)")
_TIME = re.compile(rb" *(-?[0-9]{1,19})(?![0-9])(?: +([+-])([0-9]{2})([0-9]{2})\b)?")

Time = Union[int, float, datetime.datetime]


class ChangedFile(NamedTuple):
    """A file that a commit changes.

    status: 'A' added, 'D' removed, 'M' changed, 'T' of another type, 'R' renamed, 'C'
        copied
    path: after the commit, or where the removed file was
    old_path: before the commit; differs only after 'R' and 'C'
    id, old_id: of the content after and before; None if there is none
    mode, old_mode: as in a tree, such as 0o100644; 0 if there is none
    similarity: in percent, for 'R' and 'C'
    """

    status: str
    path: str
    old_path: str
    id: Optional[str]
    old_id: Optional[str]
    mode: int
    old_mode: int
    similarity: int


class Signature(NamedTuple):
    """An author or committer, and when.

    time: seconds since 1970; 0 if the commit has no such number
    offset: of the time zone, in minutes east of UTC
    """

    name: str
    email: str
    time: int
    offset: int


class Commit(NamedTuple):
    """A commit.

    parents: ids; none at a shallow boundary
    content: as bytes(archive[id])
    files: those that it changes, if they were asked for; those of a merge only with
        first_parent

    What the content lacks is empty. Text is decoded as its header 'encoding' says, or as
    UTF-8; bytes that are not valid become surrogates.
    """

    id: str
    parents: tuple[str, ...]
    content: bytes
    files: tuple[ChangedFile, ...]

    @property
    def tree(self) -> str:
        """Id of its tree."""
        return self._header(b"tree").decode("ascii", "surrogateescape")

    @property
    def author(self) -> Signature:
        """Who wrote it."""
        return self._signature(b"author")

    @property
    def committer(self) -> Signature:
        """Who committed it."""
        return self._signature(b"committer")

    @property
    def message(self) -> str:
        """The message."""
        return self._text(self.raw_message)

    @property
    def raw_message(self) -> bytes:
        """The message as it is stored."""
        return self.content.partition(b"\n\n")[2]

    def _header(self, name: bytes) -> bytes:
        for line in self.content.partition(b"\n\n")[0].split(b"\n"):
            if line.startswith(name + b" "):
                return line[len(name) + 1:]
        return b""

    def _text(self, raw: bytes) -> str:
        encoding = self._header(b"encoding") or b"utf-8"
        try:
            return raw.decode(encoding.decode("latin-1"), "surrogateescape")
        except (LookupError, ValueError):
            return raw.decode("utf-8", "surrogateescape")

    def _signature(self, header: bytes) -> Signature:
        line = self._header(header)
        name, email = (self._text(part.strip())
                       for part in _PERSON.match(line).groups())  # type: ignore[union-attr]
        when = _TIME.match(line.rpartition(b">")[2])
        if when is None:
            return Signature(name, email, 0, 0)
        time, sign, hours, minutes = when.groups()
        offset = 60 * int(hours or 0) + int(minutes or 0)
        return Signature(name, email, int(time), -offset if sign == b"-" else offset)


# This becomes a method of Archive: log_class.cc.

def log(self: Archive, revisions: Union[str, Iterable[str]] = (),
        paths: Union[Pathspec, Iterable[Pathspec]] = (), *,
        all: bool = False,  # pylint: disable=redefined-builtin
        S: Optional[Pattern] = None, G: Optional[Pattern] = None,  # pylint: disable=invalid-name
        pickaxe_regex: bool = False, find_object: Optional[str] = None,
        ignore_case: bool = False, pickaxe_all: bool = False, text: bool = False,
        full_history: bool = False, follow: bool = False, first_parent: bool = False,
        reverse: bool = False, skip: int = 0, max_count: Optional[int] = None,
        since: Optional[Time] = None, until: Optional[Time] = None, min_parents: int = 0,
        max_parents: Optional[int] = None, files: bool = False, renames: str = "renames",
        similarity: float = 50, rename_limit: int = 1000, diff_filter: str = "",
        threads: int = 0) -> Iterator[Commit]:
    """Iterates over commits in the order of `git log`.

    revisions: where to begin, '^NAME' for what to leave out, or 'A..B'; without any, HEAD
    paths: as in gitglossary(7), relative to the top; only commits that change them
    all: begins with all refs and HEAD
    S: only commits that change how often this text occurs; a regular expression with
        pickaxe_regex
    G: only commits with an added or removed line that matches this regular expression
    find_object: only commits that add or remove this object
    ignore_case: of letters in S and G
    pickaxe_all: all files of a commit with one that S or G wants
    text: G looks into binary files, too
    full_history: does not simplify the history of paths
    follow: follows the only path beyond renames
    first_parent: follows only first parents, and compares merges with them
    reverse: the oldest commit first
    skip, max_count: of commits
    since, until: of the committer; seconds since 1970, or datetime
    min_parents, max_parents: of a commit; min_parents=2 lists merges
    files: whether commits have their files
    renames: 'none', 'renames' among removed files, 'copies' also of changed files,
        'copies-harder' also of all others
    similarity: of a renamed file, in percent
    rename_limit: above this number of files, only equal ones are renames; 0: no limit
    diff_filter: only files with these status letters; without those in lower case
    threads: 0 for one on each processor
    """
    if not 0 <= similarity <= 100:
        raise ValueError(f"similarity is 0 to 100, not {similarity}")
    if unknown := set(diff_filter.upper()) - set(_STATUSES):
        raise ValueError(f"diff_filter has letters of {_STATUSES}, not {unknown.pop()!r}")
    places = pathspecs(paths)
    if follow and len(places) != 1:
        raise ValueError("follow needs exactly one path")
    starts, excluded = _starts(self, revisions, all)
    values = _pickaxe(self, S, G, pickaxe_regex, find_object) | {
        "starts": starts, "excluded": excluded, "all": all, "paths": places,
        "ignore_case": ignore_case, "pickaxe_all": pickaxe_all, "text": text,
        "full_history": full_history, "follow": follow, "first_parent": first_parent,
        "reverse": reverse, "skip": number("skip", skip, _MOST),
        "max_count": _optional("max_count", max_count), "since": _seconds("since", since),
        "until": _seconds("until", until), "min_parents": number("min_parents", min_parents),
        "max_parents": _optional("max_parents", max_parents), "files": files,
        "renames": choice(_RENAMES, "renames", renames), "similarity": float(similarity),
        "rename_limit": number("rename_limit", rename_limit), "diff_filter": diff_filter,
        "threads": number("threads", threads)}
    return self._log(values)


def _starts(archive: Archive, revisions: Union[str, Iterable[str]],
            is_all: bool) -> tuple[list[str], list[str]]:
    """Ids to begin with, and those to leave out."""
    starts, excluded = [], []
    for name in [revisions] if isinstance(revisions, str) else revisions:
        ends = _ends_of_range(archive, name)
        if ends is not None:
            excluded.append(ends[0])
            starts.append(ends[1])
        elif name.startswith("^"):
            excluded.append(archive.resolve(name[1:]))
        else:
            starts.append(archive.resolve(name))
    if not (starts or excluded or is_all):
        starts.append(archive.resolve("HEAD"))
    return starts, excluded


def _ends_of_range(archive: Archive, name: str) -> Optional[tuple[str, str]]:
    """The ids of A and B in 'A..B'; None if it is no range, as ':/a..b', which has dots."""
    left, dots, right = name.partition("..")
    if not dots or name == dots:
        return None
    is_symmetric = right.startswith(".")
    try:
        ends = (archive.resolve(left or "HEAD"), archive.resolve(right[is_symmetric:] or "HEAD"))
    except Error as error:
        try:
            archive.resolve(name.removeprefix("^"))
        except Error:
            raise error from None
        return None
    if is_symmetric:
        raise ValueError(f"{name!r}: symmetric differences are not supported")
    return ends


def _pickaxe(archive: Archive, string: Optional[Pattern], lines: Optional[Pattern],
             is_expression: bool, name: Optional[str]) -> dict[str, Any]:
    if sum(value is not None for value in (string, lines, name)) > 1:
        raise ValueError("only one of S, G and find_object can be given")
    if is_expression and string is None:
        raise ValueError("pickaxe_regex is for S")
    values: dict[str, Any] = {"pickaxe": _NO_PICKAXE, "pattern": b"", "object": []}
    if name is not None:
        return values | {"pickaxe": _OBJECT, "object": [archive.resolve(name)]}
    pattern = lines if string is None else string
    if pattern is None:
        return values
    if not pattern:
        raise ValueError("S and G are not empty")
    kind = _LINES if string is None else _EXPRESSION if is_expression else _STRING
    return values | {"pickaxe": kind, "pattern": bytes_of(pattern)}


def _optional(name: str, value: Optional[int]) -> Optional[int]:
    return None if value is None else number(name, value, _MOST)


def _seconds(name: str, value: Optional[Time]) -> Optional[int]:
    if isinstance(value, datetime.datetime):
        value = value.timestamp()
    return None if value is None else number(name, int(value), _MOST)
