# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archive.grep says what `git grep` says, and grep_history and grep_versions what a
search of each commit says."""

import os
import pathlib
import signal
import threading

import pytest
import zpack
from conftest import Repository

FIRST = {
    b"src/a.c": b"int foo(void)\n{\n  key = one;\n}\n",
    b"src/deep/b.c": b"foo bar\nFOO\nfoobar\nlast foo",
    b"binary": b"foo\0bar\n",
    b"odd \xe9": b"caf\xe9 foo\n",
    b"empty": b"",
}


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    made = Repository(tmp_path_factory.mktemp("searched"))

    def commit(files):
        for path, content in files.items():
            target = os.path.join(made.path.encode(), path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            pathlib.Path(os.fsdecode(target)).write_bytes(content)
        made("add", ".")
        made("commit", "-q", "-m", "commit")
        return made("rev-parse", "HEAD")

    made.commits = [commit(FIRST)]
    made.commits.append(commit({b"src/a.c": b"int foo(void)\n{\n  key = two;\n}\n"}))
    made.commits.append(commit({b"src/a.c": b"int foo(void)\n{\n}\n"}))
    return made


@pytest.fixture(scope="module")
def searched_file(searched, tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "x.zpack"
    zpack.convert(searched.path, path)
    return path


@pytest.fixture
def opened(searched_file):
    with zpack.open(searched_file) as archive:
        yield archive


def of_git(repository, *words):
    """(path, line, text) of what Git prints."""
    found = []
    for line in repository.bytes("grep", "-n", "-z", *words).splitlines():
        if line.startswith(b"Binary file "):
            name = line.removeprefix(b"Binary file ").removesuffix(b" matches")
            number, text = b"0", b""
        else:
            name, number, text = line.split(b"\0", 2)
        path = name.partition(b":")[2].decode("utf-8", "surrogateescape")
        found.append((path, int(number), text))
    return found


@pytest.mark.parametrize("words, values", (
    ("-a foo", {"binary": "text"}), ("foo", {}), ("-I foo", {"binary": "without"}),
    ("-i -a foo", {"ignore_case": True, "binary": "text"}), ("-w foo", {"words": True}),
    ("-v foo", {"invert": True}), ("-F (void)", {"syntax": "fixed"}),
    ("-E fo+|key", {"syntax": "extended"}), (r"-P fo{2}\b", {"syntax": "perl"}),
    ("-e foo -e key --all-match", {"all_match": True}), ("-e key -e bar", {}),
    ("--max-depth=0 foo", {"max_depth": 0}),
))
def test_grep_is_that_of_git(opened, searched, words, values):
    words = words.split()
    patterns = [word for word in words if not word.startswith("-")]
    for revision in ("HEAD~1", "HEAD~2"):
        found = [(match.path, match.line, match.text)
                 for match in opened.grep(patterns, revision, **values)]
        assert found == of_git(searched, *words, revision)
        assert found


def test_paths(opened, searched):
    for paths in (("src",), ("*.c", ":!src/deep"), ("src/deep", "binary")):
        found = [(match.path, match.line, match.text) for match in opened.grep("foo", paths=paths)]
        assert found == of_git(searched, "foo", "HEAD", "--", *paths)
    for path in ("src/deep", b"src/deep", pathlib.PurePath("src/deep")):
        assert {match.path for match in opened.grep("foo", "HEAD", path)} == {"src/deep/b.c"}


def test_a_match_has_four_values(opened, searched):
    (match,) = opened.grep(b"caf\xe9", binary="text")
    path, blob, line, text = match
    assert path == "odd \udce9"
    assert opened[blob].type == "blob"
    assert (line, text, match.binary) == (1, b"caf\xe9 foo", False)
    (match,) = opened.grep("foo", paths="binary")
    assert match == ("binary", searched("rev-parse", "HEAD:binary"), 0, b"") and match.binary
    (match,) = opened.grep("key", "HEAD~1:src/a.c")
    assert (match.path, match.line) == ("", 3)


def test_history_names_commits(opened, searched):
    first, second, third = searched.commits
    found = list(opened.grep_history("key"))
    assert found == [
        ("src/a.c", searched("rev-parse", "HEAD~1:src/a.c"), 3, b"  key = two;", second, third,
         False),
        ("src/a.c", searched("rev-parse", "HEAD~2:src/a.c"), 3, b"  key = one;", first, second,
         False)]
    (match,) = opened.grep_history("void", "src")
    assert (match.brought, match.removed, match.present) == (first, None, True)
    (match,) = opened.grep_history("foo", "binary")
    assert match.binary and match.present and match.text == b""
    assert not list(opened.grep_history("key", ["src/deep"]))


def test_versions(opened, searched):
    of_file = [searched("rev-parse", f"HEAD~{age}:src/a.c") for age in range(3)]
    assert list(opened.grep_versions("foo", "src/a.c")) == [
        ("src/a.c", blob, 1, False) for blob in of_file]
    assert [found.lines for found in opened.grep_versions(
        ["key", "foo"], "src/a.c", all_blobs=True)] == [1, 2, 2]
    assert {found.blob for found in opened.grep_versions("key", all_blobs=True)} == {
        item.id for item in opened.objects() if item.type == "blob"}


def test_wrong_values_are_refused_at_once(opened):
    for search in (opened.grep, opened.grep_history, opened.grep_versions):
        for patterns, values in (("(", {"syntax": "extended"}), ((), {}), ("x", {"syntax": "awk"}),
                                 ("x", {"binary": "no"}), ("x", {"threads": -1})):
            with pytest.raises(ValueError):
                search(patterns, **values)
        for patterns in (3, [3], None):
            with pytest.raises(TypeError):
                search(patterns)
        with pytest.raises(TypeError):
            search("x", word=True)
        with pytest.raises(zpack.errors.InvalidArgumentError):
            list(search("x", paths=":(nonsense)x"))
    with pytest.raises(ValueError):
        opened.grep("x", max_depth=-1)
    with pytest.raises(zpack.errors.NotFoundError):
        opened.grep("x", "none")


def test_damage_is_told_by_the_iterator(searched_file, tmp_path):
    content = bytearray(searched_file.read_bytes())
    at = -1
    while (at := content.find(b"BLCK", at + 1)) >= 0:
        content[at + 60] ^= 1
    damaged = tmp_path / "damaged.zpack"
    damaged.write_bytes(content)
    found = zpack.open(damaged).grep_history("foo")
    with pytest.raises(zpack.errors.CorruptError):
        list(found)
    assert not list(found)


def test_closing_and_leaving(searched_file):
    archive = zpack.open(searched_file)
    left = archive.grep("foo")
    next(left)
    del left
    going = archive.grep_history("foo")
    archive.close()
    assert list(going)
    for search in (archive.grep, archive.grep_history, archive.grep_versions):
        with pytest.raises(ValueError, match="closed"):
            search("foo")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Lines of which more match than wait to be taken."""
    made = Repository(tmp_path_factory.mktemp("large"))
    for number in range(4):
        path = pathlib.Path(made.path, f"file{number}")
        path.write_bytes(b"".join(b"line %d of %d\n" % (i, number) for i in range(60000)))
    made("add", ".")
    made("commit", "-q", "-m", "large")
    path = tmp_path_factory.mktemp("archive") / "large.zpack"
    zpack.convert(made.path, path)
    return path


def test_more_results_than_wait(large):
    archive = zpack.open(large)
    for search in (archive.grep, archive.grep_history):
        count = 0
        for match in search("line", syntax="fixed"):
            assert match.text == b"line %d of %s" % (match.line - 1, match.path[-1].encode())
            count += 1
        assert count == 240000
        next(search("line"))  # The rest is not taken.


def test_threads_share_a_search(large):
    found = zpack.open(large).grep("of 1")
    taken = [0] * 4

    def take(place):
        for _ in found:
            taken[place] += 1

    threads = [threading.Thread(target=take, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == 60000


def test_ctrl_c_ends_a_search(large):
    archive = zpack.open(large)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            list(archive.grep_history(r"(l|i)+x|\bnever", syntax="perl"))


def test_other_threads_run_while_one_searches(large):
    archive = zpack.open(large)
    turns, ended = 0, threading.Event()

    def search():
        for _ in range(3):
            assert not list(archive.grep_history("(line)*x", syntax="extended"))
        ended.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not ended.wait(0.001):
        turns += 1
    thread.join()
    assert turns > 3
