# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What is recorded survives a power cut: new files and directories are synced."""

import os

import pytest
from git_zpack_fleet import durable
from git_zpack_fleet.manifest import Manifest
from git_zpack_fleet.store import Store, archive_key

# SHA-256 of a file without content.
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def events(monkeypatch):
    """New entries of directories and what is synced, in order."""
    seen = []

    def watch(name, note):
        call = getattr(os, name)

        def watched(*arguments, **options):
            result = call(*arguments, **options)
            seen.append((name, note(*arguments)))
            return result
        monkeypatch.setattr(os, name, watched)

    watch("mkdir", lambda path, *_: os.path.abspath(path))
    watch("replace", lambda _, target: os.path.abspath(target))
    watch("fsync", lambda descriptor: os.readlink(f"/proc/self/fd/{descriptor}"))
    return seen


def assert_synced(events):
    """Each new entry is followed by a sync of its directory."""
    assert any(name != "fsync" for name, _ in events)
    for at, (name, path) in enumerate(events):
        if name != "fsync":
            assert ("fsync", os.path.dirname(path)) in events[at:], (name, path, events)


@pytest.mark.parametrize("move", (True, False))
def test_new_directories_of_the_store_are_synced(tmp_path, events, move):
    source = tmp_path / "source"
    source.write_bytes(b"")
    store = Store(str(tmp_path / "new/store"), {})
    store.put(str(source), EMPTY, move=move)
    assert (tmp_path / "new/store" / archive_key(EMPTY)).exists()
    assert_synced(events)


def test_archive_that_a_killed_task_left_is_synced(tmp_path, events):
    store = Store(str(tmp_path / "store"), {})
    path = tmp_path / "store" / archive_key(EMPTY)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    (tmp_path / "source").write_bytes(b"")
    assert store.put(str(tmp_path / "source"), EMPTY, move=True) == 0
    synced = [path for name, path in events if name == "fsync"]
    assert synced == [str(one) for one in (path, *path.parents[:3])]


def test_directories_that_another_task_made_are_synced_too(tmp_path, events):
    store = Store(str(tmp_path / "store"), {})
    os.makedirs(tmp_path / "store/objects/ab")
    events.clear()
    (tmp_path / "source").write_bytes(b"x")
    store.write(str(tmp_path / "source"), "objects/ab/x.zpack")
    synced = [path for name, path in events if name == "fsync"]
    for directory in ("store/objects/ab", "store/objects", "store"):
        assert str(tmp_path / directory) in synced


def test_receipts_and_the_directory_of_the_manifest_are_synced(tmp_path, events):
    Store(str(tmp_path / "store"), {}).write_receipt(b"/x", {"a": 1})
    assert_synced(events)
    events.clear()
    Manifest(str(tmp_path / "deep/er/manifest.sqlite"), create=True).close()
    assert_synced(events)


def test_directories_are_made_by_two_at_once(tmp_path, monkeypatch):
    made = os.mkdir

    def late(path, *arguments):
        made(path, *arguments)  # Somebody else was faster.
        return made(path, *arguments)

    monkeypatch.setattr(os, "mkdir", late)
    durable.make_directories(str(tmp_path / "a/b"))
    durable.make_directories(bytes(tmp_path / "a/b"))
    assert (tmp_path / "a/b").is_dir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError):
        durable.make_directories(str(tmp_path / "file/x"))


@pytest.mark.parametrize("url", ("memory://sizes", None))
def test_sizes_are_those_of_the_files_in_a_folder(tmp_path, url):
    store = Store(url or str(tmp_path / "store"), {})
    assert not store.sizes("objects/ab")
    for key, content in (("objects/ab/x", "12"), ("objects/ab/y", ""), ("objects/cd/z", "1")):
        (tmp_path / "source").write_text(content)
        store.write(str(tmp_path / "source"), key)
    if url is None:
        (tmp_path / "store/objects/ab/dangling").symlink_to("nowhere")
        (tmp_path / "store/objects/ab/loop").symlink_to("loop")
        os.mkfifo(tmp_path / "store/objects/ab/pipe")
    assert store.sizes("objects/ab") == {"x": 2, "y": 0}
