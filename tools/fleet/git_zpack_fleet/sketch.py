# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Sketches of repositories, which say whether two share much of their history.

A sketch has the roots and the oldest commits, by which relatives are found, and
the commits with the smallest ids: ids are as good as random, so these are a
sample of all commits, and samples of two repositories can be compared.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import struct
import subprocess
from typing import Iterable, Iterator, NamedTuple, Optional

from .discover import git_directory
from .program import clean_environment

SAMPLED = 512
OLDEST = 16
# With fewer common places in the samples, chance decides.
_ENOUGH = 8
_SHARE = 0.25
_LINE = 1 << 16
_COUNTS = struct.Struct(">BH")


class Sketch(NamedTuple):
    """What is kept of the ids of a repository's commits: the first 8 bytes of each.

    commits: how many there are
    origins: roots and oldest commits
    sample: the smallest ids
    """

    commits: int
    origins: frozenset[int]
    sample: frozenset[int]

    def packed(self) -> bytes:
        """As bytes, which unpacked() reads."""
        return (_COUNTS.pack(len(self.origins), len(self.sample))
                + b"".join(number.to_bytes(8, "big")
                           for number in (*sorted(self.origins), *sorted(self.sample))))


def is_packed(content: bytes) -> bool:
    """Whether unpacked() can read the bytes."""
    if len(content) < _COUNTS.size:
        return False
    origins, sampled = _COUNTS.unpack_from(content)
    return len(content) == _COUNTS.size + 8 * int(origins + sampled)


@functools.lru_cache(maxsize=256)
def unpacked(commits: int, content: bytes) -> Optional[Sketch]:
    """The sketch of packed(); None if the bytes are none."""
    if not is_packed(content):
        return None
    origins, _ = _COUNTS.unpack_from(content)
    numbers = [number for number, in struct.iter_unpack(">Q", content[_COUNTS.size:])]
    return Sketch(commits, frozenset(numbers[:origins]), frozenset(numbers[origins:]))


def of_commits(commits: Iterable[tuple[int, bool]]) -> Sketch:
    """The sketch of commits, the newest first: id, and whether it is a root."""
    count = 0
    roots: list[int] = []
    oldest: list[int] = []
    smallest: list[int] = []  # A heap of negative numbers: the largest is first.
    for number, is_root in commits:
        count += 1
        if is_root:
            roots.append(number)
        oldest.append(number)
        if len(oldest) >= 2 * OLDEST:
            del oldest[:-OLDEST]
        if len(smallest) < SAMPLED:
            heapq.heappush(smallest, -number)
        elif number < -smallest[0]:
            heapq.heapreplace(smallest, -number)
    origins = frozenset((*roots[-OLDEST:], *oldest[-OLDEST:]))
    return Sketch(count, origins, frozenset(-number for number in smallest))


def are_alike(one: Sketch, other: Sketch) -> bool:
    """Whether one has about a quarter of the other's commits, or the other way.

    If one has very few commits, or so many more that the samples say little, most
    of the oldest commits must be the same, too.
    """
    reach = min(max(one.sample, default=0), max(other.sample, default=0))
    if one.commits <= SAMPLED or other.commits <= SAMPLED:
        # A whole list reaches as far as the other sample does.
        reach = max((max(sketch.sample, default=0) for sketch in (one, other)
                     if sketch.commits > SAMPLED), default=1 << 64)
    sizes = [sum(number <= reach for number in sketch.sample) for sketch in (one, other)]
    common = sum(number <= reach for number in one.sample & other.sample)
    small = min(sizes)
    if common < _SHARE * small:
        return False
    if small >= _ENOUGH:
        return True
    shared = len(one.origins & other.origins)
    return 2 * shared > min(len(one.origins), len(other.origins))


def take(path: bytes, seconds: float) -> Optional[Sketch]:
    """The sketch of a repository; None if Git cannot list its commits."""
    # Whoever owns the repository must not make this process fetch anything.
    environment = clean_environment() | {
        "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_REPLACE_OBJECTS": "1"}
    command: list[str | bytes] = ["timeout", str(int(seconds)), "git", "--git-dir",
                                  git_directory(path), "rev-list", "--all", "--parents"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        made = of_commits(_parsed(process.stdout))
    return made if process.returncode == 0 else None


def _parsed(lines: Iterable[bytes]) -> Iterator[tuple[int, bool]]:
    for line in lines:
        words = line.split(None, 1)
        if words and len(words[0]) >= 40:
            yield int(words[0][:16], 16), len(words) == 1


def candidates(sketch: Sketch, known: dict[int, list[int]], most: int) -> list[int]:
    """Those in an index by origins that may be relatives, each once, in order."""
    lists = (known.get(number, ())[:most] for number in sorted(sketch.origins))
    return sorted(set(itertools.chain.from_iterable(lists)))
