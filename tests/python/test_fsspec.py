# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""zpack.fsspec shows the files of a commit."""

import io
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


def test_parts_of_files(repository, archive):
    files = zpack.fsspec.ZpackFileSystem(archive)
    content = repository.bytes("show", "HEAD:src/x.c")
    assert files.head("src/x.c", 5) == content[:5]
    assert files.tail("src/x.c", 5) == content[-5:]
    assert files.cat_file("src/x.c", start=-5) == content[-5:]
    assert files.cat_file("src/x.c", start=3, end=-5) == content[3:-5]
    assert files.cat_file("src/x.c", end=-5) == content[:-5]
    assert files.cat_ranges(["src/x.c"] * 2, [0, -5], [5, None]) == [content[:5], content[-5:]]
    assert files.read_block("src/x.c", 0, 10) == content[:10]
    assert files.read_block("src/x.c", 3, 10, delimiter=b"\n") == content[5:15]


def test_any_revision_of_a_tree(repository, archive):
    for ref, file in (("HEAD:src", "HEAD:src/x.c"), ("v1:src", "v1:src/x.c"),
                      (repository("rev-parse", "v1:src"), "v1:src/x.c")):
        files = zpack.fsspec.ZpackFileSystem(archive, ref=ref)
        assert files.find("") == ["x.c"]
        assert files.cat("x.c") == repository.bytes("show", file)
    files = zpack.fsspec.ZpackFileSystem(archive, ref="HEAD^{/commit 3}")
    assert files.cat("src/x.c") == repository.bytes("show", "HEAD^{/commit 3}:src/x.c")


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


@pytest.fixture
def damaged(file, tmp_path):
    """An archive with a damaged block, of blobs unless another type is asked for."""
    def make(kind="blob"):
        content = bytearray(file.read_bytes())
        for block in zpack.open(file).blocks():
            if block["type"] == kind:
                content[block["offset"] + block["size"] // 2] ^= 0xff
        (tmp_path / "damaged.zpack").write_bytes(content)
        return zpack.fsspec.ZpackFileSystem(tmp_path / "damaged.zpack")
    return make


def test_damage_of_files_hides_no_name(damaged):
    files = damaged()
    assert files.ls("src", detail=False) == ["src/x.c"]
    assert [one["size"] for one in files.ls("src")] == [None]
    assert files.find("") == ["caf\udce9", "link", "src/x.c"]
    assert files.glob("src/*.c") == ["src/x.c"]
    assert list(files.walk("src")) == [("src", [], ["x.c"])]
    assert files.exists("src/x.c") and files.isfile("src/x.c") and not files.isdir("src/x.c")
    for read in (files.info, files.cat, files.open, files.size):
        with pytest.raises(zpack.errors.CorruptError):
            read("src/x.c")


@pytest.mark.parametrize("mode", (b"100699", b"8", b"", b"-1", b"0x1", b"1_0", b"\xb2"))
def test_modes_have_octal_digits(mode):
    with pytest.raises(zpack.errors.CorruptError):
        zpack.fsspec._parse_tree(mode + b" name\0" + bytes(20), 20)


def test_damage_of_directories_is_no_missing_file(file, tmp_path, damaged):
    with pytest.raises(zpack.errors.CorruptError):
        damaged("tree").ls("")
    # A file that cannot be read any more.
    shutil.copy(file, tmp_path / "x.zpack")
    files = zpack.fsspec.ZpackFileSystem(tmp_path / "x.zpack")
    closed = zpack.fsspec.ZpackFileSystem(archive := zpack.open(file))
    archive.close()
    (tmp_path / "x.zpack").write_bytes(b"")
    for ask in ("exists", "isfile", "isdir", "find", "glob", "ls"):
        with pytest.raises(zpack.errors.Error) as caught:
            getattr(files, ask)("src/*" if ask == "glob" else "src")
        assert not isinstance(caught.value, FileNotFoundError)
        with pytest.raises(ValueError, match="closed"):
            getattr(closed, ask)("src/*" if ask == "glob" else "src")


def test_missing_directories_are_empty(archive):
    files = zpack.fsspec.ZpackFileSystem(archive)
    assert not files.find("none") and not files.glob("none/*") and not list(files.walk("none"))
    assert not files.exists("none") and not files.isfile("none") and not files.isdir("none")


def test_files_that_are_open_cannot_be_written(repository, archive):
    files = zpack.fsspec.ZpackFileSystem(archive)
    with files.open("src/x.c") as opened:
        assert opened.readable() and not opened.writable()
        for write in (lambda: opened.write(b"lost"), lambda: opened.writelines([b"lost"]),
                      lambda: opened.truncate(2), opened.truncate):
            with pytest.raises(io.UnsupportedOperation):
                write()
        assert opened.read() == repository.bytes("show", "HEAD:src/x.c")
    with files.open("src/x.c", "r") as opened:
        assert opened.readline() == "line\n"


def test_submodule_is_copied_as_an_empty_directory(repository, tmp_path):
    shutil.copytree(repository.path, tmp_path / "copy", symlinks=True)
    repository = type(repository)(tmp_path / "copy")
    repository("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},src/sub")
    repository("commit", "-q", "-m", "submodule")
    zpack.convert(repository.path, tmp_path / "x.zpack")
    files = zpack.fsspec.ZpackFileSystem(tmp_path / "x.zpack")
    assert files.exists("src/sub") and not files.isfile("src/sub") and not files.isdir("src/sub")
    assert "src/sub" in files.find("", withdirs=True)
    assert "src/sub" not in files.find("") and "src/sub" not in files.find("", detail=True)
    content = dict(files.get_mapper(""))
    assert set(content) == set(files.find(""))
    assert content["src/x.c"] == repository.bytes("show", "HEAD:src/x.c")
    files.get("src", str(tmp_path / "out"), recursive=True)
    assert not list((tmp_path / "out/sub").iterdir())
    assert (tmp_path / "out/x.c").read_bytes() == repository.bytes("show", "HEAD:src/x.c")
