# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""archive, and that what it made comes back."""

import csv
import errno
import json
import os
import shutil
import sqlite3

import pytest
from conftest import Repository, make_old, run_fleet
from git_zpack_fleet.store import Store

ODD_NAMES = (b"with space.git", b"new\nline.git", b"caf\xe9.git", b'quo"te\\.git', b"-dash.git",
             "größe.git".encode(), b"deep/er/x.git")


def newest(store):
    """The newest archive of each repository: name, hash, base, uploaded bytes."""
    with sqlite3.connect(store / "manifest.sqlite") as database:
        return {row[0]: row[1:] for row in database.execute(
            "SELECT r.name, a.hash, a.base, a.uploaded FROM repositories r "
            "JOIN archives a ON a.id = r.archive")}


def test_odd_repositories_come_back_and_a_broken_one_stops_nothing(on_cluster, tmp_path):
    root = os.fsencode(tmp_path / "source")
    made = {name: Repository(os.path.join(root, name), "--bare") for name in ODD_NAMES}
    for name, repository in made.items():
        repository.commit(repr(name))
    made[b"empty.git"] = Repository(os.path.join(root, b"empty.git"), "--bare")
    made[b"work tree"] = Repository(os.path.join(root, b"work tree"))
    made[b"work tree"].commit("x")
    made[b"256.git"] = Repository(os.path.join(root, b"256.git"), "--bare",
                                  "--object-format=sha256")
    broken = Repository(os.path.join(root, b"broken.git"), "--bare")
    broken.commit("lost")
    tree = broken.git("rev-parse", "main^{tree}")
    os.unlink(os.path.join(broken.path, b"objects", tree[:2].encode(), tree[2:].encode()))
    os.makedirs(os.path.join(root, b"headless.git/objects"))
    os.makedirs(os.path.join(root, b"headless.git/refs"))

    ran = on_cluster("archive", tmp_path / "source", "--to", tmp_path / "store")
    assert ran.status == 1, ran
    assert "not safe: 'broken.git': source broken" in ran.errors
    assert tree in ran.errors
    assert "not safe: 'headless.git': source broken: not a git repository" in ran.errors
    assert set(newest(tmp_path / "store")) == set(made)
    assert not [name for name in os.listdir(tmp_path / "store/scratch") if name != "space.json"]

    ran = on_cluster("restore", tmp_path / "store", "--to", tmp_path / "restored")
    assert ran.status == 1, ran  # The two that have no archive.
    for name, repository in made.items():
        restored = Repository.__new__(Repository)
        restored.path = os.path.join(os.fsencode(tmp_path / "restored"), name)
        assert restored.refs() == repository.refs(), name
        restored.git("fsck", "--strict")
    # Again: everything is there already.
    assert on_cluster("restore", tmp_path / "store", "--to", tmp_path / "restored",
                      "*space.git", "empty.git").status == 0


def test_second_run_converts_only_what_changed_and_copies_blocks(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    before = newest(store)
    os.utime(source / "two.git/HEAD", ns=(1, 1))  # Changed, but not what it holds.
    one = Repository(source / "one.git", "--bare")
    one.commit("more")

    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert "2 archived, 1 unchanged, 0 not safe" in ran.output
    after = newest(store)
    assert after[b"three.git"] == before[b"three.git"]
    assert after[b"one.git"][0] != before[b"one.git"][0]
    assert after[b"one.git"][1] == before[b"one.git"][0]
    assert after[b"one.git"][2] > 0
    # The archive that was there is still there.
    for content_hash, _, _ in before.values():
        assert (store / f"objects/{content_hash[:2]}/{content_hash}.zpack").exists()


def test_root_that_is_not_mounted_is_not_safe(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    (source / "one.git").rename(tmp_path / "one.git")
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert (f"warning: gone: 1 repository below '{source}', such as 'one.git'; the archives "
            "stay") in ran.errors
    source.rename(tmp_path / "elsewhere")
    source.mkdir()
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 1, ran
    assert f"error: none is left of 3 repositories below '{source}'; is it mounted?" in ran.errors


def test_push_during_the_conversion_is_archived_by_the_next_run(
        on_cluster, source, tmp_path, wrapper):
    other = Repository(tmp_path / "other", "--bare")
    other.commit("pushed")
    push = f"git -C '{tmp_path}/other' push -q -f '{source}/one.git' main:refs/heads/late"
    program = wrapper("convert", after=push)
    store = tmp_path / "store"
    assert on_cluster("archive", source / "one.git", "--to", store, program=program).status == 0
    ran = on_cluster("archive", source / "one.git", "--to", store)
    assert ran.status == 0
    assert "1 archived" in ran.output
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0
    assert b"refs/heads/late" in Repository(tmp_path / "back/one.git", "--bare").refs()


def test_repository_that_changes_while_it_is_read_is_tried_again(
        on_cluster, source, tmp_path, wrapper, calls):
    program = wrapper("convert", before=f"touch '{source}/one.git/description'; exit 128")
    ran = on_cluster("archive", source / "one.git", "--to", tmp_path / "store", program=program)
    assert ran.status == 0, ran
    assert calls("convert") == 2


def test_git_zpack_killed_for_its_memory_gets_more(on_cluster, source, tmp_path, wrapper, calls):
    program = wrapper("convert", before="kill -9 $$")
    ran = on_cluster("archive", source / "one.git", "--to", tmp_path / "store", program=program)
    assert ran.status == 0, ran
    assert calls("convert") == 2


def test_forks_borrow_objects_and_come_back_whole(on_cluster, source, tmp_path):
    pool = Repository(source / "one.git", "--bare")
    pool.git("clone", "-q", "--bare", "--shared", str(source / "one.git"),
             str(source / "fork.git"))
    assert on_cluster("archive", source, "--to", tmp_path / "store").status == 0
    assert on_cluster("restore", tmp_path / "store", "--to", tmp_path / "back",
                      "fork.git").status == 0
    fork = Repository(tmp_path / "back/fork.git", "--bare")
    assert fork.refs() == pool.refs()
    fork.git("fsck")


def test_list_on_stdin_and_manifest_of_grokmirror(on_cluster, source, tmp_path):
    listed = b"\0".join(os.fsencode(source / name) for name in ("one.git", "two.git"))
    ran = on_cluster("archive", "--stdin", "--to", tmp_path / "store", stdin=listed)
    assert ran.status == 0
    assert "2 repositories: 2 archived" in ran.output
    manifest = tmp_path / "manifest.js"
    manifest.write_text(json.dumps({"/three.git": {"fingerprint": "0"}, "/gone.git": {}}))
    ran = on_cluster("archive", source, "--grokmirror", manifest, "--to", tmp_path / "store")
    assert ran.status == 1
    assert "not safe: 'gone.git': source broken: not a git repository" in ran.errors
    manifest.write_text(json.dumps({"/../other.git": {}}))
    ran = on_cluster("archive", source, "--grokmirror", manifest, "--to", tmp_path / "store")
    assert ran.status == 128
    assert "outside the root" in ran.errors


def test_list_that_has_become_empty_is_an_error(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    ran = on_cluster("archive", "--stdin", "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    listed = bytes(source / "one.git")
    assert on_cluster("archive", "--stdin", "--to", store, stdin=listed).status == 0
    said = "error: standard input names no repository, but the manifest has 1 repository\n"
    assert (ran := on_cluster("archive", "--stdin", "--to", store)).status == 1
    assert ran.errors == said
    ran = on_cluster("archive", source / "two.git", "--stdin", "--to", store)
    assert (ran.status, ran.errors) == (1, said), ran
    # Those below a ROOT are found there.
    ran = on_cluster("archive", source, "--stdin", "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran


def test_repositories_that_vanish_from_a_manifest_of_grokmirror_are_named(
        on_cluster, source, tmp_path):
    store, manifest = tmp_path / "store", tmp_path / "manifest.js"
    arguments = ("archive", source, "--grokmirror", manifest, "--to", store)
    manifest.write_text(json.dumps({"/one.git": {}, "/two.git": {}}))
    assert on_cluster(*arguments).status == 0
    manifest.write_text(json.dumps({"/two.git": {}}))
    ran = on_cluster(*arguments)
    assert ran.status == 0, ran
    assert (f"warning: gone: 1 repository below '{source}', such as 'one.git'; the archives "
            "stay") in ran.errors
    manifest.write_text("{}")
    ran = on_cluster(*arguments)
    assert (ran.status, ran.errors) == (
        1, f"error: none is left of 2 repositories below '{source}'; is the manifest whole?\n")


def break_refs(repository):
    with open(os.path.join(repository.path, b"refs/heads/main"), "w", encoding="ascii") as file:
        file.write("1234567890" * 4 + "\n")


@pytest.mark.parametrize("name", ("bad.git", "group/bad.git"))
def test_repository_without_an_archive_that_is_gone_is_forgotten(
        on_cluster, source, tmp_path, name):
    store = tmp_path / "store"
    break_refs(Repository(source / name, "--bare"))
    assert on_cluster("archive", source, "--to", store).status == 1
    assert status_of(store) == [name]
    shutil.rmtree(source / name.split("/", maxsplit=1)[0])
    ran = on_cluster("archive", source, "--to", store)
    assert (ran.status, ran.errors) == (
        0, f"warning: gone: 1 repository that had no archive, such as '{name}'\n"), ran
    assert status_of(store) == []
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_repository_without_an_archive_is_kept_while_its_disk_is_away(on_cluster, source, tmp_path):
    (source / "disk/group").mkdir(parents=True)
    break_refs(Repository(source / "disk/group/bad.git", "--bare"))
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 1
    (source / "disk/group").rename(tmp_path / "away")
    ran = on_cluster("archive", source, "--to", store)
    assert "had no archive" not in ran.errors
    assert run_fleet("status", store).status == 1
    shutil.rmtree(source / "disk")
    assert "had no archive" in on_cluster("archive", source, "--to", store).errors
    assert run_fleet("status", store).status == 0


def test_mistyped_line_of_a_list_is_forgotten(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    right = bytes(source / "one.git")
    listed = right + b"\r\n" + bytes(source / "two.git") + b"\n"
    assert on_cluster("archive", "--stdin", "--to", store, stdin=listed).status == 1
    assert len(status_of(store)) == 1
    ran = on_cluster("archive", "--stdin", "--to", store, stdin=right)
    assert ran.status == 0, ran
    assert status_of(store) == []


def test_repository_without_an_archive_is_kept_while_it_may_be_there(
        on_cluster, source, tmp_path, monkeypatch):
    store, other = tmp_path / "store", tmp_path / "other"
    bad = Repository(other / "bad.git", "--bare")
    break_refs(bad)
    assert on_cluster("archive", source, other, "--to", store).status == 1
    # Not looked at, not mounted, on a medium that cannot be read, or archived without a record.
    assert on_cluster("archive", source, "--to", store).status == 0
    assert status_of(store) == ["bad.git"]
    other.rename(tmp_path / "elsewhere")
    other.mkdir()
    assert on_cluster("archive", source, "--to", store).status == 0
    assert status_of(store) == ["bad.git"]
    assert on_cluster("archive", source, other, "--to", store).status == 1
    assert status_of(store) == ["bad.git"]
    (other / "new").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(Store, "read_receipt", lambda *_arguments: {})
        assert on_cluster("archive", source, "--to", store).status == 0
    assert status_of(store) == ["bad.git"]
    assert on_cluster("archive", source, "--to", store).status == 0
    assert status_of(store) == []


def test_root_that_cannot_be_read_stops_no_other_one(on_cluster, source, tmp_path):
    store, disk = tmp_path / "store", tmp_path / "disk"
    ran = on_cluster("archive", disk, source, "--to", store)
    assert ran.status == 1, ran
    assert "4 repositories: 3 archived, 0 unchanged, 1 not safe" in ran.output
    assert ran.errors == (f"error: not safe: 'disk': not reached: cannot read directory '{disk}': "
                          "No such file or directory\n")
    assert not_safe(store) == ["disk"]
    Repository(disk / "more.git", "--bare").commit("x")
    ran = on_cluster("archive", disk, source, "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    assert not_safe(store) == []
    # It has archives, and is not safe until it is read again.
    disk.rename(tmp_path / "elsewhere")
    ran = on_cluster("archive", disk, source, "--to", store)
    assert (ran.status, "warning: " in ran.errors) == (1, False), ran
    assert on_cluster("archive", source, "--to", store).status == 0
    assert not_safe(store) == ["disk"]


def test_mistyped_root_is_forgotten(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", tmp_path / "suorce", source, "--to", store).status == 1
    assert not_safe(store) == ["suorce"]
    assert on_cluster("archive", source, "--to", store).status == 0
    assert not_safe(store) == []


def odd_places(tmp_path):
    """A root where repositories may be that no walk reaches, and one repository."""
    root = tmp_path / "source"
    Repository(root / "one.git", "--bare").commit("x")
    Repository(tmp_path / "tree", f"--separate-git-dir={tmp_path}/tree.git").commit("x")
    shutil.move(tmp_path / "tree", root)
    (root / "lost").mkdir()
    (root / "lost/.git").write_text("gitdir: /nowhere\n")
    (root / "one.git/modules").symlink_to(tmp_path)
    make_old(root / "one.git")
    return root


def status_of(store):
    """The names of what is not safe."""
    told = run_fleet("status", store, "--json")
    names = [one["name"] for one in json.loads(told.output)["not_safe"]]
    assert told.status == (1 if names else 0), told
    return names


def not_safe(store):
    """The names of what each command that reads the manifest says is not reached."""
    names = status_of(store)
    assert run_fleet("export", store, store / "table.csv").status == 0
    with open(store / "table.csv", encoding="utf-8", newline="") as file:
        assert names == [row["name"] for row in csv.DictReader(file) if row["safe"] != "True"]
    assert run_fleet("report", store, "-o", store / "page.html").status == 0
    page = (store / "page.html").read_text()
    assert ("All repositories are safe." in page) == (not names)
    assert all(f'<td class="name">{name}</td><td>not reached: ' in page for name in names)
    return names


def lose(store, name, size=None):
    """Removes the newest archive of a repository, or gives its file another size."""
    content_hash = newest(store)[name][0]
    path = store / f"objects/{content_hash[:2]}/{content_hash}.zpack"
    if size is None:
        path.unlink()
    else:
        os.truncate(path, size)
    return path


@pytest.mark.parametrize(("size", "why"), ((None, "is missing from the store"),
                                           (1, "does not have the hash that is its name")))
def test_archive_that_the_store_has_lost_is_not_safe_and_made_again(
        on_cluster, source, tmp_path, size, why):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    path = lose(store, b"two.git", size)
    ran = run_fleet("status", store)
    assert ran.status == 1, ran
    assert "3 repositories: 2 safe, 1 not safe" in ran.output
    assert f"not safe: 'two.git': archive damaged: {why}" in ran.output
    assert run_fleet("export", store, tmp_path / "t.csv").status == 0
    assert f"archive damaged: {why}" in (tmp_path / "t.csv").read_text()
    assert run_fleet("report", store, "-o", tmp_path / "p.html").status == 0
    assert "All repositories are safe." not in (tmp_path / "p.html").read_text()
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert "1 archived, 2 unchanged, 0 not safe" in ran.output
    assert ran.errors == f"warning: '{path.relative_to(store)}' {why}\n"
    assert path.stat().st_size > 1
    assert not_safe(store) == []
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_store_that_was_away_for_a_night_keeps_its_archives(on_cluster, source, tmp_path):
    disk = tmp_path / "disk"
    options = ("--to", disk / "store", "--manifest", tmp_path / "m.sqlite")
    assert on_cluster("archive", source, *options).status == 0
    files = set((disk / "store/objects").glob("*/*"))
    # A new history, so that the old archive is the only one of what is lost.
    shutil.rmtree(source / "one.git")
    Repository(source / "one.git", "--bare").commit("other")
    make_old(source)
    disk.rename(tmp_path / "away")
    assert on_cluster("archive", source, *options).status == 0
    shutil.rmtree(disk)
    (tmp_path / "away").rename(disk)
    assert run_fleet("status", disk / "store", *options[2:]).status == 1
    assert on_cluster("archive", source, *options).status == 0
    assert run_fleet("status", disk / "store", *options[2:]).status == 0
    ran = run_fleet("prune", disk / "store", *options[2:])
    assert ran.status == 0, ran
    assert files <= set((disk / "store/objects").glob("*/*"))


def test_store_without_its_files_is_filled_again(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    shutil.rmtree(store / "objects")
    assert run_fleet("status", store).status == 1
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert "3 archived, 0 unchanged" in ran.output
    assert run_fleet("status", store).status == 0


def test_lost_file_below_an_increment_is_not_safe(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    below = newest(store)[b"one.git"][0]
    Repository(source / "one.git", "--bare").commit("more")
    assert on_cluster("archive", source, "--to", store, "--increments", "--consolidate",
                      "never").status == 0
    key = f"objects/{below[:2]}/{below}.zpack"
    (store / key).unlink()
    ran = run_fleet("status", store)
    assert ran.status == 1, ran
    assert (f"not safe: 'one.git': archive damaged: depends on '{key}': is missing from the "
            "store") in ran.output
    ran = on_cluster("archive", source, "--to", store, "--increments")
    assert ran.status == 0, ran
    assert "1 archived, 2 unchanged, 0 not safe" in ran.output
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_store_that_cannot_be_listed_is_named(on_cluster, source, tmp_path, monkeypatch):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0

    def refuse(*_arguments):
        raise PermissionError(errno.EACCES, "Permission denied", "objects")

    monkeypatch.setattr(Store, "sizes", refuse)
    for ran in (run_fleet("status", store), on_cluster("archive", source, "--to", store)):
        assert ran.status == 0, ran
        assert ran.errors == ("warning: cannot list the store: [Errno 13] Permission denied: "
                              "'objects'; files that are missing from it are not noticed\n")


def test_what_no_walk_reaches_is_not_safe_until_it_is_in_order(on_cluster, tmp_path):
    root, store = odd_places(tmp_path), tmp_path / "store"
    for counts in ("1 archived, 0 unchanged", "0 archived, 1 unchanged"):
        ran = on_cluster("archive", root, "--to", store)
        assert ran.status == 1, ran
        assert f"4 repositories: {counts}, 3 not safe" in ran.output
        assert ran.errors.splitlines() == [
            f"error: not safe: 'lost': not reached: the repository of '{root}/lost' is outside "
            f"the directory '{root}': '/nowhere'",
            f"error: not safe: 'one.git/modules': not reached: '{root}/one.git/modules' leads out "
            f"of the directory '{root}'; it is not followed",
            f"error: not safe: 'tree': not reached: the repository of '{root}/tree' is outside "
            f"the directory '{root}': '{tmp_path}/tree.git'"]
        assert not_safe(store) == ["lost", "one.git/modules", "tree"]
    assert run_fleet("prune", store).status == 0
    assert on_cluster("verify", store).status == 0
    ran = on_cluster("restore", store, "--to", tmp_path / "back")
    assert (ran.status, "4 repositories: 1 restored, 3 failed" in ran.output) == (1, True), ran
    assert "error: 'lost': not reached: the repository of " in ran.errors
    # Another root, and a list: nobody looked again.
    Repository(tmp_path / "second/two.git", "--bare").commit("x")
    assert on_cluster("archive", tmp_path / "second", "--to", store).status == 0
    assert on_cluster("archive", "--stdin", "--to", store,
                      stdin=bytes(root / "one.git")).status == 0
    assert not_safe(store) == ["lost", "one.git/modules", "tree"]
    # One is gone, one has become a repository, the last one's is below another root.
    (root / "one.git/modules").unlink()
    (root / "lost/.git").unlink()
    Repository(root / "lost").commit("x")
    ran = on_cluster("archive", root, tmp_path / "tree.git", "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    assert not_safe(store) == []
    assert set(newest(store)) == {b"one.git", b"two.git", b"lost", b"tree.git"}


def test_archived_repository_that_a_walk_no_longer_reaches_is_not_safe(on_cluster, tmp_path):
    root, store = tmp_path / "source", tmp_path / "store"
    Repository(root / "tree").commit("x")
    Repository(root / "one.git", "--bare").commit("x")
    assert on_cluster("archive", root, "--to", store).status == 0
    shutil.rmtree(root / "tree/.git")
    (root / "tree/.git").write_text("gitdir: /nowhere\n")
    for _ in range(2):
        assert on_cluster("archive", root, "--to", store).status == 1
        assert not_safe(store) == ["tree"]
    assert on_cluster("restore", store, "--to", tmp_path / "back", "tree").status == 0
    # A file system that is not mounted is not in order.
    root.rename(tmp_path / "elsewhere")
    root.mkdir()
    ran = on_cluster("archive", root, "--to", store)
    assert (ran.status, "is it mounted?" in ran.errors) == (1, True), ran
    assert not_safe(store) == ["tree"]


@pytest.mark.parametrize("given", ("root", "place"))
def test_empty_root_does_not_end_what_no_walk_reached(tmp_path, given):
    place, store = tmp_path / "root/x", tmp_path / "store"
    place.mkdir(parents=True)
    (place / ".git").write_text("gitdir: /nowhere\n")
    root = place if given == "place" else place.parent
    assert run_fleet("archive", root, "--to", store).status == 1
    root.rename(tmp_path / "elsewhere")
    root.mkdir()
    for _ in range(2):
        ran = run_fleet("archive", root, "--to", store)
        assert (ran.status, ran.errors) == (
            1, f"error: none is left of 1 repository below '{root}'; is it mounted?\n"), ran
        assert not_safe(store) == ["x"]
    # It is mounted again, and in order.
    root.rmdir()
    (tmp_path / "elsewhere").rename(root)
    (place / ".git").unlink()
    (place / "file").write_text("no repository")
    ran = run_fleet("archive", root, "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    assert not_safe(store) == []


def test_place_in_order_without_a_repository_below_its_root_is_safe(on_cluster, tmp_path):
    root, store = tmp_path / "trees", tmp_path / "store"
    root.mkdir()
    Repository(tmp_path / "tree", f"--separate-git-dir={tmp_path}/tree.git").commit("x")
    shutil.move(tmp_path / "tree", root)
    assert run_fleet("archive", root, "--to", store).status == 1
    for _ in range(2):
        ran = on_cluster("archive", root, tmp_path / "tree.git", "--to", store)
        assert (ran.status, ran.errors) == (0, ""), ran
        assert not_safe(store) == []


def test_place_that_is_gone_from_a_root_with_others_is_forgotten(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    (source / "lost").mkdir()
    (source / "lost/.git").write_text("gitdir: /nowhere\n")
    assert on_cluster("archive", source, "--to", store).status == 1
    shutil.rmtree(source / "lost")
    ran = on_cluster("archive", source, "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran
    assert not_safe(store) == []


def test_root_that_was_a_repository_and_is_empty_is_not_safe(on_cluster, source, tmp_path):
    root, store = source / "one.git", tmp_path / "store"
    assert on_cluster("archive", root, "--to", store).status == 0
    root.rename(tmp_path / "elsewhere")
    root.mkdir()
    ran = run_fleet("archive", root, "--to", store)
    assert (ran.status, ran.errors) == (
        1, f"error: none is left of 1 repository below '{root}'; is it mounted?\n"), ran


def test_repository_with_places_that_cannot_be_read_is_archived_and_not_safe(
        on_cluster, tmp_path, monkeypatch):
    root, store = tmp_path / "source", tmp_path / "store"
    made = Repository(root / "one.git", "--bare")
    made.commit("x")
    (root / "closed").mkdir()
    make_old(root)
    scandir = os.scandir

    def refusing(path):
        if path in (made.path, bytes(root / "closed")):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return scandir(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refusing)
        for _ in range(2):
            ran = on_cluster("archive", root, "--to", store)
            assert (ran.status, "2 repositories: " in ran.output) == (1, True), ran
            assert (f"error: not safe: 'closed': not reached: cannot read directory "
                    f"'{root}/closed': Permission denied") in ran.errors
            assert not_safe(store) == ["closed", "one.git"]
    assert set(newest(store)) == {b"one.git"}
    assert on_cluster("archive", root, "--to", store).status == 0
    assert not_safe(store) == []


@pytest.mark.parametrize("changed", (False, True))
def test_gone_repository_that_is_not_safe_counts(on_cluster, source, tmp_path, changed):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    if changed:
        with sqlite3.connect(store / "manifest.sqlite") as database:
            database.execute("UPDATE repositories SET digest = 'seen' WHERE name = CAST('two.git' "
                             "AS BLOB)")
        database.close()
        why = "changed since it was archived"
    else:
        lose(store, b"two.git")
        why = "archive damaged: is missing from the store"
    shutil.rmtree(source / "two.git")
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 1, ran
    assert f"error: not safe: 'two.git': {why}\n" in ran.errors
    assert "3 repositories: 0 archived, 2 unchanged, 1 not safe" in ran.output
