# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The searches of Archive: one tree, the lines of all history, the versions of files.

A search runs in threads of its own, and the first result comes when all text has been
searched. At most 16 MB of results wait for the program. Ctrl-C is heard while the
iterator waits. A search ends when its iterator is gone.

Patterns are str or bytes, one or several, of which a line has to match one. The locale
of the process says what letters are.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple, Optional, Union

if TYPE_CHECKING:
    from ._zpack import Archive

_SYNTAXES = {"basic": 0, "extended": 1, "fixed": 2, "perl": 3}
_BINARY = {"whole": 0, "text": 1, "without": 2}
_MOST = 2**32 - 1

Pattern = Union[str, bytes]
Pathspec = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]


class Match(NamedTuple):
    """A line of a tree that matches.

    path: relative to the tree; empty if a blob was searched
    blob: id of the file
    line: its number, from 1; 0 for a binary file, of which nothing more is told
    text: the line, without its line feed
    """

    path: str
    blob: str
    line: int
    text: bytes

    @property
    def binary(self) -> bool:
        """Whether the file is binary."""
        return self.line == 0


class HistoryMatch(NamedTuple):
    """A line at a path of the history that matches.

    path: empty if no commit has the blob
    blob: id of the first version with the line
    line, text: as in Match; the number is that in `blob`
    brought: the commit that brought the line; None if no commit has the blob
    removed: the commit that removed it; None if the line is present, or if no single
        commit removed it
    present: whether a branch, a remote branch or HEAD has the line now
    """

    path: str
    blob: str
    line: int
    text: bytes
    brought: Optional[str]
    removed: Optional[str]
    present: bool

    @property
    def binary(self) -> bool:
        """Whether the file is binary."""
        return self.line == 0


class MatchingBlob(NamedTuple):
    """A version of a file that matches.

    path: the first one of the history; empty if no commit has the blob
    blob: its id
    lines: how many match; 0 only with all_blobs
    binary: whether the file is binary
    """

    path: str
    blob: str
    lines: int
    binary: bool


# These become methods of Archive: search_class.cc.

def grep(self: Archive, patterns: Union[Pattern, Iterable[Pattern]], revision: str = "HEAD",
         paths: Union[Pathspec, Iterable[Pathspec]] = (), *, syntax: str = "basic",
         ignore_case: bool = False, words: bool = False, invert: bool = False,
         all_match: bool = False, binary: str = "whole", max_depth: Optional[int] = None,
         threads: int = 0) -> Iterator[Match]:
    """Iterates over the lines of a tree that match, as `git grep` finds them.

    revision: what leads to a tree or a blob
    paths: as in gitglossary(7), relative to the top; empty: all
    syntax: 'basic', 'extended', 'fixed' or 'perl'
    words: only matches at the boundaries of words
    invert: the lines that do not match
    all_match: only files in which each of the patterns matches
    binary: 'whole' tells that a binary file matches, 'text' searches it as all others,
        'without' leaves it out
    max_depth: directories below a path to look into; None: all
    threads: 0 for one on each processor
    """
    values = _values(patterns, paths, syntax, binary, threads)
    values |= {"ignore_case": ignore_case, "words": words, "invert": invert,
               "all_match": all_match,
               "max_depth": None if max_depth is None else number("max_depth", max_depth)}
    return self._search_tree(revision, values)


def grep_history(self: Archive, patterns: Union[Pattern, Iterable[Pattern]],
                 paths: Union[Pathspec, Iterable[Pathspec]] = (), *, syntax: str = "basic",
                 ignore_case: bool = False, words: bool = False, invert: bool = False,
                 all_match: bool = False, binary: str = "whole",
                 threads: int = 0) -> Iterator[HistoryMatch]:
    """Iterates over the lines of every version of every file that match.

    Each line comes once for each path, the youngest commit first. What matches takes up to
    500 MB of memory; above that, the search raises LimitExceededError.

    The parameters are those of grep.
    """
    values = _values(patterns, paths, syntax, binary, threads)
    values |= {"ignore_case": ignore_case, "words": words, "invert": invert,
               "all_match": all_match}
    return self._search_history(values)


def grep_versions(self: Archive, patterns: Union[Pattern, Iterable[Pattern]],
                  paths: Union[Pathspec, Iterable[Pathspec]] = (), *, syntax: str = "basic",
                  ignore_case: bool = False, words: bool = False, invert: bool = False,
                  all_match: bool = False, binary: str = "whole", all_blobs: bool = False,
                  threads: int = 0) -> Iterator[MatchingBlob]:
    """Iterates over the versions of files that match, those of the youngest commit first.

    all_blobs: also those of which no line matches

    The other parameters are those of grep.
    """
    values = _values(patterns, paths, syntax, binary, threads)
    values |= {"ignore_case": ignore_case, "words": words, "invert": invert,
               "all_match": all_match, "all_blobs": all_blobs}
    return self._search_versions(values)


def _values(patterns: Union[Pattern, Iterable[Pattern]],
            paths: Union[Pathspec, Iterable[Pathspec]], syntax: str, binary: str,
            threads: int) -> dict[str, Any]:
    if isinstance(patterns, (str, bytes)):
        patterns = [patterns]
    values = {"patterns": [bytes_of(pattern) for pattern in patterns],
              "paths": pathspecs(paths),
              "syntax": choice(_SYNTAXES, "syntax", syntax),
              "binary": choice(_BINARY, "binary", binary),
              "threads": number("threads", threads)}
    if not values["patterns"]:
        raise ValueError("no pattern given")
    return values


def pathspecs(paths: Union[Pathspec, Iterable[Pathspec]]) -> list[bytes]:
    """One path or several, as bytes."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    return [bytes_of(os.fspath(path)) for path in paths]


def bytes_of(value: Union[str, bytes]) -> bytes:
    """A pattern or path as Git stores it."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value
    raise TypeError(f"a pattern is str or bytes, not {type(value).__name__}")


def choice(choices: dict[str, int], name: str, value: str) -> int:
    """The number of a value, which is one of the keys."""
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}")
    return choices[value]


def number(name: str, value: int, most: int = _MOST) -> int:
    """The value, which is in range."""
    if not 0 <= value <= most:
        raise ValueError(f"{name} is 0 to {most}, not {value}")
    return value
