# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Killed workers and clients, full disks, damage, and two runs at once."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import distributed
import pytest
from distributed.comm import CommClosedError
from conftest import (ENVIRONMENT, MEMORY, PROGRAM, Repository, free_port, make_old,
                      run_fleet, start_fleet)
from git_zpack_fleet import engine as engines, program as programs, worker
from git_zpack_fleet.database import ManifestError, process_birth
from git_zpack_fleet.failures import Failure, Kind
from git_zpack_fleet.jobs import Settings
from git_zpack_fleet.manifest import Manifest
from git_zpack_fleet.records import NewArchive
from git_zpack_fleet.session import Fatal, check_workers, manifest_path
from test_archive import newest


@pytest.mark.parametrize("slashes", ["//", "///"])
def test_password_of_a_store_is_not_shown(slashes):
    with pytest.raises(Fatal) as error:
        manifest_path(f"nosuch:{slashes}me:secret@host/x", {"bad": "option"}, None)
    assert f"cannot use store 'nosuch:{slashes}host/x'" in str(error.value)
    assert "secret" not in str(error.value)


class DyingWorkers:
    """A client whose workers die `deaths` times while they are asked."""

    def __init__(self, deaths):
        self.deaths = deaths

    def wait_for_workers(self, *_, **__):
        pass

    def run(self, *_):
        self.deaths -= 1
        if self.deaths >= 0:
            raise CommClosedError("Stream is closed")


def test_worker_that_dies_while_it_is_asked_is_no_failure():
    check_workers(DyingWorkers(2), PROGRAM)
    with pytest.raises(CommClosedError):
        check_workers(DyingWorkers(100), PROGRAM)


def archive_files(store):
    return sorted(path.name for path in (store / "objects").rglob("*.zpack"))


def test_killed_worker_loses_nothing(on_cluster, source, tmp_path, wrapper, calls):
    # The parent of git-zpack is the worker.
    program = wrapper("convert", after="kill -9 $PPID")
    ran = on_cluster("archive", source, "--to", tmp_path / "store", program=program)
    assert ran.status == 0, ran
    assert set(newest(tmp_path / "store")) == {b"one.git", b"two.git", b"three.git"}
    assert calls("convert") == 4


def test_worker_that_dies_each_time_fails_its_repository_alone(on_cluster, source, tmp_path):
    program = tmp_path / "deadly"
    program.write_text(f"""#!/bin/bash
case "$*" in convert*one.git*) kill -9 $PPID; exit 1;; esac
exec '{PROGRAM}' "$@"
""")
    program.chmod(0o755)
    ran = on_cluster("archive", source, "--to", tmp_path / "store", program=program)
    assert ran.status == 1, ran
    assert "'one.git': worker lost: " in ran.errors
    assert set(newest(tmp_path / "store")) == {b"two.git", b"three.git"}
    assert on_cluster("archive", source, "--to", tmp_path / "store").status == 0


def test_of_small_repositories_in_one_task_only_the_deadly_one_fails(on_cluster, tmp_path):
    source = tmp_path / "source"
    Repository(source / "r00.git", "--bare").commit("one")
    for number in range(1, 40):
        shutil.copytree(source / "r00.git", source / f"r{number:02}.git", symlinks=True)
    make_old(source)
    program = tmp_path / "deadly"
    log = tmp_path / "log"
    program.write_text(f"""#!/bin/bash
case "$*" in
convert*r20.git*) kill -9 $PPID; exit 1;;
convert*) echo "${{@: -2:1}}" >> '{log}';;
esac
exec '{PROGRAM}' "$@"
""")
    program.chmod(0o755)
    ran = on_cluster("archive", source, "--to", tmp_path / "store", program=program)
    assert ran.status == 1, ran
    assert "'r20.git': worker lost: " in ran.errors
    assert ran.errors.count("error: ") == 1
    assert set(newest(tmp_path / "store")) == {
        b"r%02d.git" % number for number in range(40) if number != 20}
    # The others of the task had been uploaded; their receipts say so.
    converted = log.read_text().split()
    assert len(converted) == len(set(converted)) == 39


def test_killed_client_leaves_nothing_to_convert_again(
        cluster, on_cluster, source, tmp_path, wrapper, calls):
    program = wrapper("convert", after=f"kill -9 $(cat '{tmp_path}/client')")
    arguments = ("archive", str(source / "one.git"), "--to", str(tmp_path / "store"),
                 "--scheduler", cluster.address, "--memory", str(MEMORY), "--program",
                 str(program))
    with start_fleet(*arguments) as process:
        (tmp_path / "client").write_text(str(process.pid))
        assert process.wait() == -signal.SIGKILL
    assert not newest(tmp_path / "store")
    ran = on_cluster("archive", source / "one.git", "--to", tmp_path / "store", program=program)
    assert ran.status == 0, ran
    assert calls("convert") == 1
    assert list(newest(tmp_path / "store")) == [b"one.git"]


def test_local_cluster_killed_in_the_middle(source, tmp_path, wrapper):
    program = wrapper("convert", before=f"kill -9 $(cat '{tmp_path}/client')")
    arguments = ("archive", str(source), "--to", str(tmp_path / "store"), "--workers", "1",
                 "--memory", "256m", "--program", str(program))
    with start_fleet(*arguments) as process:
        (tmp_path / "client").write_text(str(process.pid))
        assert process.wait() == -signal.SIGKILL
    ran = run_fleet(*arguments)
    assert ran.status == 0, ran
    assert len(newest(tmp_path / "store")) == 3


def test_full_disk_fails_what_does_not_fit_and_the_next_run_finishes(
        on_cluster, source, tmp_path, small_disk):
    disk, resize = small_disk
    Repository(source / "large.git", "--bare").commit("large", size=30 << 20)
    ran = on_cluster("archive", source, "--to", disk / "store", "--retries", "1")
    assert ran.status == 1, ran
    assert "'large.git': no space: " in ran.errors
    assert len(newest(disk / "store")) == 3
    resize("120m")
    ran = on_cluster("archive", source, "--to", disk / "store")
    assert ran.status == 0, ran
    assert "1 archived, 3 unchanged" in ran.output


def test_disk_that_fills_while_an_archive_is_copied(on_cluster, source, tmp_path, small_disk):
    disk, resize = small_disk
    Repository(source / "large.git", "--bare").commit("large", size=30 << 20)
    scratch = ("--scratch", tmp_path / "scratch")
    ran = on_cluster("archive", source, "--to", disk / "store", "--retries", "1", *scratch)
    assert ran.status == 1, ran
    assert "'large.git': no space: " in ran.errors
    assert len(archive_files(disk / "store")) == 3
    assert not list((disk / "store/objects").rglob(".*"))
    resize("120m")
    assert on_cluster("archive", source, "--to", disk / "store", *scratch).status == 0


def test_task_that_does_not_end_fails_its_repository_alone(on_cluster, source, tmp_path, wrapper):
    program = wrapper("convert", before="exec sleep 600")
    ran = on_cluster("archive", source, "--to", tmp_path / "store", "--time-limit", "4s",
                     program=program)
    assert ran.status == 1, ran
    assert ran.errors.count("error: ") == 1
    assert ": time limit: 'git-zpack convert' did not end within 0:04" in ran.errors
    assert len(newest(tmp_path / "store")) == 2
    ran = on_cluster("archive", source, "--to", tmp_path / "store", program=program)
    assert ran.status == 0, ran
    program = wrapper("verify", before="exec sleep 600")
    (tmp_path / "once").rmdir()
    ran = on_cluster("verify", tmp_path / "store", "--time-limit", "4s", program=program)
    assert ran.status == 1, ran
    assert "time limit: 'git-zpack verify' did not end" in ran.errors
    assert "3 archives checked, 1 not intact" in ran.output


def test_program_that_does_not_listen_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "_GRACE_SECONDS", 0.5)
    script = tmp_path / "deaf"
    script.write_text("#!/bin/bash\ntrap '' TERM\necho $$ > \"$2\"\nexec sleep 600\n")
    script.chmod(0o755)
    with pytest.raises(Failure) as failed:
        programs.run(str(script), ["convert", str(tmp_path / "pid")], seconds=3)
    assert failed.value.kind is Kind.TIME
    assert not os.path.exists(f"/proc/{int((tmp_path / 'pid').read_text())}")


def test_limit_grows_with_the_repository():
    settings = Settings("p", "u", {}, None, (), 1, 1.0, 3600.0)
    assert [worker.seconds_for(size, settings) for size in (0, 10 ** 6, 10 ** 11)] == [
        3600, 3610, 3600 + 10 ** 6]


def test_pipe_in_a_repository_stops_nothing(on_cluster, source, tmp_path):
    os.unlink(source / "one.git/HEAD")
    os.mkfifo(source / "one.git/HEAD")
    os.mkfifo(source / "two.git/packed-refs")
    ran = on_cluster("archive", source, "--to", tmp_path / "store", "--time-limit", "4s")
    assert ran.status == 1, ran
    assert b"three.git" in newest(tmp_path / "store")
    assert "not safe: 'one.git': " in ran.errors


def test_scheduler_without_the_package_is_named(source, tmp_path):
    address = f"tcp://127.0.0.1:{free_port()}"
    without = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address,
             "--no-dashboard"], env=without, cwd=tmp_path, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL) as scheduler:
        ran = run_fleet("archive", source, "--to", tmp_path / "store", "--scheduler", address)
        scheduler.kill()
    assert ran.status == 128, ran
    assert "the scheduler needs the Python package git_zpack_fleet" in ran.errors


def test_damaged_archive_is_found_and_made_again(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    assert on_cluster("verify", store).status == 0
    content_hash = newest(store)[b"one.git"][0]
    path = store / f"objects/{content_hash[:2]}/{content_hash}.zpack"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    before = archive_files(store)

    ran = on_cluster("verify", store)
    assert ran.status == 1, ran
    assert "3 archives checked, 1 not intact" in ran.output
    ran = run_fleet("status", str(store))
    assert ran.status == 1
    assert "not safe: 'one.git': archive damaged: " in ran.output
    assert on_cluster("archive", source, "--to", store).status == 0
    assert archive_files(store) == before
    assert on_cluster("verify", store, "--level", "connectivity").status == 0
    path.unlink()
    assert "is missing from the store" in on_cluster("verify", store).errors
    assert on_cluster("archive", source, "--to", store).status == 0
    assert run_fleet("status", str(store)).status == 0


@pytest.mark.parametrize("make", (
    pytest.param(lambda path: path.symlink_to(path.name), id="loop"),
    pytest.param(lambda path: path.mkdir(), id="directory"),
    pytest.param(os.mkfifo, id="pipe")))
def test_what_is_no_file_is_missing_from_the_store(on_cluster, source, tmp_path, make):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    content_hash = newest(store)[b"one.git"][0]
    path = store / f"objects/{content_hash[:2]}/{content_hash}.zpack"
    path.unlink()
    make(path)
    ran = on_cluster("verify", store)
    assert ran.status == 1 and "is missing from the store" in ran.errors, ran
    assert run_fleet("status", str(store)).status == 1
    if path.is_dir():
        path.rmdir()  # no archive replaces a directory
    assert on_cluster("archive", source, "--to", store).status == 0
    assert on_cluster("verify", store).status == 0


def test_two_runs_on_one_scheduler_keep_their_tasks_apart(cluster, tmp_path, wrapper):
    program = wrapper("convert", before="sleep 1")
    runs = []
    for root in ("a", "b"):
        Repository(tmp_path / root / "same.git", "--bare").commit(root)
        runs.append(start_fleet(
            "archive", str(tmp_path / root), "--to", str(tmp_path / f"store-{root}"),
            "--scheduler", cluster.address, "--memory", str(MEMORY), "--program", str(program)))
    for run in runs:
        with run as process:
            process.communicate()
            assert process.returncode == 0
    stored = [archive_files(tmp_path / f"store-{root}") for root in ("a", "b")]
    assert [len(files) for files in stored] == [1, 1]
    assert stored[0] != stored[1]


def test_task_that_prefers_a_worker_that_is_gone_runs_on_another(monkeypatch):
    monkeypatch.setattr(engines, "_REFRESH_SECONDS", 0.0)
    with distributed.LocalCluster(n_workers=0, threads_per_worker=1, processes=False,
                                  dashboard_address=None) as local:
        engine = engines.Engine(lambda: distributed.Client(local, set_as_default=False),
                                engines.Retries(1, 0.01))
        engine._groups[b"family"] = "tcp://127.0.0.1:1"
        monkeypatch.setattr(engine, "_refresh", lambda: None)
        engine._slots = {"tcp://127.0.0.1:1": 1}
        engine._submit(engines.Task("x", "x", len, ((),), 0, 0, b"family"))
        monkeypatch.undo()
        monkeypatch.setattr(engines, "_REFRESH_SECONDS", 0.0)
        local.scale(1)
        results = []
        engine.run((), lambda task, result: results.append(result))
        assert results == [0]
        engine.client.close()


def test_lease_keeps_other_runs_away_until_its_run_is_dead(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    os.makedirs(store)
    path = os.fsencode(source / "one.git")
    script = (
        "import sys; from git_zpack_fleet.manifest import Manifest\n"
        f"m = Manifest({str(store / 'manifest.sqlite')!r}, create=True)\n"
        f"ids = m.see([({path!r}, b'one.git')])\n"
        "m.take_leases(m.begin_run('archive'), ids.values())\n"
        "print('held', flush=True); sys.stdin.read()\n")
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        ran = on_cluster("archive", source, "--to", store)
        assert ran.status == 1, ran
        assert "another run works on 1 repository" in ran.errors
        assert set(newest(store)) == {b"two.git", b"three.git"}
        assert run_fleet("prune", str(store)).status == 128
        holder.kill()
    assert on_cluster("archive", source, "--to", store).status == 0
    assert len(newest(store)) == 3


def test_killed_process_that_nobody_has_waited_for_is_dead(tmp_path):
    manifest = Manifest(str(tmp_path / "m.sqlite"), create=True)
    with subprocess.Popen(["sleep", "60"]) as process:
        assert process_birth(process.pid)
        run = manifest.begin_run("archive")
        with sqlite3.connect(tmp_path / "m.sqlite") as database:
            database.execute("UPDATE runs SET pid = ?, born = ?",
                             (process.pid, process_birth(process.pid)))
        with pytest.raises(ManifestError):
            manifest.begin_run("prune")
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert process_birth(process.pid) == ""
        assert manifest.begin_run("prune") != run


def test_run_that_lost_its_lease_records_nothing(source, tmp_path):
    manifest = Manifest(str(tmp_path / "m.sqlite"), create=True)
    ids = manifest.see([(os.fsencode(source / "one.git"), b"one.git")])
    run = manifest.begin_run("archive")
    number = next(iter(ids.values()))
    assert manifest.take_leases(run, [number])[number] == (True, False)
    manifest.end_leases(run, [number])
    archive = NewArchive(number, "0" * 64, 1, 1, "d", False, "r", 1, 1.0, 1, 1, None)
    assert manifest.record(run, [archive], []) == [number]
    assert not manifest.archives()


def test_prune_keeps_what_is_needed(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    for text in ("a", "b", "c"):
        Repository(source / "one.git", "--bare").commit(text)
        assert on_cluster("archive", source, "--to", store).status == 0
    before = archive_files(store)
    assert len(before) == 5
    unknown = store / "objects/00" / ("0" * 64 + ".zpack")
    unknown.parent.mkdir(exist_ok=True)
    unknown.write_bytes(b"x")
    ran = run_fleet("prune", str(store), "--keep", "1", "--dry-run")
    assert "2 files would be removed" in ran.output, ran
    assert archive_files(store) == sorted([*before, unknown.name])
    assert run_fleet("prune", str(store), "--keep", "1").status == 0
    assert unknown.exists()  # It is younger than a day: perhaps somebody writes it.
    assert run_fleet("prune", str(store), "--grace", "0").status == 0
    assert not unknown.exists()
    assert len(archive_files(store)) == 3
    assert on_cluster("verify", store).status == 0
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_prune_keeps_a_file_that_is_also_an_older_archive(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    before = archive_files(store)
    for path in (store / "objects").rglob("*.zpack"):
        path.write_bytes(b"x")
    assert on_cluster("verify", store).status == 1
    assert on_cluster("archive", source, "--to", store).status == 0
    assert archive_files(store) == before  # The same bytes, recorded twice.
    ran = run_fleet("prune", store, "--keep", "1", "--grace", "0")
    assert (ran.status, ran.output) == (0, "0 files removed, 0 B\n"), ran
    assert archive_files(store) == before
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_archive_with_what_the_repository_lost_stays(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    one = Repository(source / "one.git", "--bare")
    one.git("update-ref", "refs/heads/lost", one.git("commit-tree", "-m", "lost", "main^{tree}"))
    assert on_cluster("archive", source, "--to", store).status == 0
    with_lost = newest(store)[b"one.git"][0]
    one.git("update-ref", "-d", "refs/heads/lost")
    one.git("gc", "-q", "--prune=now")
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert (f"warning: 'one.git': the archive {with_lost[:12]} may have objects that the "
            "repository has lost; 'prune' keeps it for some time") in ran.errors
    for text in ("a", "b"):
        one.commit(text)
        ran = on_cluster("archive", source, "--to", store)
        assert (ran.status, ran.errors) == (0, ""), ran
    ran = run_fleet("prune", str(store), "--keep", "1")
    assert ran.status == 0, ran
    assert "1 archive stays" in ran.output
    assert f"{with_lost}.zpack" in archive_files(store)
    assert len(archive_files(store)) == 4
    ran = run_fleet("prune", str(store), "--keep", "1", "--keep-lost", "0")
    assert "stays" not in ran.output
    assert len(archive_files(store)) == 3


def test_refs_that_are_gone_while_their_objects_stay_are_named(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    one = Repository(source / "one.git", "--bare")
    one.git("update-ref", "refs/heads/lost", one.git("commit-tree", "-m", "lost", "main^{tree}"))
    one.git("update-ref", "refs/heads/other", "refs/heads/lost")
    assert on_cluster("archive", source, "--to", store).status == 0
    with_refs = newest(store)[b"one.git"][0]
    one.git("update-ref", "-d", "refs/heads/lost")
    ran = on_cluster("archive", source, "--to", store)
    assert ran.status == 0, ran
    assert (f"warning: 'one.git': the archive {with_refs[:12]} has 1 ref that the repository no "
            "longer has") in ran.errors
    one.commit("more")
    ran = on_cluster("archive", source, "--to", store)
    assert (ran.status, ran.errors) == (0, ""), ran


def test_usage_and_failures_have_the_exit_codes_of_git(on_cluster, source, tmp_path):
    assert run_fleet("archive", "--to", str(tmp_path / "store")).status == 129
    assert run_fleet("nonsense").status == 129
    assert run_fleet("verify", str(tmp_path), "--sample", "0%").status == 129
    assert run_fleet("status", str(tmp_path)).status == 128
    ran = on_cluster("archive", tmp_path / "nothing", "--to", tmp_path / "store")
    assert (ran.status, "cannot read directory" in ran.errors) == (128, True)
    ran = on_cluster("archive", source, "--to", tmp_path / "store", program="no-git-zpack")
    assert (ran.status, "cannot run 'no-git-zpack'" in ran.errors) == (128, True), ran


def run_into(output, *arguments):
    """The exit code and standard error of the program with this standard output."""
    ran = subprocess.run([sys.executable, "-m", "git_zpack_fleet", *map(os.fspath, arguments)],
                         env=ENVIRONMENT, stdout=output, stderr=subprocess.PIPE, check=False)
    return ran.returncode, ran.stderr.decode()


def test_output_that_nobody_reads_or_that_is_full_is_no_internal_error(
        cluster, on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    tasks = ("--scheduler", cluster.address, "--program", PROGRAM, "--no-progress")
    read, unread = os.pipe()
    os.close(read)
    try:
        for command in (("status", store), ("prune", store), ("--help",),
                        ("archive", source, "--to", store, *tasks),
                        ("restore", store, "--to", tmp_path / "back", *tasks)):
            assert run_into(unread, *command) == (-signal.SIGPIPE, ""), command
    finally:
        os.close(unread)
    with open("/dev/full", "wb") as full:
        for command in (("status", store), ("--help",)):
            assert run_into(full, *command) == (128, "fatal: write failure on standard output: "
                                                "No space left on device\n"), command
    assert on_cluster("restore", store, "--to", tmp_path / "back").status == 0


def test_what_a_run_does_counts_more_than_who_reads_of_it(cluster, source, tmp_path):
    (source / "bad").mkdir()
    (source / "bad/.git").write_text("no gitfile")
    read, unread = os.pipe()
    os.close(read)
    try:
        ran = subprocess.run(
            [sys.executable, "-m", "git_zpack_fleet", "archive", source, "--to",
             tmp_path / "store", "--scheduler", cluster.address, "--program", PROGRAM,
             "--progress"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=unread, check=False)
    finally:
        os.close(unread)
    assert (ran.returncode, b"3 archived, 0 unchanged, 1 not safe" in ran.stdout) == (1, True), ran


@pytest.mark.parametrize("address", ("localhost", "tcp://host:abc", "tcp:://x", "other://host:1"))
def test_wrong_address_of_a_scheduler_ends_the_program(source, tmp_path, address):
    with start_fleet("archive", str(source), "--to", str(tmp_path / "store"), "--scheduler",
                     address) as process:
        try:
            errors = process.communicate(timeout=60)[1].decode()
        finally:
            process.kill()
    assert process.returncode == 128, errors
    assert errors.startswith(f"fatal: cannot connect to the scheduler '{address}': ")
    assert errors.count("\n") == 1
