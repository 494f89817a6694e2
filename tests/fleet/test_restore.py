# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""restore: repositories inside others, and destinations that are taken."""

import errno
import os
import shutil

import pytest
from conftest import PROGRAM, Repository, make_old, run_fleet, start_fleet
from git_zpack_fleet import options
from git_zpack_fleet.engine import Engine
from git_zpack_fleet.failures import Kind, of_exception
from git_zpack_fleet.manifest import Manifest
from test_archive import newest

NESTED = ("tree", "tree/inner", "tree/a/b", "tree/inner/deep", "tree/.git/modules/sub", "tree2")


@pytest.fixture
def nested(on_cluster, tmp_path):
    """A store of repositories in repositories, of which the inner ones are larger."""
    for number, name in enumerate(NESTED):
        bare = ("--bare",) if "modules" in name else ()
        Repository(tmp_path / "source" / name, *bare).commit(name, size=(name.count("/") + 1) << 17)
    make_old(tmp_path / "source")
    store = tmp_path / "store"
    ran = on_cluster("archive", tmp_path / "source", "--to", store)
    assert ran.status == 0, ran
    assert len(newest(store)) == len(NESTED)
    return store


def refs_of(path):
    made = Repository.__new__(Repository)
    made.path = os.fsencode(path)
    return made.refs()


def test_outer_repositories_are_restored_before_those_in_them(on_cluster, nested, tmp_path):
    for _ in range(2):  # The second run finds all of them.
        ran = on_cluster("restore", nested, "--to", tmp_path / "back")
        assert ran.status == 0, ran
        assert "6 repositories: 6 restored, 0 failed" in ran.output
    for name in NESTED:
        assert refs_of(tmp_path / "back" / name) == refs_of(tmp_path / "source" / name), name


def test_nothing_is_restored_into_the_place_of_one_that_failed(on_cluster, nested, tmp_path):
    content_hash = newest(nested)[b"tree"][0]
    path = nested / f"objects/{content_hash[:2]}/{content_hash}.zpack"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\0")
    ran = on_cluster("restore", nested, "--to", tmp_path / "back")
    assert ran.status == 1, ran
    assert "error: 'tree': archive damaged: " in ran.errors
    for name in NESTED[1:-1]:
        assert f"error: '{name}': not restored, because 'tree' around it was not" in ran.errors
    assert "6 repositories: 1 restored, 5 failed" in ran.output
    path.write_bytes(whole)
    assert on_cluster("restore", nested, "--to", tmp_path / "back").status == 0


def test_destination_that_is_taken_is_no_broken_source(on_cluster, nested, tmp_path):
    (tmp_path / "back/tree").mkdir(parents=True)
    (tmp_path / "back/tree/file").write_text("x")
    ran = on_cluster("restore", nested, "--to", tmp_path / "back", "tree")
    assert ran.status == 1, ran
    assert f"'{tmp_path}/back/tree' exists and is not a repository" in ran.errors
    assert "source broken" not in ran.errors
    assert (tmp_path / "back/tree/file").read_text() == "x"


def test_leftovers_of_a_killed_run_are_taken_over(on_cluster, nested, tmp_path):
    (tmp_path / "back/tree/.zpack-tmp/objects").mkdir(parents=True)
    (tmp_path / "back/tree/.zpack-tmp.lock").touch()
    ran = on_cluster("restore", nested, "--to", tmp_path / "back", "tree")
    assert ran.status == 0, ran
    assert refs_of(tmp_path / "back/tree") == refs_of(tmp_path / "source/tree")
    assert not list((tmp_path / "back/tree").glob(".zpack-tmp*"))


@pytest.mark.parametrize("name", ("tree/refs/heads/x", "tree/objects/pack", "tree/hooks",
                                  "tree/logs/x", "tree/worktrees/x"))
def test_nothing_is_restored_into_what_git_reads(on_cluster, nested, tmp_path, name):
    manifest = Manifest(str(nested / "manifest.sqlite"), create=True)
    manifest.see([(bytes(tmp_path / "source/tree/inner"), name.encode())])
    manifest.close()
    ran = on_cluster("restore", nested, "--to", tmp_path / "back")
    assert ran.status == 1, ran
    assert f"error: '{name}': lies where 'tree' keeps its refs or objects" in ran.errors
    assert refs_of(tmp_path / "back/tree") == refs_of(tmp_path / "source/tree")
    assert not (tmp_path / "back" / name / "HEAD").exists()


def test_exact_name_is_no_pattern(on_cluster, tmp_path):
    for name in ("a.git", "[a].git", "b.git"):
        Repository(tmp_path / "source" / name, "--bare").commit(name)
    assert on_cluster("archive", tmp_path / "source", "--to", tmp_path / "store").status == 0
    for number, (words, names) in enumerate((
            (("[a].git",), {"[a].git"}), (("[ab].git",), {"a.git", "b.git"}),
            (("[a].git", "a.git"), {"a.git", "[a].git"}),
            ((tmp_path / "source/[a].git",), {"[a].git"}))):
        ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / str(number), *words)
        assert ran.status == 0, ran
        assert {path.name for path in (tmp_path / str(number)).iterdir()} == names, words
    ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "none", "a.git", "c*.git")
    assert ran.status == 128, ran
    assert ran.errors == "fatal: no repository in the manifest matches 'c*.git'\n"
    assert not (tmp_path / "none").exists()


def test_comparison_with_the_destination_that_is_killed_is_tried_again(
        on_cluster, source, tmp_path, wrapper, calls):
    store = tmp_path / "store"
    assert on_cluster("archive", source / "one.git", "--to", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    program = wrapper("verify", before="kill -9 $$")
    ran = on_cluster("restore", store, "--to", tmp_path / "back", program=program)
    assert ran.status == 0, ran
    assert calls("verify") == 2


def test_names_that_no_repository_has_are_refused(tmp_path):
    store = tmp_path / "store"
    for name in (b"../out", b"/out", b"tree/../../out", b"..", b".", b"", b"tree//hooks",
                 b"tree/./objects", b"x/../tree/hooks", b"tree/", b"a\0b", b"./tree/refs"):
        manifest = Manifest(str(store / "manifest.sqlite"), create=True)
        manifest.see([(b"/srv/tree", b"tree"), (b"/srv/other", name)])
        manifest.close()
        ran = run_fleet("restore", store, "--to", tmp_path / "back", "--no-progress",
                        "--program", PROGRAM)
        assert ran.status == 128, (name, ran)
        assert "the manifest has a name that no repository has: " in ran.errors
        assert not (tmp_path / "back").exists()
        assert not (tmp_path / "out").exists()


def test_destination_that_another_process_writes_is_no_broken_source(
        on_cluster, source, tmp_path, wrapper):
    assert on_cluster("archive", source / "one.git", "--to", tmp_path / "store").status == 0
    program = wrapper("restore",
                      before="echo \"fatal: another process is writing 'x'\" >&2; exit 128")
    ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "back", program=program)
    assert ran.status == 1, ran
    assert ran.errors == "error: 'one.git': program: another process is writing 'x'\n"


def test_separate_that_fails_is_no_broken_source(on_cluster, source, tmp_path, wrapper):
    store = tmp_path / "store"
    for text in ("a", "b"):
        Repository(source / "one.git", "--bare").commit(text)
        assert on_cluster("archive", source / "one.git", "--to", store, "--increments",
                          "--consolidate", "never").status == 0
    program = wrapper("consolidate", before="echo 'fatal: no' >&2; exit 128")
    ran = on_cluster("separate", store, "one.git", program=program)
    assert (ran.status, ran.errors) == (1, "error: 'one.git': program: no\n"), ran


def test_two_restores_at_once_make_whole_repositories(cluster, on_cluster, nested, tmp_path):
    runs = [start_fleet("restore", nested, "--to", tmp_path / "back", "--scheduler",
                        cluster.address, "--program", PROGRAM, "--no-progress")
            for _ in range(2)]
    for run in runs:
        _, errors = run.communicate()
        assert run.returncode in (0, 1), errors
        assert b"Traceback" not in errors
    assert on_cluster("restore", nested, "--to", tmp_path / "back").status == 0
    for name in NESTED:
        assert refs_of(tmp_path / "back" / name) == refs_of(tmp_path / "source" / name), name


def lose_object(path):
    os.unlink(next(path.glob("objects/pack/*.pack")))


def damage_object(path):
    pack = next(path.glob("objects/pack/*.pack"))
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.chmod(0o644)
    pack.write_bytes(content)


def move_head(path):
    (path / "HEAD").write_text("ref: refs/heads/other\n")


def lose_hook(path):
    shutil.rmtree(path / "hooks")


def add_ref(path):
    object_id = (path / "packed-refs").read_text().splitlines()[-1].split()[0]
    (path / "refs/heads/other").write_text(object_id + "\n")


@pytest.mark.parametrize("change", (lose_object, damage_object, move_head, lose_hook, add_ref))
def test_destination_that_differs_is_neither_restored_nor_changed(on_cluster, tmp_path, change):
    one = Repository(tmp_path / "source/one.git", "--bare")
    one.commit("one", size=1 << 10)
    (tmp_path / "source/one.git/hooks").mkdir(exist_ok=True)
    (tmp_path / "source/one.git/hooks/update").write_text("#!/bin/sh\n")
    assert on_cluster("archive", tmp_path / "source", "--to", tmp_path / "store").status == 0
    back = tmp_path / "back/one.git"
    for _ in range(2):
        ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "back")
        assert "1 repository: 1 restored, 0 failed" in ran.output, ran
    change(back)
    before = {path: path.read_bytes() for path in back.rglob("*") if path.is_file()}
    ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "back")
    assert ran.status == 1, ran
    assert "error: 'one.git': program: destination exists and could not be proven" in ran.errors
    assert before == {path: path.read_bytes() for path in back.rglob("*") if path.is_file()}


def test_bare_repositories_in_bare_ones_come_back(on_cluster, tmp_path):
    names = ("group", "group/sub.git", "group/dir/x.git")
    for name in names:
        Repository(tmp_path / "source" / name, "--bare").commit(name)
    ran = on_cluster("archive", tmp_path / "source", "--to", tmp_path / "store")
    assert (ran.status, "3 repositories: 3 archived" in ran.output) == (0, True), ran
    for _ in range(2):
        ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "back")
        assert ran.status == 0, ran
    for name in names:
        assert refs_of(tmp_path / "back" / name) == refs_of(tmp_path / "source" / name), name


def test_equal_names_stop_no_other_repository(on_cluster, tmp_path):
    store = tmp_path / "store"
    for name in ("a/one.git", "a/two.git", "a/three.git/in.git", "b/one.git", "b/three.git",
                 "a/three.git", "c/four.git"):
        Repository(tmp_path / name, "--bare").commit(name)
    make_old(tmp_path)
    ran = on_cluster("archive", tmp_path / "a", tmp_path / "b", "--to", store)
    assert (ran.status, ran.errors) == (
        0, f"warning: 4 repositories with names that others have, too, such as "
        f"'{tmp_path}/a/one.git' and '{tmp_path}/b/one.git'; 'restore' takes these only alone, "
        "by their paths\n"), ran
    # Nothing of this run.
    ran = on_cluster("archive", tmp_path / "c", "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    ran = on_cluster("restore", store, "--to", tmp_path / "back")
    assert ran.status == 1, ran
    assert "7 repositories: 2 restored, 5 failed" in ran.output
    for name in ("a/one.git", "b/one.git", "a/three.git", "b/three.git"):
        assert (f"error: '{name[2:]}': another repository has the name, too; restore it alone, by "
                f"its path '{tmp_path}/{name}'") in ran.errors
    assert ("error: 'three.git/in.git': not restored, because 'three.git' around it was not"
            in ran.errors)
    assert sorted(os.listdir(tmp_path / "back")) == ["four.git", "two.git"]
    for number, (pattern, names) in enumerate((
            ("a/*", ("one.git", "three.git", "three.git/in.git", "two.git")),
            ("b/one.git", ("one.git",)), ("b/*", ("one.git", "three.git")))):
        ran = on_cluster("restore", store, "--to", tmp_path / str(number), tmp_path / pattern)
        assert (ran.status, ran.errors) == (0, ""), ran
        for name in names:
            source = tmp_path / os.path.dirname(pattern).removesuffix("/") / name
            assert refs_of(tmp_path / str(number) / name) == refs_of(source), name
    assert run_fleet("restore", store, "--to", tmp_path / "none", "one").status == 128


def test_repository_without_an_archive_takes_no_name(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    manifest = Manifest(str(store / "manifest.sqlite"), create=False)
    manifest.see([(b"/elsewhere/one.git", b"one.git")])
    manifest.close()
    ran = on_cluster("restore", store, "--to", tmp_path / "back")
    assert (ran.status, ran.errors) == (1, "error: 'one.git': not archived yet\n"), ran
    assert refs_of(tmp_path / "back/one.git") == refs_of(source / "one.git")


def test_what_no_other_try_cures_fails_at_once_and_in_words(
        on_cluster, source, tmp_path, monkeypatch):
    monkeypatch.setattr(Engine, "_later_again", lambda *_: pytest.fail("tried again"))
    store = tmp_path / "store"
    assert on_cluster("archive", source / "one.git", "--to", store).status == 0
    (tmp_path / "file").write_text("x")
    for destination in ("file", "file/below"):
        ran = on_cluster("restore", store, "--to", tmp_path / destination)
        assert (ran.status, ran.errors) == (
            1, "error: 'one.git': program: could not create leading directories of "
            f"'{tmp_path}/{destination}/one.git': File exists\n"), ran
    content_hash = newest(store)[b"one.git"][0]
    key = f"objects/{content_hash[:2]}/{content_hash}.zpack"
    (store / key).unlink()
    ran = on_cluster("restore", store, "--to", tmp_path / "back")
    assert (ran.status, ran.errors) == (
        1, f"error: 'one.git': archive damaged: '{key}' is missing from the store\n"), ran
    ran = on_cluster("verify", store)
    assert f"error: 'one.git': {key}: '{key}' is missing from the store\n" == ran.errors


def test_errors_of_the_system_have_no_names_of_classes():
    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), b"caf\xe9")
    assert of_exception(error).message == "'\"caf\\351\"': Permission denied"
    assert of_exception(FileNotFoundError("bucket/x")).message == "bucket/x"
    assert of_exception(OSError()).message == "OSError"
    assert of_exception(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))).kind is Kind.NO_SPACE
    assert of_exception(KeyError("x")).message == "KeyError: 'x'"


@pytest.mark.parametrize(("words", "store", "names"), (
    (("s", "--to", "b", "--", "-x.git", "--y"), "s", ["-x.git", "--y"]),
    (("--to", "b", "--", "s", "-x.git"), "s", ["-x.git"]),
    (("s", "one", "--to", "b", "two", "--", "--", "-x"), "s", ["one", "two", "--", "-x"]),
    (("--to", "b", "--", "-s"), "-s", []), (("s", "--to", "b", "--"), "s", [])))
def test_words_after_two_dashes_are_names(words, store, names):
    parsed = options.parse(("restore", *words))
    assert (parsed.store, parsed.to, parsed.patterns) == (store, "b", names)


def test_two_dashes_allow_nothing_else():
    for words in (("restore", "s", "--to", "b", "-x.git"), ("status", "s", "--", "more"),
                  ("archive", "--to", "s", "--", ""), ("separate", "s", "--"),
                  ("restore", "s", "--to", "--", "b")):
        assert run_fleet(*words).status == 129, words
    assert options.parse(("archive", "--to", "s", "--", "-r")).roots == ["-r"]
    assert options.parse(("separate", "s", "--from-source", "--", "-r")).patterns == ["-r"]
