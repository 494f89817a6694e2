# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""zpack.Archive says what Git says of the repository."""

import http.server
import os
import shutil
import threading

import pytest
import zpack


def test_refs(archive, repository):
    expected = dict(reversed(line.split(" ")) for line in
                    repository("show-ref").splitlines())
    assert archive.object_format == "sha1"
    assert set(archive.refs) == set(expected)
    assert archive.refs["refs/heads/main"].target == expected["refs/heads/main"]
    assert archive.refs["refs/heads/alias"].symbolic_target == "refs/heads/main"
    assert archive.refs["refs/heads/alias"].target is None
    assert archive.refs["refs/tags/v1"].peeled == repository("rev-parse", "v1^{commit}")
    assert archive.head.symbolic_target == "refs/heads/main"


def test_every_object(archive, repository):
    lines = repository("cat-file", "--batch-check", "--batch-all-objects").splitlines()
    assert len(archive) == len(lines)
    assert sorted(archive) == sorted(line.split(" ")[0] for line in lines)
    for line in lines:
        oid, kind, size = line.split(" ")
        assert oid in archive
        assert archive.info(oid) == (kind, int(size))
        found = archive[oid]
        assert (found.id, found.type, len(found)) == (oid, kind, int(size))
        assert bytes(found) == repository.bytes("cat-file", kind, oid)
    assert "1" * 40 not in archive


def test_names_are_contained_as_they_are_read(archive, repository):
    for name in ("HEAD", "main", "v1", "HEAD:src/x.c", repository("rev-parse", "--short", "HEAD")):
        assert name in archive
        assert archive[name]
    for name in ("none", "", "HEAD:none", "HEAD~100", "1" * 40, "1" * 64):
        assert name not in archive
        with pytest.raises(KeyError) as caught:
            archive.read(name)
        assert str(caught.value) == caught.value.message


def test_equality(archive, file):
    other = zpack.open(file)
    assert archive["HEAD"] == other["main"] != archive["HEAD^"]
    assert len({archive["HEAD"], other["main"], archive["HEAD^"]}) == 2
    assert archive["HEAD"] != archive["HEAD"].id
    assert archive.refs == other.refs
    assert archive.head == other.head != archive.refs["refs/heads/main"]
    assert archive.refs["refs/heads/main"] != archive.refs["refs/heads/alias"]
    assert len({*archive.refs.values(), *other.refs.values()}) == len(archive.refs)


def test_names_of_any_bytes_are_shown(repository, tmp_path):
    tip = repository("rev-parse", "HEAD")
    other = type(repository)(tmp_path / "other")
    shutil.copytree(os.path.join(repository.path, ".git/objects"),
                    os.path.join(other.path, ".git/objects"), dirs_exist_ok=True)
    other("update-ref", b"refs/heads/caf\xe9", tip)
    zpack.convert(other.path, tmp_path / "x.zpack")
    refs = zpack.open(tmp_path / "x.zpack").refs
    assert repr(refs["refs/heads/caf\udce9"]) == "<zpack.Ref 'refs/heads/caf\\udce9'>"
    assert str(refs).encode()


class FileServer(http.server.ThreadingHTTPServer):
    """Serves one file with ranges, to whoever asks."""

    def __init__(self, content):
        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers with all of the file or with a part."""

            def do_GET(self):  # pylint: disable=invalid-name
                """Sends what was asked for."""
                first, last = 0, len(content) - 1
                asked = self.headers["Range"]
                if asked:
                    first, last = (int(n or last) for n in asked.split("=")[1].split("-"))
                    last = min(last, len(content) - 1)
                self.send_response(206 if asked else 200)
                self.send_header("Content-Length", str(last + 1 - first))
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
                self.end_headers()
                self.wfile.write(content[first:last + 1])

            def log_message(self, format, *args):  # pylint: disable=redefined-builtin
                pass

        super().__init__(("127.0.0.1", 0), Handler)


def test_passwords_of_urls_are_not_shown(file):
    with open(file, "rb") as content, FileServer(content.read()) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            place = f"127.0.0.1:{server.server_port}/x.zpack"
            archive = zpack.open(f"http://me:secret@{place}?token=secret")
            assert repr(archive) == f"<zpack.Archive 'http://{place}?...'>"
            archive.close()
        finally:
            server.shutdown()
            thread.join()


def test_closing(file):
    with zpack.open(file) as archive:
        assert repr(archive) == f"<zpack.Archive {archive.path!r}>"
        objects = archive.objects()
        commit = archive["HEAD"]
        expected = len(archive)
    for use in (lambda: archive["HEAD"], lambda: "HEAD" in archive, lambda: len(archive),
                lambda: archive.refs, lambda: archive.head, archive.objects, archive.walk,
                archive.blocks, lambda: list(archive), archive.__enter__):
        with pytest.raises(ValueError, match="closed"):
            use()
    archive.close()
    assert archive.path == str(file)
    # What was taken from it goes on.
    assert len(list(objects)) == expected
    assert bytes(commit).startswith(b"tree ")


def test_closing_while_other_threads_read(file):
    for _ in range(20):
        archive = zpack.open(file)
        reading = threading.Barrier(3)
        unexpected = []

        def read():
            reading.wait()
            try:
                while True:
                    archive.read("HEAD")
            except ValueError as error:
                if "closed" not in str(error):
                    unexpected.append(error)

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        reading.wait()
        archive.close()
        for thread in threads:
            thread.join()
        assert not unexpected


@pytest.mark.parametrize("kind", (os.fspath, os.fsencode, lambda path: path))
def test_kinds_of_paths(file, kind):
    for archive in (zpack.open(kind(file)), zpack.Archive(kind(file))):
        assert archive.path == str(file)


def test_read_cost(archive):
    blocks, size = archive.read_cost
    archive.read("HEAD")
    assert archive.read_cost[0] in (blocks, blocks + 1)
    for _ in archive.objects():
        pass
    assert archive.read_cost[0] > blocks + 1
    assert archive.read_cost[1] > size


def test_content_is_not_copied(archive):
    view = memoryview(archive["HEAD"])
    assert view.readonly
    assert bytes(view).startswith(b"tree ")


def test_names(archive, repository):
    tip = repository("rev-parse", "HEAD")
    for name in ("HEAD", "main", "refs/heads/main", tip, tip[:10]):
        assert archive.resolve(name) == tip
    with pytest.raises(zpack.errors.NotFoundError) as caught:
        archive.resolve("none")
    assert "none" in str(caught.value)
    assert caught.value.path == archive.path
    assert isinstance(caught.value, LookupError)


def test_walk(archive, repository):
    commits = [oid for oid, kind, _ in archive.walk("HEAD") if kind == "commit"]
    assert commits == repository("rev-list", "HEAD").splitlines()
    walked = [f"{oid} {path}".strip() for oid, _, path in archive.walk("v1", objects=True)]
    assert walked == [line.strip() for line in
                      repository("rev-list", "--objects", "v1").splitlines()]
    # Paths that are no UTF-8 come back as they are.
    assert "caf\udce9" in [path for _, _, path in archive.walk(objects=True)]


def test_objects_in_storage_order(archive):
    found = list(archive.objects())
    assert [one.id for one in found] == list(archive)
    assert all(bytes(one) == bytes(archive[one.id]) for one in found)


def test_large_objects_come_without_content(archive):
    found = list(archive.objects(max_content=100))
    assert any(not one.loaded for one in found)
    for one in found:
        assert one.loaded == (one.size <= 100)
        if not one.loaded:
            with pytest.raises(BufferError):
                memoryview(one)


def test_threads_share_an_iterator(archive):
    objects = archive.objects(threads=2)
    taken = []

    def take():
        for one in objects:
            taken.append(one.id)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(archive)


def test_an_iterator_may_be_left(archive):
    next(iter(archive.objects()))


def test_blocks(archive):
    blocks = archive.blocks()
    assert sum(block["object_count"] for block in blocks) == len(archive)
    assert {block["type"] for block in blocks} == {"commit", "tree", "blob", "tag"}


def test_damage_names_object_and_offset(file, tmp_path):
    content = bytearray(file.read_bytes())
    content[content.index(b"BLCK") + 60] ^= 1
    damaged = tmp_path / "damaged.zpack"
    damaged.write_bytes(content)
    archive = zpack.open(damaged)
    whole, lost = [], []
    for oid in archive:
        try:
            whole.append(archive[oid])
        except zpack.errors.CorruptError as error:
            assert error.offset is not None
            assert error.path == str(damaged)
            lost.append(oid)
    assert whole and lost
    with pytest.raises(zpack.errors.CorruptError):
        list(archive.objects())


def test_arguments_of_other_types(archive, repository, tmp_path):
    for use in (lambda: archive.walk(1), lambda: archive.walk(None),
                lambda: archive.grep("a", threads=1.5),
                lambda: archive.grep("a", max_depth=1.5),
                lambda: archive.log(skip=1.5),
                lambda: zpack.verify(archive.path, threads=-1),
                lambda: zpack.convert(repository.path, tmp_path / "x", threads=1.5)):
        with pytest.raises(TypeError):
            list(use())
    with pytest.raises(zpack.errors.NotFoundError):
        zpack.verify(archive.path, "")


def test_files_that_are_no_archives(tmp_path):
    with pytest.raises(zpack.errors.NotFoundError):
        zpack.open(tmp_path / "none")
    (tmp_path / "text").write_text("no archive")
    with pytest.raises(zpack.errors.UnsupportedError):
        zpack.open(tmp_path / "text")


def test_path_with_nul_is_not_cut_off(file):
    with pytest.raises(ValueError, match="null"):
        zpack.open(f"{file}\0x")
    with pytest.raises(TypeError):
        zpack.open(3)
