# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A store on an S3 server that this test starts."""

import contextlib
import os
import shutil
import subprocess
import time

import pytest
from conftest import Repository, free_port, make_old, run_fleet
from forks import assert_restored, fork, grow, make

# A path or a name; gofakes3 and versitygw are known.
SERVER = shutil.which(os.environ.get("ZPACK_S3_SERVER") or "gofakes3")
# Of these, versitygw knows retention.
LOCK_SERVER = shutil.which(os.environ.get("ZPACK_S3_LOCK_SERVER") or "versitygw")
KEY = "fleet"
SECRET = "fleetsecret"


def command(directory, port, server, *, empty):
    """How to start the server, with a bucket 'backup' or empty."""
    if os.path.basename(server) == "versitygw":
        versions = directory / "versions"
        for made in (directory / "buckets", versions):
            made.mkdir()
        if not empty:
            (directory / "buckets/backup").mkdir()
        return [server, "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{port}",
                "--iam-dir", str(directory), "posix", "--versioning-dir", str(versions),
                str(directory / "buckets")]
    return [server, "-backend", "fs", "-fs.path", str(directory), "-fs.create",
            "-initialbucket", "backup", "-host", f"127.0.0.1:{port}"]


@contextlib.contextmanager
def served(directory, port, server, *, empty=False):
    with open(directory / "log", "ab") as log, subprocess.Popen(
            command(directory, port, server, empty=empty), stdout=log, stderr=log) as process:
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
            fs.ls("")
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
    with served(directory, port, SERVER) as process:
        await_server(fs, process)
        yield options, fs, process


@pytest.fixture
def locked_bucket(tmp_path):
    """As bucket, but what is written there can be neither changed nor removed for a day."""
    s3fs = pytest.importorskip("s3fs", reason="the Python package s3fs is not installed")
    session = pytest.importorskip("botocore.session")
    if not LOCK_SERVER:
        pytest.skip("no S3 server with retention: set ZPACK_S3_LOCK_SERVER to versitygw")
    directory = tmp_path / "s3"
    directory.mkdir()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    fs = s3fs.S3FileSystem(key=KEY, secret=SECRET, client_kwargs={"endpoint_url": url},
                           skip_instance_cache=True)
    client = session.get_session().create_client(
        "s3", endpoint_url=url, aws_access_key_id=KEY, aws_secret_access_key=SECRET,
        region_name="us-east-1")
    options = [f"--storage-option=key={KEY}", f"--storage-option=secret={SECRET}",
               f'--storage-option=client_kwargs={{"endpoint_url": "{url}"}}']
    with served(directory, port, LOCK_SERVER, empty=True) as process:
        await_server(fs, process)
        client.create_bucket(Bucket="backup", ObjectLockEnabledForBucket=True)
        client.put_object_lock_configuration(Bucket="backup", ObjectLockConfiguration={
            "ObjectLockEnabled": "Enabled",
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 1}}})
        yield options, client


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

    # A file that the bucket has lost.
    assert run_fleet("status", store, *options).status == 0
    fs.rm_file(victim)
    assert run_fleet("status", store, *options).status == 1
    ran = on_cluster("archive", source, "--to", store, *options, *scratch)
    assert (ran.status, "1 archived, 3 unchanged" in ran.output) == (0, True), ran
    assert run_fleet("status", store, *options).status == 0


def test_server_that_is_gone_is_a_failure_of_the_network(
        on_cluster, source, tmp_path, bucket, monkeypatch, wrapper):
    options, _, process = bucket
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    program = wrapper("convert", after=f"kill -9 {process.pid}")
    ran = on_cluster("archive", source / "one.git", "--to", "s3://backup/x", *options,
                     "--scratch", tmp_path / "scratch", "--retries", "2", program=program)
    assert ran.status == 1, ran
    assert "'one.git': network: " in ran.errors


def nights(on_cluster, tmp_path, options, count):
    """A family in a bucket for some nights; waits after each."""
    source = tmp_path / "family"
    base = make(source / "base.git", 60)
    for number in range(3):
        fork(base, source / f"fork{number}.git", 2)
    grow(base, 5, "more")
    for number in range(count):
        grow(base, 1, f"night {number}")
        make_old(source)
        ran = on_cluster("archive", source, "--to", "s3://backup/store", "--families",
                         "--consolidate", "3", *options, "--scratch", tmp_path / "scratch")
        assert ran.status == 0, ran
        yield


def test_increments_in_a_bucket_are_written_once(
        on_cluster, tmp_path, bucket, monkeypatch):
    options, fs, _ = bucket
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    seen = {}
    for _ in nights(on_cluster, tmp_path, options, 4):
        fs.invalidate_cache()
        found = {name: (info["LastModified"], info["ETag"]) for name, info in
                 fs.find("backup/store/objects", detail=True).items()}
        assert seen.items() <= found.items()
        assert len(found) == (len(seen) + 1 if seen else 4)
        seen = found
    scratch = ("--scratch", tmp_path / "other scratch")
    ran = on_cluster("restore", "s3://backup/store", "--to", tmp_path / "one", "fork1.git",
                     *options, *scratch)
    assert ran.status == 0, ran
    # Only what the fork depends on was fetched.
    kept = [name for name in os.listdir(tmp_path / "other scratch/backing")
            if name.endswith(".zpack")]
    assert len(kept) == 1
    assert on_cluster("verify", "s3://backup/store", *options, *scratch).status == 0
    assert on_cluster("separate", "s3://backup/store", "fork2.git", *options, *scratch).status == 0
    assert on_cluster("restore", "s3://backup/store", "--to", tmp_path / "back", *options,
                      *scratch).status == 0
    assert_restored(tmp_path / "family", tmp_path / "back")


def test_bucket_with_object_lock_keeps_every_byte(
        on_cluster, tmp_path, locked_bucket, monkeypatch):
    options, client = locked_bucket
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for _ in nights(on_cluster, tmp_path, options, 3):
        pass
    listed = client.list_object_versions(Bucket="backup", Prefix="store/objects/")
    names = [version["Key"] for version in listed["Versions"]]
    assert len(names) == len(set(names)) == 6  # No archive was written twice.
    assert "DeleteMarkers" not in listed
    # prune only hides archives; the bucket still has them.
    scratch = ("--scratch", tmp_path / "scratch")
    ran = run_fleet("prune", "s3://backup/store", *options, "--keep", "1", "--grace", "0")
    assert ran.status == 0, ran
    listed = client.list_object_versions(Bucket="backup", Prefix="store/objects/")
    assert sorted(version["Key"] for version in listed["Versions"]) == sorted(names)
    for version in listed["Versions"]:
        with pytest.raises(Exception, match="AccessDenied"):
            client.delete_object(Bucket="backup", Key=version["Key"],
                                 VersionId=version["VersionId"])
    assert on_cluster("verify", "s3://backup/store", *options, *scratch).status == 0
    assert on_cluster("restore", "s3://backup/store", "--to", tmp_path / "back", *options,
                      *scratch).status == 0
    assert_restored(tmp_path / "family", tmp_path / "back")
