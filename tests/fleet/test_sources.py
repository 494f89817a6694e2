# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Where repositories are found, and what of them tells that they changed."""

import gzip
import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import Repository, run_fleet
from git_zpack_fleet import discover, fingerprint

LINKED = ("config", "refs", "logs", "objects", "info", "hooks", "packed-refs")


def linked_view(repository, path):
    """What git-new-workdir and Android's repo make: all but HEAD is a link."""
    view = path / ".git"
    view.mkdir(parents=True)
    shutil.copy(os.path.join(repository.path, b"HEAD"), bytes(view))
    for name in LINKED:
        (view / name).symlink_to(os.path.join(os.fsdecode(repository.path), name))
    return path


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "x.git", "--bare")
    made.git("config", "core.logAllRefUpdates", "always")
    made.commit("first")
    return made


def digest_of(path):
    scan = fingerprint.scan(bytes(path))
    assert scan.error is None
    return scan.digest


CHANGES = {
    "ref": ("update-ref", "refs/heads/other", "main"),
    "packed refs": ("pack-refs", "--all"),
    "reflog": ("reflog", "expire", "--expire=now", "--all"),
    "loose object": ("hash-object", "-w", "config"),
    "pack": ("repack", "-q", "-a", "-d"),
    "settings": ("config", "a.b", "c"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_digest_follows_links_of_a_whole_git_directory(repository, tmp_path, change):
    view = linked_view(repository, tmp_path / "view")
    before = digest_of(view)
    assert digest_of(view) == before
    repository.git(*CHANGES[change])
    assert digest_of(view) != before


def test_digest_has_which_hooks_git_runs(repository, tmp_path):
    hook = tmp_path / "x.git/hooks/update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o644)
    before = digest_of(tmp_path / "x.git")
    hook.chmod(0o755)
    executable = digest_of(tmp_path / "x.git")
    assert executable != before
    hook.chmod(0o700)
    assert digest_of(tmp_path / "x.git") == executable
    hook.chmod(0o600)
    assert digest_of(tmp_path / "x.git") == before


@pytest.mark.parametrize("name", ("refs/heads", "logs/refs", "objects/pack", "objects/{loose}",
                                  "refs/heads/main", "logs/refs/heads/main", "packed-refs",
                                  "worktrees/w/refs"))
def test_digest_follows_a_link_inside(repository, tmp_path, name):
    git_directory = tmp_path / "x.git"
    repository.git("pack-refs", "--all")
    repository.git("update-ref", "-m", "m", "refs/heads/main", repository.git(
        "commit-tree", "-m", "second", "main^{tree}"))
    (git_directory / "worktrees/w/refs").mkdir(parents=True)
    (git_directory / "worktrees/w/refs/x").write_text("1")
    loose = next(one.name for one in (git_directory / "objects").iterdir() if len(one.name) == 2)
    place = git_directory / name.format(loose=loose)
    moved = tmp_path / "moved"
    place.rename(moved)
    place.symlink_to(moved)
    before = digest_of(git_directory)
    if moved.is_dir():
        (moved / "new").write_text("x")
    else:
        moved.write_bytes(moved.read_bytes() + b"\n")
    assert digest_of(git_directory) != before


def test_digest_has_packs_of_any_name(repository, tmp_path):
    repository.git("repack", "-q", "-a", "-d")
    packs = tmp_path / "x.git/objects/pack"
    seen = {digest_of(tmp_path / "x.git")}
    pack = next(packs.glob("*.pack"))
    for name in ("other", "tmp_other", ".other"):
        for kind in (".pack", ".idx"):
            shutil.copy(pack.with_suffix(kind), packs / (name + kind))
        digest = digest_of(tmp_path / "x.git")
        assert digest not in seen, name
        seen.add(digest)


def test_a_pack_that_a_link_names_is_measured(repository, tmp_path):
    view = linked_view(repository, tmp_path / "view")
    with open(tmp_path / "x.git/objects/pack/large.pack", "wb") as file:
        file.truncate(1 << 30)
    assert fingerprint.scan(bytes(view)).size >= 1 << 30


@pytest.fixture
def listings(monkeypatch):
    """Counts listings of directories; a test that makes too many fails."""
    listed = []
    scandir = os.scandir

    def counting(path):
        listed.append(path)
        assert len(listed) < 500, "directories are visited again and again"
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counting)
    return listed


def test_links_that_lead_back_are_visited_once(repository, tmp_path, listings):
    for where in ("refs/heads", "logs/refs", "objects/pack", "refs"):
        for name in ("a", "b", "c"):
            (tmp_path / "x.git" / where / name).symlink_to(".")
            (tmp_path / "x.git" / where / f"{name}up").symlink_to("..")
    assert digest_of(tmp_path / "x.git")
    assert fingerprint.measure(repository.path) > 0
    (tmp_path / "x.git/refs/heads/self").symlink_to("self")
    assert digest_of(tmp_path / "x.git")


def test_links_that_an_archive_does_not_hold_are_not_followed(repository, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x.git/cgit").symlink_to(tmp_path / "elsewhere")
    before = digest_of(tmp_path / "x.git")
    (tmp_path / "elsewhere/new").write_text("x")
    assert digest_of(tmp_path / "x.git") == before


def test_more_files_than_a_repository_has_are_an_error(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprint, "_MOST_FILES", 10)
    for number in range(20):
        (tmp_path / f"x.git/refs/heads/{number}").write_text("x")
    assert "more than 10 files" in fingerprint.scan(repository.path).error


def test_a_pipe_in_place_of_a_file_stops_nothing(repository, tmp_path):
    for name in ("objects/info/alternates", "packed-refs", "refs/heads/pipe"):
        os.mkfifo(tmp_path / "x.git" / name)
    script = ("import sys; from git_zpack_fleet import fingerprint\n"
              "print(fingerprint.scan(sys.argv[1].encode()).error)")
    subprocess.run([sys.executable, "-c", script, tmp_path / "x.git"], check=True, timeout=60)


def found_in(root):
    """Names that the walk finds, and what it complains about."""
    unreached = []
    names = {item.name for item in discover.walk(bytes(root), unreached.append)}
    return names, [place.why for place in unreached]


def test_walk_stays_below_the_root(tmp_path):
    root = tmp_path / "root"
    Repository(tmp_path / "private/secret.git", "--bare")
    Repository(tmp_path / "private/tree")
    Repository(root / "mine.git", "--bare")
    (root / "mine.git/modules").symlink_to(tmp_path / "private")
    Repository(root / "work")
    (root / "work/.git/modules").mkdir()
    (root / "work/.git/modules/sub").symlink_to(tmp_path / "private/secret.git")
    (root / "other").mkdir()
    (root / "other/.git").symlink_to(tmp_path / "private/tree/.git")
    names, complaints = found_in(root)
    assert names == {b"mine.git", b"work"}
    # Nobody may take them for safe.
    assert sorted(complaints) == [
        f"'{root}/mine.git/modules' leads out of the directory '{root}'; it is not followed",
        f"'{root}/other/.git' leads out of the directory '{root}'; it is not followed"]


def test_walk_follows_modules_and_git_directories_below_the_root(tmp_path):
    root = tmp_path / "root"
    Repository(root / "all/sub.git", "--bare")
    Repository(root / ".repo/x.git", "--bare")
    (root / "x").mkdir()
    (root / "x/.git").symlink_to("../.repo/x.git")
    (root / ".repo/x.git/modules").symlink_to(root / "all")
    assert found_in(root) == ({b".repo/x.git", b"x", b"all/sub.git"}, [])
    # Also through a link to the root.
    (tmp_path / "link").symlink_to(root)
    assert found_in(tmp_path / "link")[0] == {b".repo/x.git", b"x", b"all/sub.git"}


def test_work_tree_with_files_of_a_git_directory_is_a_work_tree(tmp_path):
    Repository(tmp_path / "tree").commit("first")
    Repository(tmp_path / "tree/.git/modules/sub", "--bare")
    Repository(tmp_path / "tree/inner.git", "--bare")
    shutil.copytree(tmp_path / "tree/inner.git", tmp_path / "tree", dirs_exist_ok=True)
    os.unlink(tmp_path / "tree/HEAD")
    assert found_in(tmp_path) == ({b"tree", b"tree/.git/modules/sub", b"tree/inner.git"}, [])
    before = digest_of(tmp_path / "tree")
    Repository(tmp_path / "tree").commit("second")
    assert digest_of(tmp_path / "tree") != before


def scan_error(path):
    return fingerprint.scan(bytes(path)).error


def test_repository_that_its_own_git_directory_hides_is_named(repository, tmp_path):
    root = tmp_path / "root"
    repository.commit("x")
    hidden = [root / name for name in ("inner.git", "linked.git", "file.git", "tree")]
    for path in hidden:
        shutil.copytree(tmp_path / "x.git", path)
    Repository(root / "inner.git/.git", "--bare").commit("y")
    (root / "linked.git/.git").symlink_to(tmp_path / "x.git")
    (root / "file.git/.git").write_text(f"gitdir: {tmp_path}/x.git\n")
    Repository(root / "tree").commit("first")
    names, complaints = found_in(root)
    assert names == {b"inner.git", b"inner.git/.git", b"linked.git", b"file.git", b"tree",
                     b"tree/.git"}
    assert not complaints
    for path in hidden:
        assert scan_error(path) == (f"'{path}' is hidden from Git by the '.git' in it; "
                                    "move that away")
    assert digest_of(root / "inner.git/.git")
    assert digest_of(root / "tree/.git")


def test_bare_repository_with_an_incomplete_git_directory_is_found_as_git_finds_it(
        repository, tmp_path):
    (tmp_path / "x.git/.git").mkdir()
    assert found_in(tmp_path) == ({b"x.git"}, [])
    before = digest_of(tmp_path / "x.git")
    (tmp_path / "x.git/.git/refs").mkdir()
    assert found_in(tmp_path) == ({b"x.git", b"x.git/.git"}, [])
    assert digest_of(tmp_path / "x.git") == before
    repository.commit("second")
    assert digest_of(tmp_path / "x.git") != before
    assert "not a git repository" in scan_error(tmp_path / "x.git/.git")


@pytest.mark.parametrize("as_link", (True, False))
def test_bare_repository_that_names_itself_is_not_hidden(repository, tmp_path, as_link):
    if as_link:
        (tmp_path / "x.git/.git").symlink_to(".")
    else:
        (tmp_path / "x.git/.git").write_text("gitdir: .\n")
    assert found_in(tmp_path) == ({b"x.git"}, [])
    before = digest_of(tmp_path / "x.git")
    repository.commit("second")
    assert digest_of(tmp_path / "x.git") != before


def test_work_tree_with_files_named_as_those_of_git_is_no_hidden_repository(tmp_path):
    for name, head in (("file", "not a ref\n"), ("directory", None)):
        Repository(tmp_path / name).commit("x")
        for part in ("objects", "refs") if head else ("objects", "refs", "HEAD"):
            (tmp_path / name / part).mkdir()
        if head:
            (tmp_path / name / "HEAD").write_text(head)
        assert digest_of(tmp_path / name)
    assert found_in(tmp_path) == ({b"file", b"directory"}, [])


def test_directory_with_the_name_of_a_git_directory_is_searched(tmp_path):
    Repository(tmp_path / ".git/x.git", "--bare")
    Repository(tmp_path / "tree")
    Repository(tmp_path / "tree/.git/objects/y.git", "--bare")
    assert found_in(tmp_path) == ({b".git/x.git", b"tree"}, [])


def test_work_tree_whose_repository_is_outside_the_root_is_named(tmp_path):
    root = tmp_path / "root"
    outside, inside = tmp_path / "outside.git", root / "inside.git"
    for name, git_directory in (("a", outside), ("b", inside)):
        Repository(root / name, f"--separate-git-dir={git_directory}").commit("x")
    # Git finds these at their repositories; a submodule's is below the root.
    Repository(tmp_path / "main").commit("x")
    Repository(tmp_path / "main").git("worktree", "add", "-q", str(root / "linked"))
    Repository(root / "super")
    (root / "super/.git/modules").mkdir()
    Repository(root / "super/sub", f"--separate-git-dir={root}/super/.git/modules/sub")
    for name, content in (("odd", b"no gitdir"), ("empty", b""), ("nul", b"gitdir: /x\0y\n"),
                          ("gone", b"gitdir: /nowhere/x.git\n")):
        (root / name).mkdir()
        (root / name / ".git").write_bytes(content)
    (root / "pipe").mkdir()
    os.mkfifo(root / "pipe/.git")
    names, complaints = found_in(root)
    assert names == {b"inside.git", b"super", b"super/.git/modules/sub"}
    unreadable = [f"invalid gitfile format: '{root}/{name}/.git'"
                  for name in ("empty", "nul", "odd", "pipe")]
    assert sorted(complaints) == [
        *unreadable,
        f"the repository of '{root}/a' is outside the directory '{root}': '{outside}'",
        f"the repository of '{root}/gone' is outside the directory '{root}': "
        "'/nowhere/x.git'"]
    # It may be below another root.
    unreached = []
    others = (bytes(tmp_path / "outside.git"), b"/nowhere")
    assert list(discover.walk(bytes(root), unreached.append, others))
    assert sorted(place.why for place in unreached) == [
        *unreadable, f"the repository of '{root}/gone' is missing: '/nowhere/x.git'"]


def lose_parts(repository, *names):
    for name in names:
        path = os.path.join(repository.path, os.fsencode(name))
        (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)


def test_damaged_repository_counts_or_is_named(tmp_path):
    root = tmp_path / "root"
    lose_parts(Repository(root / "tree"), ".git/HEAD", ".git/refs")
    lose_parts(Repository(root / "settings"), ".git/HEAD", ".git/refs", ".git/objects")
    lose_parts(Repository(root / "bare.git", "--bare"), "HEAD", "refs")
    lose_parts(Repository(root / "bare", "--bare"), "HEAD", "refs")
    lose_parts(Repository(root / "objects.git", "--bare"), "HEAD", "refs", "config")
    Repository(root / "super")
    (root / "super/.git/modules").mkdir()
    Repository(root / "super/sub", f"--separate-git-dir={root}/super/.git/modules/sub").commit("x")
    shutil.rmtree(root / "super/.git/modules/sub")
    main = Repository(root / "main")
    main.commit("x")
    main.git("worktree", "add", "-q", str(root / "linked"))
    shutil.rmtree(root / "main/.git/worktrees")  # The objects are in the repository.
    for name, target in (("dangling", "nowhere"), ("no-repository", "../group.git")):
        (root / name).mkdir()
        (root / name / ".git").symlink_to(target)
    # No repositories.
    (root / "other/objects").mkdir(parents=True)
    (root / "other/config").write_text("[core]\n")
    (root / "group.git").mkdir()
    names, complaints = found_in(root)
    assert names == {b"tree", b"settings", b"bare.git", b"bare", b"objects.git", b"super", b"main"}
    assert sorted(complaints) == [
        f"'{root}/dangling/.git' leads to nothing",
        f"not a git repository: '{root}/no-repository/.git'",
        f"the repository of '{root}/super/sub' is missing: '{root}/super/.git/modules/sub'"]
    for name in names - {b"super", b"main"}:
        assert "not a git repository" in fingerprint.scan(os.path.join(bytes(root), name)).error


def test_walk_finds_bare_repositories_in_bare_ones(tmp_path):
    for name in ("group", "group/sub.git", "group/dir/x.git", "group/sub.git/y.git",
                 "group/objects/no.git", "group/lfs/no.git"):
        Repository(tmp_path / name, "--bare")
    assert found_in(tmp_path) == (
        {b"group", b"group/sub.git", b"group/dir/x.git", b"group/sub.git/y.git"}, [])


def test_walk_visits_a_directory_once(tmp_path, listings):
    for number in range(4):
        Repository(tmp_path / f"r{number}.git", "--bare")
        (tmp_path / f"r{number}.git/modules").symlink_to("..")
    names, complaints = found_in(tmp_path)
    assert names == {b"r%d.git" % number for number in range(4)}
    assert not complaints


def damaged_manifests():
    whole = gzip.compress(json.dumps({"/x.git": {}}).encode())
    broken = bytearray(whole)
    broken[12] ^= 0xff
    yield "nested", b"[" * 200_000
    yield "nested objects", b'{"a":' * 200_000
    yield "cut gzip", whole[:-9]
    yield "broken gzip", bytes(broken)
    yield "no object", b"[]"
    yield "NUL", b'{"a\\u0000b.git": {}}'
    yield "surrogate", b'{"\\ud800.git": {}}'
    yield "no text", b"\xff\xfe"
    yield "number", b"1" * 100_000


@pytest.mark.parametrize(("name", "content"), damaged_manifests())
def test_damaged_manifest_of_grokmirror_is_an_error(tmp_path, name, content):
    (tmp_path / "manifest.js").write_bytes(content)
    with pytest.raises(ValueError) as failed:
        discover.read_grokmirror(bytes(tmp_path / "manifest.js"), bytes(tmp_path))
    assert "manifest" in str(failed.value), name


def test_manifest_of_grokmirror_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(discover, "_LIMIT_OF_MANIFEST", 100)
    (tmp_path / "manifest.js").write_bytes(gzip.compress(b"{}" + b" " * 1000))
    with pytest.raises(ValueError) as failed:
        discover.read_grokmirror(bytes(tmp_path / "manifest.js"), bytes(tmp_path))
    assert "larger than 100 bytes" in str(failed.value)


def test_manifest_of_grokmirror_that_cannot_be_read_is_named(tmp_path):
    for families in ((), ("--families",)):
        ran = run_fleet("archive", tmp_path, "--grokmirror", tmp_path / "absent.js", "--to",
                        tmp_path / "store", *families)
        assert ran.status == 128
        assert f"cannot read '{tmp_path}/absent.js': No such file or directory" in ran.errors
