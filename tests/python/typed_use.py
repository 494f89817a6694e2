# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Uses the package as a program with types does. mypy reads it and nobody runs it:
tests/install/wheel_test.py."""

import datetime
import pathlib
from typing import assert_type

import zpack
import zpack.fsspec


def contents(file: pathlib.Path, name: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with zpack.open(file) as archive:
        assert_type(archive, zpack.Archive)
        assert_type(archive.head.symbolic_target, str | None)
        assert_type({name: ref.target for name, ref in archive.refs.items()},
                    dict[str, str | None])
        for oid, kind, path in archive.walk(name, objects=True):
            if kind == "blob" and oid in archive:
                found[path] = bytes(archive[oid])
        for item in archive.objects(max_content=1 << 20):
            assert_type(item, zpack.Object)
            if item.loaded:
                assert_type(memoryview(item)[:10].tobytes(), bytes)
    return found


def lines(archive: zpack.Archive) -> list[bytes]:
    found: list[bytes] = []
    for match in archive.grep("pattern", "v1", ["src", pathlib.Path("doc")], words=True):
        assert_type(match, zpack.Match)
        found.append(match.text)
    for path, blob, line, text in archive.grep([b"one", "two"], paths="src", max_depth=1):
        print(path.upper(), blob, line + 1, text)
    for brought in archive.grep_history("pattern", syntax="fixed"):
        assert_type(brought, zpack.HistoryMatch)
        assert_type(brought.removed, str | None)
    for version in archive.grep_versions(b"pattern", all_blobs=True):
        assert_type(version, zpack.MatchingBlob)
    return found


def commits(archive: zpack.Archive) -> list[str]:
    found: list[str] = []
    for commit in archive.log("v1..HEAD", pathlib.Path("src"), S=b"pattern", files=True,
                              since=datetime.datetime(2020, 1, 1), max_count=3):
        assert_type(commit, zpack.Commit)
        assert_type(commit.author, zpack.Signature)
        assert_type(commit.raw_message, bytes)
        found.append(commit.message)
        for file in commit.files:
            assert_type(file, zpack.ChangedFile)
            assert_type(file.old_id, str | None)
    return found


def make(repository: str, file: bytes) -> bool:
    def tell(progress: zpack.Progress) -> None:
        print(progress.phase, progress.objects)

    try:
        zpack.convert(repository, file, profile="fast", progress=tell)
    except zpack.errors.NotFoundError as error:
        print(error.path, error.offset, error.message)
    report = zpack.verify(file, repository)
    assert_type(report, zpack.Report)
    for damage in report.damages:
        print(damage.upper())
    zpack.restore(file, pathlib.Path("restored.git"), overwrite=True)
    return report.ok


def join(file: pathlib.Path, places: list[str]) -> int:
    if zpack.convert("repository", file, onto=b"older.zpack", skip_unchanged=True):
        assert_type(zpack.consolidate(file, "one.zpack", geometric=2), zpack.Consolidated)
    with zpack.open(file, backing=places) as archive:
        return len(archive)


def files(archive: zpack.Archive) -> zpack.fsspec.ZpackFileSystem:
    return zpack.fsspec.ZpackFileSystem(archive, ref="HEAD")
