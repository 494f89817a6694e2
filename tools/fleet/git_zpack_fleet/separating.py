# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""separate: an archive becomes one file with all that it depends on."""

from __future__ import annotations

from typing import Sequence

from .manifest import Manifest
from .output import say, tell
from .records import ArchiveRow, RepositoryRow
from .restoring import selected
from .rewriting import Rewriter
from .session import Run, engine_of, keep_copy, registered
from .text import counted, quoted


def separate(manifest: Manifest, options: Run, patterns: Sequence[bytes], *,
             from_source: bool) -> int:
    """Takes repositories out of their families; returns how many could not be.

    from_source: the next archive does it, from the repositories themselves
    """
    rows = selected(manifest, patterns)
    with registered(manifest, "separate") as (run, counts):
        # First, so that a run that is killed leaves no repository in a family.
        manifest.set_apart((row.id for row in rows), from_source=from_source)
        rewriter = Rewriter(manifest, options, run, counts)
        chosen = [] if from_source else _dependent(manifest, rows, rewriter)
        if chosen:
            with engine_of(options) as engine:
                rewriter.run(engine, "separating", chosen)
        failures = counts.failures
    keep_copy(manifest, options.settings)
    _tell_needed(manifest, rows)
    if from_source:
        tell(f"{counted(len(rows))}: the next 'archive' converts them by themselves")
    else:
        tell(f"{counted(len(rows))}: {counts.done:,} separated, "
             f"{len(rows) - counts.done - failures:,} depended on nothing, {failures:,} failed")
    return failures


def _dependent(manifest: Manifest, rows: Sequence[RepositoryRow],
               rewriter: Rewriter) -> list[tuple[RepositoryRow, ArchiveRow]]:
    """The repositories whose newest archives depend on other files."""
    chosen = []
    for row in rows:
        if row.archive is None:
            rewriter.complain(row.name, row.why_unsafe())
        elif manifest.chains.below(row.archive.hash):
            chosen.append((row, row.archive))
    return chosen


def _tell_needed(manifest: Manifest, rows: Sequence[RepositoryRow]) -> None:
    """Says which of the repositories have archives on which those of others depend."""
    owners = manifest.chains.owners()
    needing: dict[int, set[int]] = {}
    for other in manifest.repositories():
        below = manifest.chains.below(other.archive.hash) if other.archive is not None else ()
        for link in below:
            holders = owners.get(link.hash, set())
            for number in holders if other.id not in holders else ():
                needing.setdefault(number, set()).add(other.id)
    for row in rows:
        if row.id in needing:
            say(f"warning: the archives of {counted(len(needing[row.id]))} depend on one of "
                f"'{quoted(row.name)}', whose objects they hold; separate these too")
