# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A cluster of real Dask workers, repositories, and the program as users run it.

The environment says what to test: ZPACK_BINARY is git-zpack, ZPACK_S3_SERVER an
S3 server (gofakes3 or versitygw), ZPACK_S3_LOCK_SERVER one with retention (versitygw).
"""

import contextlib
import io
import os
import shutil
import signal
import socket
import subprocess
import sys

import pytest
from git_zpack_fleet import cli

PROGRAM = os.environ["ZPACK_BINARY"]
MEMORY = 256 << 20
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("GIT_")
} | {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
}
os.environ.update(ENVIRONMENT)


class Ran:
    """How the program ended."""

    def __init__(self, status, output, errors):
        self.status = status
        self.output = output
        self.errors = errors

    def __repr__(self):
        return f"status {self.status}\n{self.output}\n{self.errors}"


class Repository:
    """A repository that the tests make and ask with Git."""

    def __init__(self, path, *options):
        self.path = os.fsencode(path)
        os.makedirs(self.path, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *arguments):
        """The output of a Git command."""
        return subprocess.run(["git", *arguments], cwd=self.path, env=ENVIRONMENT, check=True,
                              stdout=subprocess.PIPE).stdout.decode("utf-8", "replace").strip()

    def commit(self, text, size=0):
        """A commit that adds a file, of incompressible bytes if a size is given."""
        blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], cwd=self.path,
                              env=ENVIRONMENT, input=os.urandom(size) or text.encode(),
                              check=True, stdout=subprocess.PIPE).stdout.decode().strip()
        tree = subprocess.run(["git", "mktree"], cwd=self.path, env=ENVIRONMENT, check=True,
                              input=f"100644 blob {blob}\tfile\n".encode(),
                              stdout=subprocess.PIPE).stdout.decode().strip()
        self.git("update-ref", "refs/heads/main", self.git("commit-tree", "-m", text, tree))

    def refs(self):
        """The output of git show-ref."""
        return subprocess.run(["git", "show-ref"], cwd=self.path, env=ENVIRONMENT, check=False,
                              stdout=subprocess.PIPE).stdout


class Cluster:
    """A scheduler and two workers, which nannies start again when they die."""

    def __init__(self, log):
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._log = log
        self._processes = []
        self._environment = {**ENVIRONMENT, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        self._start("dask_scheduler", "--host", self.address, "--no-dashboard")
        self._start("dask_worker", self.address, "--nworkers", "2", "--nthreads", "1",
                    "--resources", f"memory={MEMORY}", "--memory-limit", "0", "--no-dashboard",
                    "--host", "127.0.0.1")

    def _start(self, module, *arguments):
        self._processes.append(subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
            env=self._environment, stdout=self._log, stderr=self._log, start_new_session=True))

    def stop(self):
        """Ends all processes."""
        for process in reversed(self._processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def free_port():
    """A port of this machine that nobody uses now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_fleet(*arguments):
    """Starts git-zpack-fleet."""
    return subprocess.Popen([sys.executable, "-m", "git_zpack_fleet", *arguments],
                            env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def run_fleet(*arguments, stdin=b""):
    """Runs git-zpack-fleet in this process, which saves the time to load Dask."""
    output, errors = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = cli.main([os.fspath(argument) for argument in arguments])
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.stdin = before
    return Ran(status, output.getvalue(), errors.getvalue())


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    with open(tmp_path_factory.mktemp("cluster") / "log", "wb") as log:
        started = Cluster(log)
        yield started
        started.stop()


@pytest.fixture
def on_cluster(cluster):
    """Runs a command with tasks on the shared cluster."""
    def run(command, *arguments, program=PROGRAM, stdin=b""):
        return run_fleet(command, *map(os.fspath, arguments), "--scheduler", cluster.address,
                         "--memory", str(MEMORY), "--program", os.fspath(program),
                         "--retry-delay", "0.01", "--no-progress", stdin=stdin)
    return run


def make_old(root):
    """What changed just now could change again without another time."""
    for directory, directories, files in os.walk(root):
        for name in directories + files:
            os.utime(os.path.join(directory, name), (1_700_000_000, 1_700_000_000))


@pytest.fixture
def source(tmp_path):
    """Three small repositories."""
    for name in ("one.git", "two.git", "three.git"):
        Repository(tmp_path / "source" / name, "--bare").commit(name)
    make_old(tmp_path / "source")
    return tmp_path / "source"


@pytest.fixture
def wrapper(tmp_path):
    """A program that runs shell commands once, before or after git-zpack COMMAND."""
    def make(command, before="", after=""):
        path = tmp_path / "wrapped"
        path.write_text(f"""#!/bin/bash
echo "$1" >> '{tmp_path}/calls'
if [[ $1 != {command} ]] || ! mkdir '{tmp_path}/once' 2> /dev/null; then
  exec '{PROGRAM}' "$@"
fi
{before}
'{PROGRAM}' "$@"
status=$?
{after}
exit $status
""")
        path.chmod(0o755)
        return path
    return make


@pytest.fixture
def calls(tmp_path):
    """How often the wrapper was called with a command."""
    return lambda command: (tmp_path / "calls").read_text().split().count(command)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 20 MiB; a function changes its size."""
    mount = tmp_path / "disk"
    mount.mkdir()
    if os.getuid() != 0 or not shutil.which("mount") or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", mount], check=False).returncode:
        pytest.skip("a small file system can only be mounted by root")

    def resize(size):
        subprocess.run(["mount", "-o", f"remount,size={size}", mount], check=True)
    yield mount, resize
    subprocess.run(["umount", "-l", mount], check=True)
