# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Names, numbers, kinds of failures, space, and the tables and the page."""

import csv
import errno
import gzip
import json
import re
import shutil
import subprocess
import urllib.parse

import pytest
from conftest import Repository, run_fleet
from git_zpack_fleet import discover, fingerprint, space, text
from git_zpack_fleet.batches import batched
from git_zpack_fleet.engine import Task
from git_zpack_fleet.failures import Failure, Kind, delay, of_exception, of_program
from git_zpack_fleet.manifest import Manifest
from git_zpack_fleet.space import reserved


def test_names_are_printed_as_git_prints_them():
    assert text.quoted(b"a b/c.git") == "a b/c.git"
    assert text.quoted("größe".encode()) == "größe"
    assert text.quoted(b'a\n\xe9"\\\x1b') == r'"a\n\351\"\\\033"'


SECRET_URLS = (
    ("sftp://bob:SEC/RETPW@h/x", "sftp://h/x"), ("sftp://bob:SEC#RETPW@h/x", "sftp://h/x"),
    ("sftp://bob:SEC RETPW@h/x", "sftp://h/x"), ("sftp://bob:SEC@RETPW@h/x", "sftp://h/x"),
    ("sftp://bob:SEC?RETPW@h:22/x", "sftp://h:22/x"),
    ("http://h/x?sig=SECRETQ", "http://h/x?..."), ("http://h:8/a@b?SECRET=1", "http://h:8/a@b?..."),
    ("simplecache::sftp://bob:SEC%2FRETPW@h/x", "simplecache::sftp://h/x"))


@pytest.mark.parametrize(("url", "shown"), SECRET_URLS)
def test_secrets_of_urls_are_not_shown(url, shown, tmp_path, monkeypatch):
    assert text.public_url(url) == shown
    assert text.without_secrets(f"no '{url}'", url) == f"no '{shown}'"

    def fail(*_arguments, **_options):
        raise ValueError(f"cannot read {url[6:]}: {urllib.parse.unquote(url)[4:]}")

    monkeypatch.setattr("git_zpack_fleet.session.Store", fail)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for more in ((), ("--manifest", str(tmp_path / "none"))):
        ran = run_fleet("status", url, *more)
        assert ran.status == 128 and f"cannot use store '{shown}': " in ran.errors, ran
        assert "SEC" not in ran.errors and "RET" not in ran.errors
    Manifest(str(tmp_path / "m"), create=True).close()
    ran = run_fleet("prune", url, "--manifest", tmp_path / "m")
    assert ran.status == 128 and "SEC" not in ran.errors and "RET" not in ran.errors, ran


@pytest.mark.parametrize("name", ("/srv/a@b?c", "x:y@z", "s3://bucket/a@b", "http://h/a:b@c"))
def test_names_without_secrets_are_shown(name):
    assert text.public_url(name) == name
    assert text.without_secrets(f"no '{name}' but 'sig'", name) == f"no '{name}' but 'sig'"


def test_user_alone_is_not_shown():
    assert text.public_url("https://TOKEN@h/x") == "https://h/x"
    assert text.without_secrets("no https://TOKEN@h/x", "https://TOKEN@h/x") == "no https://h/x"


@pytest.mark.parametrize("words", (("--storage-option", "password:SECRET"),
                                   ("--storage-opton=SECRET",), ("sftp://a:SECRET@h/x",)))
def test_wrong_arguments_with_secrets_are_not_shown(words):
    ran = run_fleet("status", "st", *words)
    assert ran.status == 129 and "SECRET" not in ran.errors, ran


def test_sizes_durations_and_shares_are_parsed_or_refused():
    assert (text.parse_size("10m"), text.parse_duration("2h"), text.parse_share("1%")) == (
        10 << 20, 7200, 0.01)
    for parse, wrong in ((text.parse_size, "-1"), (text.parse_size, "1x"),
                         (text.parse_duration, "h"), (text.parse_share, "0%"),
                         (text.parse_share, "101%"), (text.parse_share, "1")):
        with pytest.raises(ValueError):
            parse(wrong)


@pytest.mark.parametrize("words", (
    ("archive", "s", "--to", ""), ("archive", "", "--to", "st"), ("archive", "s", "--to", "st", ""),
    ("archive", "s", "--to", "st", "--manifest", ""), ("archive", "s", "--to=st", "--scratch="),
    ("archive", "--grokmirror", "", "s", "--to", "st"), ("archive", "s", "--to=st", "--program="),
    ("restore", "", "--to", "out"), ("restore", "st", "--to", ""), ("status", ""), ("verify", ""),
    ("prune", ""), ("separate", "", "x"), ("report", "st", "-o", ""), ("export", "st", "")))
def test_empty_path_is_not_the_current_directory(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    ran = run_fleet(*words)
    assert ran.status == 129, ran
    assert "error: the empty string is not a valid path" in ran.errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("error", "kind"), (
    (OSError(errno.ENOSPC, "x"), Kind.NO_SPACE), (OSError(errno.ECONNRESET, "x"), Kind.NETWORK),
    (TimeoutError(), Kind.NETWORK), (MemoryError(), Kind.MEMORY), (OSError(errno.EIO, "x"),
     Kind.STORAGE), (Failure(Kind.DAMAGED, "x"), Kind.DAMAGED)))
def test_exceptions_have_kinds(error, kind):
    assert of_exception(error).kind is kind


@pytest.mark.parametrize(("status", "message", "kind"), (
    (-9, "", Kind.MEMORY), (-15, "", Kind.WORKER_LOST), (129, "", Kind.PROGRAM),
    (128, "cannot write: No space left on device", Kind.NO_SPACE),
    (128, "out of memory", Kind.MEMORY), (128, "object is missing", Kind.SOURCE_BROKEN)))
def test_ends_of_git_zpack_have_kinds(status, message, kind):
    assert of_program(status, message).kind is kind


def test_delays_grow_and_have_a_limit():
    assert [delay(attempt, 2) for attempt in (1, 2, 3, 9)] == [2, 8, 32, 600]


def test_space_is_held_once(tmp_path):
    with reserved(str(tmp_path), 1, 0):
        with pytest.raises(Failure) as failed, reserved(str(tmp_path), 1 << 60, 0):
            pass
        assert "other tasks hold it" in failed.value.message
    with pytest.raises(Failure) as failed, reserved(str(tmp_path), 1 << 60, 0):
        pass
    assert failed.value.kind is Kind.NO_SPACE


def test_message_says_what_is_free_and_what_is_a_reserve(tmp_path, monkeypatch):
    monkeypatch.setattr(space, "free_bytes", lambda directory: 3_000_000)
    with pytest.raises(Failure) as failed, reserved(str(tmp_path), 1_100_000, 0):
        pass
    assert failed.value.message == (f"no space in '{tmp_path}': 9.5 MB needed, 8.4 MB of it as a "
                                    "reserve, 3.0 MB free")


def test_ledger_that_is_written_in_part_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("os.pwrite", lambda descriptor, content, offset: len(content) - 1)
    with pytest.raises(OSError) as failed, reserved(str(tmp_path), 1, 0):
        pass
    assert failed.value.errno == errno.ENOSPC


def tasks_of(weights, group=None):
    return [Task("archive", str(number), len, ((),), 100 + number, weight, group)
            for number, weight in enumerate(weights)]


def names_of(tasks):
    return [[part.name for part in task.parts] or task.name for task in tasks]


def test_small_tasks_are_joined_until_few_are_left():
    sizes = [len(task.parts) or 1 for task in batched(tasks_of([0] * 200), 200, lambda: 2)]
    assert sum(sizes) == 200
    assert sizes[0] == 16 and sizes == sorted(sizes, reverse=True) and sizes[-8:] == [1] * 8


def test_joined_tasks_have_the_memory_of_the_largest_and_one_group():
    tasks = tasks_of([3 << 20, 1 << 20, 1, 5 << 20, 1]) + tasks_of([1, 1], b"pool")
    joined = list(batched(tasks, 1000, lambda: 1))
    assert names_of(joined) == [["0", "1"], "2", "3", "4", ["0", "1"]]
    assert joined[0].memory == 101
    assert joined[-1].group == b"pool"
    assert joined[0].work(*joined[0].arguments) == [0, 0]


def test_walk_finds_repositories_in_work_trees_and_of_submodules(tmp_path):
    Repository(tmp_path / "bare.git", "--bare")
    Repository(tmp_path / "tree")
    Repository(tmp_path / "tree/inner")
    Repository(tmp_path / "tree/.git/modules/sub", "--bare")
    (tmp_path / "link").symlink_to(tmp_path / "bare.git")
    found = {item.name for item in discover.walk(bytes(tmp_path), pytest.fail)}
    assert found == {b"bare.git", b"tree", b"tree/inner", b"tree/.git/modules/sub"}
    manifest = tmp_path / "manifest.js.gz"
    manifest.write_bytes(gzip.compress(json.dumps({"/bare.git": {}}).encode()))
    assert discover.read_grokmirror(bytes(manifest), bytes(tmp_path)) == [
        (bytes(tmp_path / "bare.git"), b"bare.git")]


def test_digest_changes_with_everything_that_an_archive_holds(tmp_path):
    repository = Repository(tmp_path / "x.git", "--bare")
    repository.commit("first")
    changes = (
        lambda: repository.git("update-ref", "refs/heads/other", "main"),
        lambda: repository.git("symbolic-ref", "HEAD", "refs/heads/other"),
        lambda: repository.git("config", "a.b", "c"),
        lambda: (tmp_path / "x.git/hooks/update").write_text("x"),
        lambda: repository.git("pack-refs", "--all"),
        lambda: repository.git("repack", "-q", "-a", "-d"),
        lambda: repository.git("hash-object", "-w", "config"))
    seen = {fingerprint.scan(repository.path).digest}
    for change in changes:
        assert fingerprint.scan(repository.path).digest in seen
        change()
        digest = fingerprint.scan(repository.path).digest
        assert digest not in seen
        seen.add(digest)
    (tmp_path / "x.git/FETCH_HEAD").write_text("x")
    (tmp_path / "x.git/index.lock").write_text("x")
    assert fingerprint.scan(repository.path).digest in seen


def test_tables_and_page_say_what_the_manifest_says(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    Repository(source / "<b>&.git", "--bare").commit("x")
    (source / "broken.git/objects").mkdir(parents=True)
    (source / "broken.git/refs").mkdir()
    assert on_cluster("archive", source, "--to", store).status == 1
    totals = json.loads(run_fleet("status", str(store), "--json").output)
    assert (totals["repositories"], totals["safe"], totals["failures"]) == (
        5, 4, {"source broken": 1})

    assert run_fleet("export", str(store), str(tmp_path / "t.csv")).status == 0
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["archive_bytes"] or 0) for row in rows) == totals["archive_bytes"]
    assert run_fleet("export", str(store), str(tmp_path / "t.json")).status == 0
    assert len(json.loads((tmp_path / "t.json").read_text())) == 5
    assert run_fleet("export", str(store), str(tmp_path / "t.txt")).status == 128

    assert run_fleet("report", str(store), "-o", str(tmp_path / "p.html")).status == 0
    page = (tmp_path / "p.html").read_text()
    tiles = dict(re.findall(r'<dd id="(\w+)">([^<]*)</dd>', page))
    assert tiles["repositories"] == "5"
    assert tiles["safe"] == "4"
    assert tiles["source"] == text.size_text(totals["source_bytes"])
    assert tiles["archives"] == text.size_text(totals["archive_bytes"])
    assert "&lt;b&gt;&amp;.git" in page and "<b>" not in page
    assert "1 of 5 repositories are not safe" in page
    assert "http" not in page.replace("http-equiv", "")
    sizes = re.search(r'id="sizes".*?</figure>', page, re.S)[0]
    assert sum(int(count) for count in re.findall(r": (\d+)</title>", sizes)) == 4


def test_parquet_has_every_repository(on_cluster, source, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet",
                                  reason="the Python package pyarrow is not installed")
    assert on_cluster("archive", source, "--to", tmp_path / "store").status == 0
    assert run_fleet("export", str(tmp_path / "store"), str(tmp_path / "t.parquet")).status == 0
    assert parquet.read_table(tmp_path / "t.parquet").num_rows == 3


def test_page_opens_in_a_browser_without_a_message(on_cluster, source, tmp_path):
    browser = shutil.which("chromium")
    if not browser:
        pytest.skip("chromium is not installed")
    assert on_cluster("archive", source, "--to", tmp_path / "store").status == 0
    assert run_fleet("report", str(tmp_path / "store"), "-o", str(tmp_path / "p.html")).status == 0
    ran = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={tmp_path}/profile", "--dump-dom", f"file://{tmp_path}/p.html"],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"All repositories are safe." in ran.stdout
    assert b"CONSOLE" not in ran.stderr


@pytest.mark.parametrize("name", ["a::b", "file::z", "s3::x", "a:b", "::"])
def test_store_without_a_scheme_is_a_directory(source, tmp_path, on_cluster, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert on_cluster("archive", source, "--to", name, "--scratch", tmp_path / "scratch").status == 0
    assert {path.name for path in (tmp_path / name).iterdir()} >= {"objects", "receipts", "manifest.sqlite"}
    assert {path.name for path in tmp_path.iterdir()} <= {name, "source", "scratch"}
    assert run_fleet("status", name).status == 0
