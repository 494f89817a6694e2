# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The file of the record: its tables, their versions, and transactions."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import tempfile
import time
import urllib.parse
from types import TracebackType
from typing import Optional

_VERSION = 3
# Zombie and dead, as /proc calls the state of a process.
_ENDED = frozenset("ZXx")
# Errors of SQLite while others begin or end.
_PASSING = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL))
# SQLite keeps a log and an index of it beside a file.
_BESIDE = 64 << 10

_SCHEMA = """
CREATE TABLE IF NOT EXISTS repositories(
  id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, name BLOB NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL DEFAULT '',
  seen REAL NOT NULL, archive INTEGER REFERENCES archives(id),
  attempts INTEGER NOT NULL DEFAULT 0, failure TEXT, message TEXT, failed REAL);
CREATE TABLE IF NOT EXISTS archives(
  id INTEGER PRIMARY KEY, repository INTEGER NOT NULL REFERENCES repositories(id),
  hash TEXT NOT NULL, size INTEGER NOT NULL, source_bytes INTEGER NOT NULL,
  digest TEXT NOT NULL, racy INTEGER NOT NULL, refs TEXT NOT NULL,
  objects INTEGER NOT NULL, seconds REAL NOT NULL, peak INTEGER NOT NULL,
  uploaded INTEGER NOT NULL, base TEXT, recorded REAL NOT NULL,
  verified REAL, damage TEXT);
CREATE INDEX IF NOT EXISTS archives_of ON archives(repository);
CREATE INDEX IF NOT EXISTS archives_hash ON archives(hash);
CREATE TABLE IF NOT EXISTS runs(
  id TEXT PRIMARY KEY, command TEXT NOT NULL, host TEXT NOT NULL,
  pid INTEGER NOT NULL, born TEXT NOT NULL, begun REAL NOT NULL,
  heartbeat REAL NOT NULL, ended REAL, status INTEGER, done INTEGER,
  failures INTEGER, bytes INTEGER, uploaded INTEGER);
CREATE TABLE IF NOT EXISTS leases(
  repository INTEGER PRIMARY KEY REFERENCES repositories(id), run TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files(
  hash TEXT PRIMARY KEY, size INTEGER NOT NULL, onto TEXT, damage TEXT);
CREATE INDEX IF NOT EXISTS files_onto ON files(onto) WHERE onto IS NOT NULL;
CREATE INDEX IF NOT EXISTS files_damaged ON files(hash) WHERE damage IS NOT NULL;
CREATE TABLE IF NOT EXISTS sketches(
  repository INTEGER PRIMARY KEY REFERENCES repositories(id), commits INTEGER NOT NULL,
  content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS cold(hash TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS apart(
  repository INTEGER PRIMARY KEY REFERENCES repositories(id));
CREATE TABLE IF NOT EXISTS from_source(
  repository INTEGER PRIMARY KEY REFERENCES repositories(id));
"""

# Version 1 has no files that depend on others.
_FROM_VERSION_1 = """
INSERT OR IGNORE INTO files(hash, size, onto, damage)
  SELECT hash, size, NULL, damage FROM archives;
"""


class ManifestError(Exception):
    """The record cannot be used. The text says why."""


class NoManifest(ManifestError):
    """There is no record in the file, or no file."""


def open_manifest_file(path: str, *, create: bool, copy: bool) -> sqlite3.Connection:
    """Opens the file or a copy in memory, and brings one of an older version up to date.

    Raises ManifestError, also if the file has a newer version, and NoManifest.
    """
    database = _copy_in_memory(path) if copy else open_database(path)
    version = _version(database)
    if version > _VERSION:
        raise ManifestError(f"manifest '{path}' has version {version}; this program "
                            f"knows versions up to {_VERSION}")
    if version < 1 and not create:
        raise NoManifest(f"manifest '{path}' has lost its content, or is none")
    if version < _VERSION:
        with Transaction(database, path):
            # Another process may have done it meanwhile.
            version = _version(database)
            statements = _SCHEMA + (_FROM_VERSION_1 if version == 1 else "")
            for statement in statements.split(";")[:-1] if version < _VERSION else ():
                database.execute(statement)
            database.execute(f"PRAGMA user_version={max(version, _VERSION)}")
    return database


def check_whole(path: str) -> None:
    """Raises ManifestError unless a file that nobody writes is a whole record of a version that
    this program knows."""
    try:
        with contextlib.closing(_opened_alone(path)) as database:
            version = _version(database)
            is_whole = list(database.execute("PRAGMA quick_check")) == [("ok",)]
    except sqlite3.Error as error:
        raise ManifestError(f"it is damaged: {error}") from error
    if version > _VERSION:
        raise ManifestError(f"it has version {version}; this program knows versions up to "
                            f"{_VERSION}")
    if version < 1 or not is_whole:
        raise ManifestError("it is damaged")


def runs_in(path: str) -> set[str]:
    """The ids of the runs in a record that nobody writes; none if it is damaged."""
    try:
        with contextlib.closing(_opened_alone(path)) as database:
            return {run for run, in database.execute("SELECT id FROM runs")}
    except sqlite3.Error:
        return set()


def _opened_alone(path: str) -> sqlite3.Connection:
    name = urllib.parse.quote(os.fsencode(os.path.abspath(path)))
    return sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _copy_in_memory(path: str) -> sqlite3.Connection:
    """What the file and its log hold now. Neither is written."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        name = urllib.parse.quote(os.fsencode(os.path.abspath(path)))
        _read_into(memory, f"file:{name}?mode=ro")
    except sqlite3.OperationalError:
        # SQLite needs a file beside it, which it cannot make if no other process has it open.
        with tempfile.TemporaryDirectory() as directory:
            copy = os.path.join(directory, "copy")
            shutil.copyfile(path, copy)
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}-wal", f"{copy}-wal")
            _read_into(memory, f"file:{urllib.parse.quote(copy)}")
    return memory


def _read_into(memory: sqlite3.Connection, name: str) -> None:
    with contextlib.closing(sqlite3.connect(name, uri=True)) as database:
        database.backup(memory)


def why_unwritable(path: str) -> Optional[str]:
    """Why a file of SQLite cannot be written, in the system's words; None if it can be."""
    try:
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(path))) as beside:
            beside.write(bytes(_BESIDE))
    except OSError as error:
        return error.strerror
    # Opening the file and closing it would end the locks that SQLite has.
    return None if os.access(path, os.W_OK) else os.strerror(errno.EACCES)


class Transaction:
    """BEGIN IMMEDIATE to COMMIT, so that what is read cannot change meanwhile."""

    def __init__(self, database: sqlite3.Connection, path: str) -> None:
        self._database = database
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._failed(error) from error
        return self._database

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            self._database.execute("COMMIT" if kind is None else "ROLLBACK")
        except sqlite3.Error as failed:
            raise self._failed(failed) from failed
        if isinstance(error, sqlite3.Error):
            raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> ManifestError:
        return ManifestError(f"cannot write manifest '{self._path}': "
                             f"{why_unwritable(self._path) or error}")


def open_database(path: str) -> sqlite3.Connection:
    """Opens a file of SQLite so that transactions are durable."""
    database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    for left in reversed(range(100)):
        try:  # SQLite does not wait for the lock that this statement needs.
            database.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:
            if left == 0 or error.sqlite_errorcode & 0xff not in _PASSING:
                raise
            time.sleep(0.05)
    database.execute("PRAGMA synchronous=FULL")
    return database


def process_birth(pid: int) -> str:
    """When a process of this machine began; '' if there is none or it has ended.

    Ids are reused. A process that has ended keeps its id until its parent asks for it.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        if fields[0] in _ENDED:
            return ""
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {fields[19]}"
    except OSError:
        return ""
