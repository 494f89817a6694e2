# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""zpack.fsspec shows the files of a commit."""

import shutil

import fsspec
import pytest

import zpack.fsspec


def test_files_of_any_commit(repository, file):
    for ref in ("HEAD", "v1", "v1~1", repository("rev-parse", "HEAD~3")):
        with fsspec.open("zpack://src/x.c", archive=str(file), ref=ref) as opened:
            assert opened.read() == repository.bytes("show", f"{ref}:src/x.c")


def test_directories(repository, archive):
    files = zpack.fsspec.ZpackFileSystem(archive)
    assert files.ls("", detail=False) == ["caf\udce9", "link", "src"]
    assert files.find("") == ["caf\udce9", "link", "src/x.c"]
    assert files.isdir("src") and files.isfile("src/x.c") and not files.exists("src/y.c")
    info = files.info("src/x.c")
    assert info["sha"] == repository("rev-parse", "HEAD:src/x.c")
    assert info["size"] == len(repository.bytes("show", "HEAD:src/x.c"))
    assert files.info("link")["islink"]
    assert files.cat("link") == b"src/x.c"
    assert files.glob("**/*.c") == ["src/x.c"]


@pytest.mark.parametrize("name", [b"..", b".", b"", b"/abs", b"a/b"])
def test_names_that_lead_elsewhere(repository, tmp_path, name):
    shutil.copytree(repository.path, tmp_path / "copy", symlinks=True)
    repository = type(repository)(tmp_path / "copy")
    blob = repository("hash-object", "-w", "-t", "blob", "src/x.c")
    content = b"100644 " + name + b"\0" + bytes.fromhex(blob)
    (tmp_path / "tree").write_bytes(content)
    tree = repository("hash-object", "-w", "--literally", "-t", "tree", str(tmp_path / "tree"))
    zpack.convert(repository.path, tmp_path / "x.zpack")
    with pytest.raises(zpack.errors.CorruptError):
        zpack.fsspec.ZpackFileSystem(str(tmp_path / "x.zpack"), ref=tree).find("")


def test_refusals(archive):
    with pytest.raises(zpack.errors.NotFoundError):
        zpack.fsspec.ZpackFileSystem(archive, ref="HEAD:src/x.c")
    files = zpack.fsspec.ZpackFileSystem(archive)
    with pytest.raises(FileNotFoundError):
        files.open("none")
    with pytest.raises(FileNotFoundError):
        files.open("src/x.c/y")
    with pytest.raises(IsADirectoryError):
        files.open("src")
    with pytest.raises(OSError):
        files.open("new", "wb")


def test_replaced_file_is_seen(repository, tmp_path):
    shutil.copytree(repository.path, tmp_path / "copy", symlinks=True)
    repository = type(repository)(tmp_path / "copy")
    path = str(tmp_path / "x.zpack")
    zpack.convert(repository.path, path)
    before = fsspec.filesystem("zpack", archive=path)
    old = before.cat("src/x.c")
    (tmp_path / "copy/src/x.c").write_text("new\n")
    repository("commit", "-q", "-a", "-m", "new")
    zpack.convert(repository.path, path, overwrite=True)
    assert fsspec.filesystem("zpack", archive=path).cat("src/x.c") == b"new\n"
    with fsspec.open("zpack://src/x.c", archive=path) as opened:
        assert opened.read() == b"new\n"
    # What was opened before goes on with the file that it has open.
    assert before.cat("src/x.c") == old


def test_archives_that_are_open_have_file_systems_of_their_own(file):
    for _ in range(20):  # An archive that is gone leaves its address to the next one.
        one = zpack.fsspec.ZpackFileSystem(zpack.open(file))
        other = zpack.fsspec.ZpackFileSystem(zpack.open(str(file)))
        assert one is not other
