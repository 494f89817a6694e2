# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""report: one HTML page without scripts and without anything from elsewhere."""

from __future__ import annotations

import datetime
import html
import os
import time
from typing import Any, NamedTuple, Sequence

from .manifest import Manifest
from .named_file import write_file
from .records import ArchiveRow, RepositoryRow
from .text import duration_text, quoted, size_text
from .views import summary

_MOST_ROWS = 200
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360, 200, 34, 34, 14


class Bar(NamedTuple):
    """A bar of a plot: what is below it, and its height."""

    label: str
    height: int
    bad: bool = False


def write_report(manifest: Manifest, target: str) -> None:
    """Writes the page. Raises Fatal if the file cannot be written."""
    rows = list(manifest.repositories())
    content = page(rows, summary(manifest, rows), manifest.runs(10), time.time())
    write_file(target, content.encode())


def page(rows: Sequence[RepositoryRow], totals: dict[str, Any],
         runs: Sequence[tuple[Any, ...]], now: float) -> str:
    """The page as text."""
    with open(os.path.join(os.path.dirname(__file__), "page.css"), encoding="utf-8") as file:
        style = file.read()
    safe = totals["unsafe"] == 0
    headline = ("All repositories are safe." if safe
                else f"{totals['unsafe']:,} of {totals['repositories']:,} repositories are not safe.")
    when = _date(now)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Repositories archived with git-zpack</title>
<style>
{style}</style>
</head>
<body>
<h1>Repositories archived with git-zpack</h1>
<p class="{'good' if safe else 'bad'}">{headline}</p>
<p class="quiet">As of {when}</p>
<main>
{_tiles(totals)}
<div class="plots">
{_plots(rows, totals, now)}
</div>
{_unsafe(rows)}
{_largest(rows, now)}
{_runs(runs)}
</main>
</body>
</html>
"""


def _tiles(totals: dict[str, Any]) -> str:
    ratio = totals["ratio"]
    saved = "none" if ratio is None else f"{100 * (1 - ratio):.1f} %"
    tiles = (
        ("repositories", "Repositories", f"{totals['repositories']:,}"),
        ("safe", "Safe", f"{totals['safe']:,}"),
        ("source", "In Git", size_text(totals["source_bytes"])),
        ("archives", "In archives", size_text(totals["archive_bytes"])),
        ("saved", "Saved", saved),
        ("verified", "Verified since", f"{totals['verified']:,}"),
        ("damaged", "Damaged", f"{totals['damaged']:,}"),
        ("time", "Time to archive", duration_text(totals["seconds"])),
    )
    return "<dl>\n" + "".join(
        f'<div><dt>{title}</dt><dd id="{name}">{value}</dd></div>\n'
        for name, title, value in tiles) + "</dl>"


def _plots(rows: Sequence[RepositoryRow], totals: dict[str, Any], now: float) -> str:
    archives = [row.archive for row in rows if row.archive is not None]
    failures = [Bar(kind, count, True) for kind, count in sorted(totals["failures"].items())]
    return "\n".join((
        _plot("sizes", "Size of a repository in Git", _sizes(archives)),
        _plot("savings", "Size of the archive, relative to Git", _ratios(archives)),
        _plot("ages", "Time since an archive was written or last verified",
              _ages(archives, now)),
        _plot("failures", "Failures", failures or [Bar("none", 0)]),
    ))


def _sizes(archives: Sequence[ArchiveRow]) -> list[Bar]:
    limits = [10 ** 4, 10 ** 5, 10 ** 6, 10 ** 7, 10 ** 8, 10 ** 9, 10 ** 10]
    labels = ["&lt;10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB", "10 GB", "more"]
    return _histogram([archive.source_bytes for archive in archives], limits, labels)


def _ratios(archives: Sequence[ArchiveRow]) -> list[Bar]:
    limits = [step / 10 for step in range(1, 11)]
    labels = [f"{limit:.1f}" for limit in limits] + ["more"]
    return _histogram([archive.size / archive.source_bytes for archive in archives
                       if archive.source_bytes], limits, labels)


def _ages(archives: Sequence[ArchiveRow], now: float) -> list[Bar]:
    day = 86400.0
    limits = [day, 7 * day, 30 * day, 90 * day, 365 * day]
    labels = ["1 day", "1 week", "30 days", "90 days", "1 year", "more"]
    return _histogram([now - (archive.verified or archive.recorded) for archive in archives],
                      limits, labels)


def _histogram(values: Sequence[float], limits: Sequence[float],
               labels: Sequence[str]) -> list[Bar]:
    counts = [0] * len(labels)
    for value in values:
        counts[sum(value >= limit for limit in limits)] += 1
    return [Bar(label, count) for label, count in zip(labels, counts)]


def _plot(name: str, title: str, bars: Sequence[Bar]) -> str:
    highest = max((bar.height for bar in bars), default=0) or 1
    step = (_WIDTH - _LEFT) / len(bars)
    floor = _HEIGHT - _BOTTOM
    parts = []
    for index, bar in enumerate(bars):
        height = (floor - _TOP) * bar.height / highest
        left = _LEFT + index * step
        middle = left + step / 2
        kind = ' class="bad"' if bar.bad else ""
        parts.append(
            f'<rect{kind} x="{left + 2:.1f}" y="{floor - height:.1f}" width="{step - 4:.1f}" '
            f'height="{height:.1f}"><title>{bar.label}: {bar.height:,}</title></rect>')
        if bar.height:
            parts.append(f'<text x="{middle:.1f}" y="{floor - height - 3:.1f}" '
                         f'text-anchor="middle">{bar.height:,}</text>')
        drop = 14 + 13 * (index % 2 if len(bars) > 6 or step < 60 else 0)
        parts.append(f'<text x="{middle:.1f}" y="{floor + drop}" '
                     f'text-anchor="middle">{bar.label}</text>')
    words = "; ".join(f"{bar.label}: {bar.height:,}" for bar in bars)
    return (f'<figure id="{name}"><figcaption><h2>{title}</h2></figcaption>'
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}: {words}">'
            f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{floor}" y2="{floor}"/>'
            + "".join(parts) + "</svg></figure>")


def _unsafe(rows: Sequence[RepositoryRow]) -> str:
    unsafe = [row for row in rows if not row.is_safe()]
    if not unsafe:
        return ""
    body = "".join(f'<tr><td class="name">{_name(row)}</td>'
                   f"<td>{html.escape(row.why_unsafe())}</td></tr>\n"
                   for row in unsafe[:_MOST_ROWS])
    return _table("Not safe", ("Repository", "Why"), body, len(unsafe))


def _largest(rows: Sequence[RepositoryRow], now: float) -> str:
    pairs = [(row, row.archive) for row in rows if row.archive is not None]
    pairs.sort(key=lambda pair: -pair[1].source_bytes)
    body = ""
    for row, archive in pairs[:_MOST_ROWS]:
        ratio = f"{archive.size / archive.source_bytes:.2f}" if archive.source_bytes else ""
        verified = "never" if archive.verified is None else duration_text(now - archive.verified)
        body += (f'<tr><td class="name">{_name(row)}</td>'
                 f'<td class="number">{size_text(archive.source_bytes)}</td>'
                 f'<td class="number">{size_text(archive.size)}</td>'
                 f'<td class="number">{ratio}</td>'
                 f'<td class="number">{archive.seconds:.1f}</td>'
                 f'<td class="number">{_date(archive.recorded)}</td>'
                 f'<td class="number">{verified}</td></tr>\n')
    titles = ("Repository", "#In Git", "#Archive", "#Ratio", "#Seconds", "#Archived",
              "#Verified ago")
    return _table("Largest repositories", titles, body, len(pairs)) if pairs else ""


def _runs(runs: Sequence[tuple[Any, ...]]) -> str:
    body = ""
    for command, begun, ended, status in runs:
        took = duration_text(ended - begun) if ended is not None else ""
        result = "not ended" if status is None else str(status)
        body += (f'<tr><td>{html.escape(command)}</td><td class="number">{_date(begun)}</td>'
                 f'<td class="number">{took}</td><td class="number">{result}</td></tr>\n')
    titles = ("Command", "#Begun", "#Time", "#Exit code")
    return _table("Latest runs", titles, body, len(runs)) if runs else ""


def _table(title: str, columns: Sequence[str], body: str, count: int) -> str:
    head = "".join(
        f'<th scope="col" class="number">{column[1:]}</th>' if column.startswith("#")
        else f'<th scope="col">{column}</th>' for column in columns)
    more = (f'<p class="quiet">The first {_MOST_ROWS:,} of {count:,}</p>'
            if count > _MOST_ROWS else "")
    return (f'<h2>{title}</h2>{more}<div class="scroll"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>\n{body}</tbody></table></div>")


def _name(row: RepositoryRow) -> str:
    return html.escape(quoted(row.name))


def _date(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%d %H:%M UTC")
