# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A store on an S3 server that this test starts."""

import contextlib
import os
import shutil
import subprocess
import time

import pytest
from conftest import Repository, free_port, run_fleet

# A path or a name; gofakes3 and versitygw are known.
SERVER = shutil.which(os.environ.get("ZPACK_S3_SERVER") or "gofakes3")
KEY = "fleet"
SECRET = "fleetsecret"


def command(directory, port):
    """How to start the server with a bucket 'backup'."""
    data = directory / "buckets/backup"
    if os.path.basename(SERVER) == "versitygw":
        data.mkdir(parents=True)
        return [SERVER, "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{port}",
                "--iam-dir", str(directory), "posix", str(directory / "buckets")]
    return [SERVER, "-backend", "fs", "-fs.path", str(directory), "-fs.create",
            "-initialbucket", "backup", "-host", f"127.0.0.1:{port}"]


@contextlib.contextmanager
def served(directory, port):
    with open(directory / "log", "ab") as log, subprocess.Popen(
            command(directory, port), stdout=log, stderr=log) as process:
        try:
            yield process
        finally:
            process.kill()


def await_server(fs, process):
    """Asks until the server answers; it has no other sign of being ready."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(Exception):
            fs.invalidate_cache()
            fs.ls("backup")
            return
    pytest.fail("the S3 server does not answer")


@pytest.fixture
def bucket(tmp_path):
    """The options of a store on a running server, and the server."""
    s3fs = pytest.importorskip("s3fs", reason="the Python package s3fs is not installed")
    if not SERVER:
        pytest.skip("no S3 server: set ZPACK_S3_SERVER to gofakes3 or versitygw")
    directory = tmp_path / "s3"
    directory.mkdir()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    fs = s3fs.S3FileSystem(key=KEY, secret=SECRET, client_kwargs={"endpoint_url": url},
                           skip_instance_cache=True)
    options = [f"--storage-option=key={KEY}", f"--storage-option=secret={SECRET}",
               f'--storage-option=client_kwargs={{"endpoint_url": "{url}"}}']
    with served(directory, port) as process:
        await_server(fs, process)
        yield options, fs, process


def test_archives_live_in_a_bucket(on_cluster, source, tmp_path, bucket, monkeypatch):
    options, fs, process = bucket
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = "s3://backup/some/where"
    scratch = ("--scratch", tmp_path / "scratch")
    Repository(source / "large.git", "--bare").commit("large", size=12 << 20)
    ran = on_cluster("archive", source, "--to", store, *options, *scratch)
    assert ran.status == 0, ran
    assert "4 archived" in ran.output
    # A new version is made from the blocks of the old one, which is fetched.
    Repository(source / "large.git", "--bare").commit("more")
    ran = on_cluster("archive", source, "--to", store, *options, *scratch)
    assert (ran.status, "1 archived, 3 unchanged" in ran.output) == (0, True), ran
    assert not [name for name in os.listdir(tmp_path / "scratch") if name != "space.json"]
    assert on_cluster("verify", store, *options, *scratch).status == 0

    # The machine with the manifest is lost; the store has a copy.
    shutil.rmtree(tmp_path / "state")
    ran = on_cluster("restore", store, "--to", tmp_path / "back", *options, *scratch)
    assert ran.status == 0, ran
    assert "the copy in the store is used" in ran.errors
    for name in ("one.git", "large.git"):
        assert (Repository(tmp_path / "back" / name, "--bare").refs()
                == Repository(source / name, "--bare").refs())

    # Damage in the bucket.
    victim = next(path for path in fs.find("backup/some/where/objects")
                  if fs.info(path)["size"] < 1 << 20)
    content = bytearray(fs.cat_file(victim))
    content[100] ^= 1
    fs.pipe_file(victim, bytes(content))
    assert on_cluster("verify", store, *options, *scratch).status == 1
    assert on_cluster("archive", source, "--to", store, *options, *scratch).status == 0
    assert on_cluster("verify", store, *options, *scratch).status == 0
    ran = run_fleet("prune", store, *options, "--keep", "1", "--grace", "0")
    assert ran.status == 0, ran
    assert len(fs.find("backup/some/where/objects")) == 4


def test_server_that_is_gone_is_a_failure_of_the_network(
        on_cluster, source, tmp_path, bucket, monkeypatch, wrapper):
    options, _, process = bucket
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    program = wrapper("convert", after=f"kill -9 {process.pid}")
    ran = on_cluster("archive", source / "one.git", "--to", "s3://backup/x", *options,
                     "--scratch", tmp_path / "scratch", "--retries", "2", program=program)
    assert ran.status == 1, ran
    assert "'one.git': network: " in ran.errors
