# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archive.log lists what `git log` lists."""

import datetime
import os
import pathlib

import pytest
import zpack
from conftest import Repository

BASE = 1700000000
LINES = b"".join(b"line %d\n" % number for number in range(60))


class Logged(Repository):
    """Two branches that are merged, a renamed file, and one that is binary."""

    def __init__(self, path):
        super().__init__(path)
        self._commits = 0
        self.commit({"a.c": LINES + b"one\n", "d/other": b"nothing\n"}, "first\n\nwith a body")
        self("checkout", "-q", "-b", "topic")
        self.commit({"d/topic": b"needle\0", b"caf\xe9": b"needle\n"}, "topic")
        self("checkout", "-q", "main")
        self.commit({"a.c": LINES + b"needle two\n"}, "second")
        self("merge", "-q", "--no-ff", "-m", "merge", "topic")
        self("mv", "a.c", "b.c")
        self.commit({"b.c": LINES + b"needle three\n"}, "renamed")
        self.commit({"b.c": LINES + b"four\n", "c.c": LINES + b"needle three\n"}, "last")
        self("tag", "-a", "-m", "version", "v1", "HEAD~1")

    def commit(self, files, message):
        """Writes files and commits them, each commit ten seconds after the last one."""
        for path, content in files.items():
            target = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(self.path),
                                                           os.fsencode(path))))
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        self("add", ".")
        self._commits += 1
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self._environment[name] = f"{BASE + 10 * self._commits} +0230"
        self("commit", "-q", "-m", message)


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    return Logged(tmp_path_factory.mktemp("logged"))


@pytest.fixture
def opened(logged, tmp_path_factory):
    path = tmp_path_factory.mktemp("archive") / "x.zpack"
    zpack.convert(logged.path, path)
    with zpack.open(path) as archive:
        yield archive


def of_git(repository, *words):
    """(id, parents, rows of --raw) of what Git lists."""
    found = []
    for text in repository.bytes("log", "-z", "--format=%x01%H %P%x02", "--raw", "--no-abbrev",
                                 *words).split(b"\1")[1:]:
        head, _, raw = text.partition(b"\2")
        oid, *parents = head.decode().split()
        found.append((oid, tuple(parents), raw.strip(b"\0\n")))
    return found


def row(commit):
    """A commit as of_git has it."""
    parts = []
    for file in commit.files:
        zeros = "0" * len(commit.id)
        status = file.status + (f"{file.similarity:03}" if file.status in "RC" else "")
        paths = [file.old_path, file.path] if file.status in "RC" else [file.path]
        parts += [f":{file.old_mode:06o} {file.mode:06o} {file.old_id or zeros} "
                  f"{file.id or zeros} {status}", *paths]
    return (commit.id, commit.parents,
            b"\0".join(part.encode("utf-8", "surrogateescape") for part in parts))


@pytest.mark.parametrize("words, values", (
    ("", {}), ("--all", {"all": True}), ("topic", {"revisions": "topic"}),
    ("v1", {"revisions": ["v1"]}), ("main ^topic", {"revisions": ["main", "^topic"]}),
    ("topic..", {"revisions": "topic.."}), ("topic..v1 main", {"revisions": [
        "topic..v1", "main"]}),
    ("--first-parent", {"first_parent": True}), ("--reverse", {"reverse": True}),
    ("--skip=1 -2", {"skip": 1, "max_count": 2}), ("-0", {"max_count": 0}),
    ("--merges", {"min_parents": 2}), ("--no-merges", {"max_parents": 1}),
    ("--since=1700000020 --until=1700000040", {
        "since": BASE + 20, "until": datetime.datetime.fromtimestamp(BASE + 40)}),
    ("-Sneedle", {"S": "needle"}), ("-Sneedle --pickaxe-all", {"S": b"needle",
                                                               "pickaxe_all": True}),
    ("-SNEEDLE -i", {"S": "NEEDLE", "ignore_case": True}),
    ("-Sne+d --pickaxe-regex", {"S": "ne+d", "pickaxe_regex": True}),
    ("-Gne+dle", {"G": "ne+dle"}), ("-Gne+dle --text", {"G": b"ne+dle", "text": True}),
    ("--find-object=topic:d/topic", {"find_object": "topic:d/topic"}),
    ("--no-renames", {"renames": "none"}), ("-C", {"renames": "copies"}),
    ("-C99% --find-copies-harder", {"renames": "copies-harder", "similarity": 99}),
    ("--diff-filter=Rd", {"diff_filter": "Rd"}),
    ("-- d", {"paths": "d"}), ("--full-history -- d", {"paths": b"d", "full_history": True}),
    ("-- *.c :!b.c", {"paths": ["*.c", ":!b.c"]}), ("-- b.c", {"paths": ["b.c"]}),
    ("--follow -- b.c", {"paths": pathlib.PurePath("b.c"), "follow": True}),
))
def test_commits_and_files_are_those_of_git(opened, logged, words, values):
    expected = of_git(logged, *words.split())
    assert [row(commit) for commit in opened.log(files=True, **values)] == expected
    assert expected or words == "-0"
    assert [commit[:2] for commit in opened.log(**values)] == [one[:2] for one in expected]
    assert not any(commit.files for commit in opened.log(**values))


def test_a_commit_has_what_git_shows(opened, logged):
    for commit in opened.log(all=True):
        assert commit.content == bytes(opened[commit.id])
        assert [commit.tree, *commit.author, *commit.committer] == [
            logged("rev-parse", commit.id + "^{tree}"),
            *["A", "a@example.com", int(logged("log", "-1", "--format=%at", commit.id)), 150] * 2]
        assert commit.raw_message == logged.bytes("log", "-1", "--format=%B",
                                                  commit.id).rstrip(b"\n") + b"\n"
        assert commit.message == commit.raw_message.decode()
    (first,) = opened.log(max_parents=0)
    assert first.message == "first\n\nwith a body\n"


DOTTED = ("range a..b here", "wait...what", "last")


@pytest.fixture(scope="module")
def dotted(tmp_path_factory):
    """A repository whose messages have dots, and its archive."""
    repository = Repository(tmp_path_factory.mktemp("dotted"))
    for message in DOTTED:
        repository("commit", "-q", "--allow-empty", "-m", message)
    path = tmp_path_factory.mktemp("archive") / "x.zpack"
    zpack.convert(repository.path, path)
    return repository, zpack.open(path)


@pytest.mark.parametrize("revision", (
    "HEAD^{/a..b}", ":/a..b", "HEAD^{/wait...what}", "HEAD~1..", "..HEAD", "HEAD~2..HEAD~1"))
def test_dots_are_a_range_only_between_two_revisions(dotted, revision):
    repository, archive = dotted
    expected = repository("log", "--format=%H", revision, "--").split()
    assert [commit.id for commit in archive.log(revision)] == expected
    assert expected or revision == "..HEAD"


def test_ranges_that_are_none_are_refused(dotted):
    _, archive = dotted
    for revision in ("none..HEAD", "HEAD..none", "none...HEAD", "HEAD^{/no..such}", ".."):
        with pytest.raises(zpack.errors.NotFoundError):
            archive.log(revision)
    with pytest.raises(ValueError, match="symmetric"):
        archive.log("HEAD~1...HEAD")


def test_leaving_out_a_message_with_dots(dotted):
    repository, archive = dotted
    expected = repository("log", "--format=%H", "HEAD", "^HEAD^{/a..b}", "--").split()
    assert [commit.id for commit in archive.log(["HEAD", "^HEAD^{/a..b}"])] == expected
    assert len(expected) == 2


@pytest.mark.parametrize("content, signature, message", (
    (b"", ("", "", 0, 0), ""),
    (b"author A B <a@b> 5 -0130\n", ("A B", "a@b", 5, -90), ""),
    (b"author <a@b> -5 +0000\n\nm\n\nn", ("", "a@b", -5, 0), "m\n\nn"),
    (b"author A <a@b>\n\n\nm", ("A", "a@b", 0, 0), "\nm"),
    (b"author A <<a> <b>> 7 0200\n\n", ("A", "<a", 7, 0), ""),
    (b"author No Mail 12 +0000\n\n", ("No Mail 12 +0000", "", 0, 0), ""),
    (b"author \xe9 <a@b> 99999999999999999999 +0000\nencoding latin1\n\n\xfc",
     ("\xe9", "a@b", 0, 0), "\xfc"),
    (b"author \xe9 <a@b> 1 +0000\nencoding nonsense\n\n\xfc", ("\udce9", "a@b", 1, 0), "\udcfc"),
    (b"encoding base64\n\nx", ("", "", 0, 0), "x"), (b"encoding a\0b\n\nx", ("", "", 0, 0), "x"),
))
def test_odd_commits_are_read(content, signature, message):
    commit = zpack.Commit("1" * 40, (), content, ())
    assert commit.author == signature
    assert commit.committer == ("", "", 0, 0)
    assert commit.message == message


def test_names_of_files_may_be_no_text(opened):
    (commit,) = opened.log(S="needle", paths=b"caf\xe9", files=True)
    (file,) = commit.files
    assert (file.status, file.path, file.old_id, file.old_mode) == ("A", "caf\udce9", None, 0)
    assert bytes(opened[file.id]) == b"needle\n"


@pytest.mark.parametrize("values", (
    {"S": "a", "G": "b"}, {"S": "a", "find_object": "HEAD"}, {"pickaxe_regex": True},
    {"G": "a", "pickaxe_regex": True}, {"S": ""}, {"G": b""}, {"skip": -1}, {"max_count": -1},
    {"since": -1}, {"until": 2**64}, {"threads": -1}, {"min_parents": -1}, {"renames": "some"},
    {"similarity": 101}, {"diff_filter": "Q"}, {"follow": True},
    {"follow": True, "paths": ["a", "b"]}, {"revisions": "main...topic"},
))
def test_wrong_values_are_refused_at_once(opened, values):
    with pytest.raises(ValueError):
        opened.log(**values)


def test_errors(opened):
    for values in ({"revisions": "none"}, {"revisions": "^none"}, {"find_object": "none"}):
        with pytest.raises(zpack.errors.NotFoundError):
            opened.log(**values)
    for values in ({"S": 3}, {"paths": 3}, {"regex": "x"}):
        with pytest.raises(TypeError):
            opened.log(**values)
    for values in ({"G": "("}, {"S": "[", "pickaxe_regex": True}, {"paths": ":(nonsense)x"}):
        commits = opened.log(**values)
        with pytest.raises(zpack.errors.InvalidArgumentError):
            next(commits)
        assert not list(commits)


@pytest.mark.parametrize("values", (
    {"S": "needle\0"}, {"S": "needle\0", "ignore_case": True},
    {"S": "needle\0x", "pickaxe_regex": True}, {"G": "needle\0x"}, {"G": b"\0", "follow": True, "paths": "a"},
))
def test_a_pattern_does_not_end_at_a_null_byte(opened, values):
    with pytest.raises(zpack.errors.InvalidArgumentError) as refused:
        list(opened.log(**values))
    assert str(refused.value).endswith("-S and -G require a text without NULL bytes")


@pytest.mark.parametrize("name", (":/.\0x", "HEAD^{/.\0x}"))
def test_a_searched_message_does_not_end_at_a_null_byte(opened, name):
    assert opened.resolve(name.replace("\0x", ""))
    with pytest.raises(zpack.errors.InvalidArgumentError):
        opened.resolve(name)


def test_closing_and_leaving(logged, tmp_path):
    zpack.convert(logged.path, tmp_path / "x.zpack")
    archive = zpack.open(tmp_path / "x.zpack")
    left = archive.log()
    next(left)
    del left
    going = archive.log(files=True)
    archive.close()
    assert len(list(going)) == len(of_git(logged))
    with pytest.raises(ValueError, match="closed"):
        archive.log()
