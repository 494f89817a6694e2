# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The record: repositories, their archives, runs and leases, in SQLite.

Only the process that the user starts writes the record, never a worker. Each
transaction is durable before the method returns.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
import uuid
from types import TracebackType
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence

from .durable import make_directories
from .records import ArchiveRow, NewArchive, RepositoryRow, is_valid

_VERSION = 1
# A run that has not said that it lives for this long is dead.
LEASE_SECONDS = 120.0
_HEARTBEAT_SECONDS = 15.0

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
"""

_REPOSITORY = "id, path, name, bytes, digest, seen, attempts, failure, message, failed"
_ARCHIVE = ("id, repository, hash, size, source_bytes, digest, racy, refs, objects, "
            "seconds, peak, uploaded, base, recorded, verified, damage")


class ManifestError(Exception):
    """The record cannot be used. The text says why."""


class Lease(NamedTuple):
    """Whether this run may work on a repository, and who did before.

    granted: this run holds the lease
    inherited: from a run that died, which may have uploaded without recording
    """

    granted: bool
    inherited: bool


class _RunRow(NamedTuple):
    command: str
    begun: float
    ended: Optional[float]
    status: Optional[float]


class Manifest:
    """The record in one file. One thread at a time."""

    def __init__(self, path: str, *, create: bool) -> None:
        if not create and not os.path.exists(path):
            raise ManifestError(f"manifest '{path}' does not exist")
        self.path = path
        try:
            if create:
                make_directories(os.path.dirname(os.path.abspath(path)))
            self._database = _open(path)
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version > _VERSION:
                raise ManifestError(f"manifest '{path}' has version {version}; this program "
                                    f"knows versions up to {_VERSION}")
            if version < _VERSION and not create:
                raise ManifestError(f"manifest '{path}' has lost its content, or is none")
            if version < _VERSION:
                self._database.executescript(_SCHEMA + f"PRAGMA user_version={_VERSION};")
        except (sqlite3.Error, OSError) as error:
            raise ManifestError(f"cannot open manifest '{path}': {error}") from error

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def repositories(self) -> Iterator[RepositoryRow]:
        """All repositories, with the newest archive of each."""
        columns = ", ".join("r." + name for name in _REPOSITORY.split(", "))
        columns += ", " + ", ".join("a." + name for name in _ARCHIVE.split(", "))
        rows = self._select(
            f"SELECT {columns} FROM repositories r LEFT JOIN archives a ON a.id = r.archive "
            "ORDER BY r.name, r.path")
        for row in rows:
            newest = self._archive(row[10:]) if row[10] is not None else None
            if not is_valid(RepositoryRow, row[:10]):
                raise self._damaged("a row of 'repositories' has values that cannot be")
            yield RepositoryRow(*row[:10], newest)  # type: ignore[call-arg]

    def archives(self, repository: Optional[int] = None) -> list[ArchiveRow]:
        """All archives, or those of a repository, the oldest first."""
        where = "" if repository is None else " WHERE repository = ?"
        parameters = () if repository is None else (repository,)
        return [self._archive(row) for row in self._select(
            f"SELECT {_ARCHIVE} FROM archives{where} ORDER BY id", parameters)]

    def scrub_order(self) -> list[ArchiveRow]:
        """All archives, those never verified first, then the oldest verified first."""
        return [self._archive(row) for row in self._select(
            f"SELECT {_ARCHIVE} FROM archives ORDER BY verified IS NOT NULL, "
            "COALESCE(verified, recorded), id")]

    def see(self, found: Iterable[tuple[bytes, bytes]]) -> dict[bytes, int]:
        """Records that repositories are there now; returns the id of each path."""
        now = time.time()
        found = list(found)
        with self._transaction() as database:
            database.executemany(
                "INSERT INTO repositories(path, name, seen) VALUES(?, ?, ?) "
                "ON CONFLICT(path) DO UPDATE SET name = excluded.name, seen = excluded.seen",
                [(path, name, now) for path, name in found])
        known = self._select("SELECT path, id FROM repositories")
        wanted = {path for path, _ in found}
        return {path: number for path, number in known if path in wanted}

    def record_scans(self, scans: Iterable[tuple[int, str, int]]) -> None:
        """Records the digest and the bytes of repositories; bytes 0 keep the old value."""
        with self._transaction() as database:
            database.executemany(
                "UPDATE repositories SET digest = ?2, bytes = CASE ?3 WHEN 0 THEN bytes "
                "ELSE ?3 END WHERE id = ?1", list(scans))

    def record(self, run: str, archives: Iterable[NewArchive],
               failures: Iterable[tuple[int, str, str]]) -> list[int]:
        """Records archives as the newest of their repositories, and failures.

        archives: uploaded and read back
        failures: repository, kind and message
        Ends the leases. Returns the repositories whose lease this run no longer
        had; nothing is recorded for them.
        """
        lost = []
        with self._transaction() as database:
            for archive in archives:
                if self._end_lease(database, run, archive.repository):
                    _insert_archive(database, archive)
                else:
                    lost.append(archive.repository)
            for repository, kind, message in failures:
                self._end_lease(database, run, repository)
                database.execute(
                    "UPDATE repositories SET attempts = attempts + 1, failure = ?, message = ?, "
                    "failed = ? WHERE id = ?", (kind, message, time.time(), repository))
        return lost

    def record_unchanged(self, repositories: Iterable[int]) -> None:
        """Forgets failures of repositories that are as their archive has them."""
        with self._transaction() as database:
            database.executemany(
                "UPDATE repositories SET attempts = 0, failure = NULL, message = NULL, "
                "failed = NULL WHERE id = ?", [(number,) for number in repositories])

    def record_verified(self, content_hash: str, damage: Optional[str]) -> None:
        """Records that the archives with this hash were checked now."""
        with self._transaction() as database:
            database.execute("UPDATE archives SET verified = ?, damage = ? WHERE hash = ?",
                             (time.time(), damage, content_hash))

    def forget_archives(self, archives: Iterable[int]) -> None:
        """Removes archives that are not the newest of their repository."""
        with self._transaction() as database:
            database.executemany(
                "DELETE FROM archives WHERE id = ?1 AND id NOT IN "
                "(SELECT archive FROM repositories WHERE archive IS NOT NULL)",
                [(number,) for number in archives])

    def begin_run(self, command: str) -> str:
        """Registers this process as a run; only one prune or any other runs.

        Raises ManifestError if a run that prune must not meet is alive.
        """
        run = uuid.uuid4().hex
        now = time.time()
        host, pid = socket.gethostname(), os.getpid()
        with self._transaction() as database:
            for other, other_command in self._live_runs(database):
                if "prune" in (command, other_command) and command != other_command:
                    raise ManifestError(f"'{other_command}' is running (run {other[:8]}); "
                                        f"'{command}' cannot run at the same time")
                if command == other_command == "prune":
                    raise ManifestError(f"'prune' is running already (run {other[:8]})")
            if command == "prune":
                # Whoever slept through its lease must not record an archive now.
                database.execute("DELETE FROM leases")
            database.execute(
                "INSERT INTO runs(id, command, host, pid, born, begun, heartbeat) "
                "VALUES(?, ?, ?, ?, ?, ?, ?)",
                (run, command, host, pid, process_birth(pid), now, now))
        return run

    def end_run(self, run: str, status: int, counts: tuple[int, int, int, int]) -> None:
        """Records the end of a run: status; done, failures, bytes, uploaded bytes."""
        with self._transaction() as database:
            database.execute("DELETE FROM leases WHERE run = ?", (run,))
            database.execute(
                "UPDATE runs SET ended = ?, status = ?, done = ?, failures = ?, bytes = ?, "
                "uploaded = ? WHERE id = ?", (time.time(), status, *counts, run))

    def newest(self, repository: int) -> Optional[ArchiveRow]:
        """The newest archive of a repository."""
        for row in self._select(f"SELECT {_ARCHIVE} FROM archives WHERE id = "
                                "(SELECT archive FROM repositories WHERE id = ?)", (repository,)):
            return self._archive(row)
        return None

    def end_leases(self, run: str, repositories: Iterable[int]) -> None:
        """Gives back leases that are not needed."""
        with self._transaction() as database:
            for number in repositories:
                self._end_lease(database, run, number)

    def take_leases(self, run: str, repositories: Iterable[int]) -> dict[int, Lease]:
        """Takes the leases of repositories that no other live run has."""
        result = {}
        with self._transaction() as database:
            alive = {other for other, _ in self._live_runs(database)}
            for number in repositories:
                row = database.execute("SELECT run FROM leases WHERE repository = ?",
                                       (number,)).fetchone()
                holder = row[0] if row else None
                granted = holder is None or holder == run or holder not in alive
                if granted:
                    database.execute("INSERT OR REPLACE INTO leases VALUES(?, ?)", (number, run))
                result[number] = Lease(granted, granted and holder not in (None, run))
        return result

    def runs(self, most: int) -> list[tuple[str, float, Optional[float], Optional[int]]]:
        """The latest runs: command, begun, ended, exit code."""
        rows = list(self._select(
            "SELECT command, begun, ended, status FROM runs ORDER BY begun DESC LIMIT ?", (most,)))
        if not all(is_valid(_RunRow, row) for row in rows):
            raise self._damaged("a row of 'runs' has values that cannot be")
        return rows

    def copy_to(self, path: str) -> None:
        """Writes a whole copy of the record to a new file."""
        for _ in self._select("VACUUM INTO ?", (path,)):
            pass

    def _select(self, statement: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            # 'yield from' would close the cursor, which may be after the database.
            for row in self._database.execute(statement, values):  # pylint: disable=use-yield-from
                yield row
        except sqlite3.Error as error:
            raise self._damaged(str(error)) from error

    def _archive(self, row: Sequence[Any]) -> ArchiveRow:
        if not is_valid(ArchiveRow, row):
            raise self._damaged("a row of 'archives' has values that cannot be")
        return ArchiveRow(*row)

    def _damaged(self, why: str) -> ManifestError:
        return ManifestError(f"cannot read manifest '{self.path}': {why}; if it is damaged, move "
                             "it away and run 'archive' again, which makes a new one")

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._database, self.path)

    @staticmethod
    def _end_lease(database: sqlite3.Connection, run: str, repository: int) -> bool:
        return database.execute("DELETE FROM leases WHERE repository = ? AND run = ?",
                                (repository, run)).rowcount == 1

    @staticmethod
    def _live_runs(database: sqlite3.Connection) -> list[tuple[str, str]]:
        host, now = socket.gethostname(), time.time()
        live = []
        for row in database.execute("SELECT id, command, host, pid, born, heartbeat FROM runs "
                                    "WHERE ended IS NULL"):
            here = row[2] == host
            if process_birth(row[3]) == row[4] if here else row[5] > now - LEASE_SECONDS:
                live.append((row[0], row[1]))
        return live


def _insert_archive(database: sqlite3.Connection, archive: NewArchive) -> None:
    cursor = database.execute(
        "INSERT INTO archives(repository, hash, size, source_bytes, digest, racy, refs, "
        "objects, seconds, peak, uploaded, base, recorded) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*archive, time.time()))
    database.execute(
        "UPDATE repositories SET archive = ?, digest = ?, attempts = 0, failure = NULL, "
        "message = NULL, failed = NULL WHERE id = ?",
        (cursor.lastrowid, archive.digest, archive.repository))
    # These bytes were written or read back just now.
    database.execute("UPDATE archives SET damage = NULL WHERE hash = ?", (archive.hash,))


class _Transaction:
    """BEGIN IMMEDIATE to COMMIT, so that what is read cannot change meanwhile."""

    def __init__(self, database: sqlite3.Connection, path: str) -> None:
        self._database = database
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise ManifestError(f"cannot write manifest '{self._path}': {error}") from error
        return self._database

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            self._database.execute("COMMIT" if kind is None else "ROLLBACK")
        except sqlite3.Error as failed:
            raise ManifestError(f"cannot write manifest '{self._path}': {failed}") from failed
        if isinstance(error, sqlite3.Error):
            raise ManifestError(f"cannot write manifest '{self._path}': {error}") from error


class Heartbeat:
    """Says every few seconds that a run lives, from a thread of its own."""

    def __init__(self, path: str, run: str) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, args=(path, run), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread."""
        self._stop.set()
        self._thread.join()

    def _beat(self, path: str, run: str) -> None:
        database = _open(path)
        while not self._stop.wait(_HEARTBEAT_SECONDS):
            try:
                database.execute("UPDATE runs SET heartbeat = ? WHERE id = ?", (time.time(), run))
            except sqlite3.Error:
                continue  # The next one may succeed; leases last for several.
        database.close()


def _open(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    for left in reversed(range(100)):
        try:  # SQLite does not wait for the lock that this statement needs.
            database.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError:
            if left == 0:
                raise
            time.sleep(0.05)
    database.execute("PRAGMA synchronous=FULL")
    return database


def process_birth(pid: int) -> str:
    """When a process of this machine began; '' if there is none. Ids are reused."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            ticks = file.read().rpartition(")")[2].split()[19]
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {ticks}"
    except OSError:
        return ""
