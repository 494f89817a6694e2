# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The files that report and export write: whatever the name stands for, nothing else changes."""

import json
import os
import stat

import pytest
from conftest import run_fleet

NAMES = {"report": "page.html", "csv": "table.csv", "json": "table.json",
         "parquet": "table.parquet"}
FIRST = {"report": b"<!DOCTYPE html>", "csv": b"name,path,", "json": b"[", "parquet": b"PAR1"}
KINDS = tuple(NAMES)


@pytest.fixture
def store(tmp_path):
    """A store whose manifest knows no repository."""
    (tmp_path / "none").mkdir()
    assert run_fleet("archive", tmp_path / "none", "--to", tmp_path / "store").status == 0
    return tmp_path / "store"


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def umask():
    """Sets the umask until the test ends."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def write(kind, store, target):
    """Runs the command that writes this kind of file."""
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet",
                            reason="the Python package pyarrow is not installed")
    arguments = ("report", store, "-o") if kind == "report" else ("export", store)
    return run_fleet(*arguments, target)


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


@pytest.mark.parametrize("kind", KINDS)
def test_pipe_gets_the_content_and_stays_a_pipe(kind, store, out):
    pipe = out / NAMES[kind]
    os.mkfifo(pipe, 0o600)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ran = write(kind, store, pipe)
        assert (ran.status, ran.errors) == (0, ""), ran
        assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
        assert os.read(reader, 1 << 16).startswith(FIRST[kind])
    finally:
        os.close(reader)
    assert os.listdir(out) == [NAMES[kind]]
    assert mode_of(pipe) == 0o600


@pytest.mark.parametrize("kind", KINDS)
def test_link_stays_and_the_file_at_its_end_is_written(kind, store, out, tmp_path):
    real = tmp_path / "real"
    real.write_text("old")
    link = out / NAMES[kind]
    link.symlink_to("../real")
    assert write(kind, store, link).status == 0
    assert os.readlink(link) == "../real"
    assert real.read_bytes().startswith(FIRST[kind])
    # One that leads nowhere yet, too.
    real.unlink()
    assert write(kind, store, link).status == 0
    assert os.readlink(link) == "../real"
    assert real.read_bytes().startswith(FIRST[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_new_file_honours_the_umask_and_an_old_one_keeps_its_mode(kind, store, out, umask):
    target = out / NAMES[kind]
    for mask, mode in ((0o077, 0o600), (0o022, 0o644), (0o002, 0o664)):
        umask(mask)
        assert write(kind, store, target).status == 0
        assert mode_of(target) == mode
        target.unlink()
    target.write_text("old")
    for mode in (0o600, 0o640, 0o444):
        target.chmod(mode)
        assert write(kind, store, target).status == 0
        assert mode_of(target) == mode
        assert target.read_bytes().startswith(FIRST[kind])
    assert os.listdir(out) == [NAMES[kind]]


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_written_is_left_as_it_is(kind, store, out):
    def refused(target, why):
        ran = write(kind, store, target)
        assert (ran.status, ran.errors) == (
            128, f"fatal: unable to create '{target}': {why}\n"), ran

    target = out / NAMES[kind]
    target.mkdir()
    refused(target, "Is a directory")
    target.rmdir()
    target.symlink_to(target.name)
    refused(target, "Too many levels of symbolic links")
    assert os.listdir(out) == [NAMES[kind]]
    refused(out / "missing" / NAMES[kind], "No such file or directory")
    assert os.readlink(target) == target.name


@pytest.mark.parametrize("kind", KINDS)
def test_file_that_is_written_halfway_never_has_the_name(kind, store, out, monkeypatch):
    target = out / NAMES[kind]
    target.write_text("old")

    def fail(*_):
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        ran = write(kind, store, target)
    assert (ran.status, ran.errors) == (
        128, f"fatal: unable to create '{target}': No space left on device\n"), ran
    assert target.read_text() == "old"
    assert os.listdir(out) == [NAMES[kind]]


def test_names_in_messages_have_no_control_characters(store, out):
    for arguments in (("report", store, "-o", out / "\x1b[1m/x.html"),
                      ("export", store, out / "\x1b[1m/x.csv"),
                      ("export", store, out / "x.\x1b[1m")):
        ran = run_fleet(*arguments)
        assert ran.status == 128 and "\x1b" not in ran.errors and "\\033[1m" in ran.errors, ran


def test_table_in_json_is_whole(store, out):
    assert run_fleet("export", store, out / "t.json").status == 0
    assert json.loads((out / "t.json").read_text()) == []


def test_copy_of_the_manifest_leaves_the_link_that_names_it(out, tmp_path):
    (tmp_path / "none").mkdir()
    link = out / "manifest"
    link.symlink_to("../real")
    store = "memory://copy-for-a-link"
    assert run_fleet("archive", tmp_path / "none", "--to", store, "--manifest", link).status == 0
    (tmp_path / "real").unlink()
    ran = run_fleet("status", store, "--manifest", link)
    assert (ran.status, ran.errors) == (
        0, f"warning: there is no manifest '{link}'; the copy in the store is used\n"), ran
    assert os.readlink(link) == "../real"
    assert (tmp_path / "real").is_file()
