# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""status and export: what the record says."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import Any, Mapping, Sequence, Union

from .manifest import Manifest
from .named_file import write_file
from .output import tell
from .records import RepositoryRow
from .session import Fatal
from .text import counted, quoted, size_text

Value = Union[str, bytes, int, float, bool, None]
_COLUMNS = (
    "name", "path", "safe", "why_unsafe", "source_bytes", "archive_bytes", "ratio", "hash",
    "objects", "versions", "seconds", "peak_bytes", "uploaded_bytes", "archived",
    "verified", "damage", "failure", "message", "failed", "attempts", "seen", "depends_on")


def summary(manifest: Manifest, rows: Sequence[RepositoryRow]) -> dict[str, Any]:
    """Totals of the record, as status --json and the page show them.

    They are of the newest archives of the rows, but 'damaged' also of older ones.
    """
    archives = [row.archive for row in rows if row.archive is not None]
    source = sum(archive.source_bytes for archive in archives)
    # The files that are only there because newest archives depend on them are no archives.
    size = sum(archive.size for archive in archives) + manifest.chains.needed_bytes(
        archive.hash for archive in archives)
    failures: dict[str, int] = {}
    for row in rows:
        if row.failure is not None:
            failures[row.failure] = failures.get(row.failure, 0) + 1
    return {
        "repositories": len(rows),
        "safe": sum(row.is_safe() for row in rows),
        "unsafe": sum(not row.is_safe() for row in rows),
        "archived": len(archives),
        "source_bytes": source,
        "archive_bytes": size,
        "ratio": size / source if source else None,
        "verified": sum(archive.verified is not None for archive in archives),
        "damaged": len({archive.hash for archive in manifest.archives()
                        if archive.damage is not None}),
        "oldest_verified": min((archive.verified for archive in archives
                                if archive.verified is not None), default=None),
        "seconds": sum(archive.seconds for archive in archives),
        "failures": failures,
    }


def records(manifest: Manifest) -> list[dict[str, Value]]:
    """A row for each repository, for people and programs."""
    versions: dict[int, int] = {}
    for archive in manifest.archives():
        versions[archive.repository] = versions.get(archive.repository, 0) + 1
    onto = manifest.chains.dependencies()
    return [_record(row, versions.get(row.id, 0), onto) for row in manifest.repositories()]


def _record(row: RepositoryRow, versions: int, onto: Mapping[str, str]) -> dict[str, Value]:
    newest = row.archive
    safe = row.is_safe()
    values: dict[str, Value] = dict.fromkeys(_COLUMNS)
    values.update(
        name=quoted(row.name), path=row.path, safe=safe,
        why_unsafe=None if safe else row.why_unsafe(), source_bytes=row.bytes,
        versions=versions, failure=row.failure, message=row.message, failed=row.failed,
        attempts=row.attempts, seen=row.seen)
    if newest is not None:
        values.update(
            source_bytes=newest.source_bytes, archive_bytes=newest.size,
            ratio=newest.size / newest.source_bytes if newest.source_bytes else None,
            hash=newest.hash, objects=newest.objects, seconds=newest.seconds,
            peak_bytes=newest.peak, uploaded_bytes=newest.uploaded, archived=newest.recorded,
            verified=newest.verified, damage=newest.damage, depends_on=onto.get(newest.hash))
    return values


def status(manifest: Manifest, *, as_json: bool) -> int:
    """Prints totals and what is not safe; returns how many are not."""
    rows = list(manifest.repositories())
    totals = summary(manifest, rows)
    unsafe = [row for row in rows if not row.is_safe()]
    if as_json:
        totals["not_safe"] = [{"name": quoted(row.name), "why": row.why_unsafe()}
                              for row in unsafe]
        tell(json.dumps(totals, indent=2))
        return len(unsafe)
    ratio = f" ({totals['ratio']:.2f})" if totals["ratio"] is not None else ""
    tell(f"{counted(totals['repositories'])}: {totals['safe']:,} safe, "
         f"{totals['unsafe']:,} not safe")
    tell(f"{size_text(totals['source_bytes'])} in Git, "
         f"{size_text(totals['archive_bytes'])} in archives{ratio}")
    tell(f"{totals['verified']:,} archives verified since they were written, "
         f"{totals['damaged']:,} damaged")
    for row in unsafe:
        tell(f"not safe: '{quoted(row.name)}': {row.why_unsafe()}")
    return len(unsafe)


def export(manifest: Manifest, target: str) -> None:
    """Writes a row for each repository as Parquet, CSV or JSON, by the suffix."""
    writers = {".parquet": _parquet, ".csv": _csv, ".json": _json}
    suffix = os.path.splitext(target)[1]
    if suffix not in writers:
        raise Fatal(f"unknown kind of file: '{quoted(os.fsencode(target))}' "
                    "(.parquet, .csv or .json)")
    write_file(target, writers[suffix](records(manifest)))


def _parquet(rows: list[dict[str, Value]]) -> bytes:
    try:
        import pyarrow as arrow  # pylint: disable=import-outside-toplevel
        from pyarrow import parquet  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Fatal("Parquet needs the Python package pyarrow; "
                    "or export to a .csv or .json file") from error
    kinds = {"path": arrow.binary(), "safe": arrow.bool_(), "ratio": arrow.float64(),
             "seconds": arrow.float64(), "archived": arrow.float64(),
             "verified": arrow.float64(), "failed": arrow.float64(), "seen": arrow.float64()}
    texts = {"name", "why_unsafe", "hash", "damage", "failure", "message", "depends_on"}
    schema = arrow.schema([
        (name, kinds.get(name, arrow.string() if name in texts else arrow.int64()))
        for name in _COLUMNS])
    file = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), file)
    return file.getvalue()


def _csv(rows: list[dict[str, Value]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, _COLUMNS)
    writer.writeheader()
    writer.writerows(_readable(row) for row in rows)
    return file.getvalue().encode()


def _json(rows: list[dict[str, Value]]) -> bytes:
    return (json.dumps([_readable(row) for row in rows], indent=1) + "\n").encode()


def _readable(row: dict[str, Value]) -> dict[str, Value]:
    path = row["path"]
    assert isinstance(path, bytes)
    return {**row, "path": quoted(path)}
