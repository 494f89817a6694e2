# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""One line of progress on standard error."""

from __future__ import annotations

import sys
import time

from .output import say
from .text import duration_text, size_text

_EVERY_SECONDS = 1.0


class Meter:
    """Tasks and bytes that are done, throughput, and the time that is left."""

    def __init__(self, title: str, *, shown: bool) -> None:
        self._title = title
        self._shown = shown
        self._terminal = sys.stderr.isatty()
        self._tasks = self._all_tasks = 0
        self._bytes = self._all_bytes = 0
        self._failures = 0
        self._begun = self._printed = time.monotonic()

    def expect(self, tasks: int, size: int) -> None:
        """More tasks and bytes will come."""
        self._all_tasks += tasks
        self._all_bytes += size

    def add(self, size: int, *, failed: bool = False) -> None:
        """A task of this many bytes ended."""
        self._tasks += 1
        self._bytes += size
        self._failures += failed
        self.tick()

    def tick(self) -> None:
        """Prints the line if the last one is old enough."""
        if self._shown and time.monotonic() >= self._printed + _EVERY_SECONDS:
            self._print("\r" if self._terminal else "\n")

    def finish(self) -> None:
        """Prints the last line."""
        if self._shown and self._all_tasks:
            self._print("\n")

    def line(self) -> str:
        """The line of progress."""
        elapsed = time.monotonic() - self._begun
        rate = self._bytes / elapsed if elapsed > 0 else 0.0
        text = (f"{self._title}: {self._tasks:,} of {self._all_tasks:,}, "
                f"{size_text(self._bytes)} of {size_text(self._all_bytes)}, "
                f"{size_text(rate)}/s")
        if rate > 0 and self._bytes < self._all_bytes:
            text += f", {duration_text((self._all_bytes - self._bytes) / rate)} left"
        if self._failures:
            text += f", {self._failures:,} failed"
        return text

    def _print(self, end: str) -> None:
        clear = "\x1b[K" if self._terminal else ""
        say(self.line() + clear, end)
        self._printed = time.monotonic()
