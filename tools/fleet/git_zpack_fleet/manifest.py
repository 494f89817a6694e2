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
from typing import (Any, Collection, Container, Iterable, Iterator, NamedTuple, Optional,
                    Sequence)

from .chains import Chains, insert_files
from .database import (ManifestError, NoManifest, Transaction, open_database,
                       open_manifest_file, process_birth, why_unwritable)
from .discover import Unreached, is_at_or_below
from .durable import make_directories
from .failures import Kind
from .records import ArchiveRow, NewArchive, RepositoryRow, is_valid

# A run that has not said that it lives for this long is dead.
LEASE_SECONDS = 120.0
_HEARTBEAT_SECONDS = 15.0

_REPOSITORY = "id, path, name, bytes, digest, seen, attempts, failure, message, failed"
_ARCHIVE = ("id, repository, hash, size, source_bytes, digest, racy, refs, objects, "
            "seconds, peak, uploaded, base, recorded, verified, damage")
_FORGET_FAILURE = ("UPDATE repositories SET attempts = 0, failure = NULL, message = NULL, "
                   "failed = NULL WHERE id = ?")
# Tables with rows of a repository that was never archived, and where they have its id.
_OF_REPOSITORY = (("repositories", "id"), ("leases", "repository"), ("sketches", "repository"),
                  ("apart", "repository"), ("from_source", "repository"))


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
    """The record in one file. One thread at a time.

    unwritable: why a copy in memory is used, which ends with the process, or None
    lost: files that count as damaged without being recorded so, and their damage
    """

    def __init__(self, path: str, *, create: bool, copy: bool = False) -> None:
        """copy: if the file can only be read, takes a copy instead"""
        if not create and not os.path.exists(path):
            raise NoManifest(f"manifest '{path}' does not exist")
        self.path = path
        self.lost: dict[str, str] = {}
        try:
            if create:
                make_directories(os.path.dirname(os.path.abspath(path)))
            self.unwritable, self._database = _open(path, create=create, copy=copy)
        except (sqlite3.Error, OSError) as error:
            raise ManifestError(f"cannot open manifest '{path}': {error}") from error
        self.chains = Chains(self._select, self._damaged)
        # What depends on damaged files, and why; None if it is not known any more.
        self._broken: Optional[dict[str, str]] = None

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def repositories(self) -> Iterator[RepositoryRow]:
        """All repositories, with the newest archive of each."""
        self._broken = self.chains.broken(self.lost)
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
        self._broken = self.chains.broken(self.lost)
        where = "" if repository is None else " WHERE repository = ?"
        parameters = () if repository is None else (repository,)
        return [self._archive(row) for row in self._select(
            f"SELECT {_ARCHIVE} FROM archives{where} ORDER BY id", parameters)]

    def scrub_order(self) -> list[ArchiveRow]:
        """All archives, those never verified first, then the oldest verified first."""
        self._broken = None
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

    def see_unreached(self, places: Iterable[Unreached], walked: Sequence[bytes],
                      found: Container[bytes]) -> set[int]:
        """Records as failures where walks did not reach a repository; returns their ids.

        walked: directories; what is in order below them now is no failure any more
        found: paths of repositories that stay
        """
        now = time.time()
        names = {one.path: one for one in places}
        ended = [row for row in self.repositories() if row.is_unreached() and row.path not in names
                 and any(is_at_or_below(row.path, root) for root in walked)]
        gone = [row.id for row in ended if row.archive is None and row.path not in found]
        with self._transaction() as database:
            database.executemany(_FORGET_FAILURE, [(row.id,) for row in ended])
            _forget(database, gone)
            database.executemany(
                "INSERT INTO repositories(path, name, seen, failure, message, failed) "
                "VALUES(?1, ?2, ?3, ?4, ?5, ?3) ON CONFLICT(path) DO UPDATE SET "
                "name = ?2, seen = ?3, failure = ?4, message = ?5, failed = ?3",
                [(one.path, one.name, now, Kind.NOT_REACHED.value, one.why)
                 for one in names.values()])
        return {row.id for row in self.repositories() if row.path in names}

    def forget(self, repositories: Iterable[int]) -> None:
        """Removes repositories that were never archived."""
        with self._transaction() as database:
            _forget(database, repositories)

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
        self._broken = None
        with self._transaction() as database:
            for archive in archives:
                if self._end_lease(database, run, archive.repository):
                    _insert_archive(database, archive)
                    self.lost.pop(archive.hash, None)
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
            database.executemany(_FORGET_FAILURE, [(number,) for number in repositories])

    def record_verified(self, content_hash: str, damage: Optional[str]) -> None:
        """Records that the archives with this hash were checked now."""
        self._broken = None
        with self._transaction() as database:
            database.execute("UPDATE archives SET verified = ?, damage = ? WHERE hash = ?",
                             (time.time(), damage, content_hash))
            database.execute("UPDATE files SET damage = ? WHERE hash = ?",
                             (damage, content_hash))

    def forget_archives(self, archives: Iterable[int], needed: Collection[str]) -> None:
        """Removes archives that are not the newest of their repository.

        needed: hashes of files on which archives that stay depend
        """
        with self._transaction() as database:
            for number in sorted(archives):
                # The one after it then has all objects of the one before it.
                database.execute(
                    "UPDATE archives AS next SET base = gone.base FROM archives AS gone "
                    "WHERE gone.id = ? AND gone.base IS NOT NULL AND next.base = gone.hash "
                    "AND next.repository = gone.repository", (number,))
                database.execute(
                    "DELETE FROM archives WHERE id = ?1 AND id NOT IN "
                    "(SELECT archive FROM repositories WHERE archive IS NOT NULL)", (number,))
            unnamed = database.execute(
                "SELECT hash FROM files WHERE hash NOT IN (SELECT hash FROM archives)").fetchall()
            database.executemany("DELETE FROM files WHERE hash = ?",
                                 [row for row in unnamed if row[0] not in needed])
            database.execute("DELETE FROM cold WHERE hash NOT IN (SELECT hash FROM files)")

    def record_sketches(self, sketches: Iterable[tuple[int, int, bytes]]) -> None:
        """Records the sketches of repositories: number, commits, content."""
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO sketches VALUES(?, ?, ?)", sketches)

    def record_cold(self, content_hash: str) -> None:
        """Records that a file was encoded again with the profile cold."""
        with self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO cold VALUES(?)", (content_hash,))

    def set_apart(self, repositories: Iterable[int], *, from_source: bool) -> None:
        """Records that repositories belong to no family from now on.

        from_source: and that their next archives have nothing of older ones
        """
        rows = [(number,) for number in repositories]
        with self._transaction() as database:
            database.executemany("INSERT OR IGNORE INTO apart VALUES(?)", rows)
            if from_source:
                database.executemany("INSERT OR IGNORE INTO from_source VALUES(?)", rows)

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
        if self._broken is None:
            self._broken = self.chains.broken(self.lost)
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

    def run_ids(self) -> set[str]:
        """The ids of all runs."""
        return {run for run, in self._select("SELECT id FROM runs")}

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
        archive = ArchiveRow(*row)
        if archive.damage is None and self._broken and archive.hash in self._broken:
            return archive._replace(damage=self._broken[archive.hash])
        return archive

    def _damaged(self, why: str) -> ManifestError:
        return ManifestError(f"cannot read manifest '{self.path}': {why}; if it is damaged, move "
                             f"it away and run 'archive --manifest {self.path}', which makes a "
                             "new one")

    def _transaction(self) -> "Transaction":
        return Transaction(self._database, self.path)

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


def _open(path: str, *, create: bool, copy: bool) -> tuple[Optional[str], sqlite3.Connection]:
    """As Manifest; why a copy is used, or None."""
    if copy and not os.access(path, os.W_OK):
        return why_unwritable(path), open_manifest_file(path, create=False, copy=True)
    try:
        return None, open_manifest_file(path, create=create, copy=False)
    except NoManifest:
        raise
    except (sqlite3.OperationalError, ManifestError) as error:
        why = why_unwritable(path)
        if why is None:
            raise
        if not copy:
            raise ManifestError(f"cannot open manifest '{path}': {why}") from error
        return why, open_manifest_file(path, create=False, copy=True)


def _forget(database: sqlite3.Connection, repositories: Iterable[int]) -> None:
    rows = [(number,) for number in repositories]
    for table, column in _OF_REPOSITORY:
        database.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)


def _insert_archive(database: sqlite3.Connection, archive: NewArchive) -> None:
    cursor = database.execute(
        "INSERT INTO archives(repository, hash, size, source_bytes, digest, racy, refs, "
        "objects, seconds, peak, uploaded, base, recorded) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*archive[:12], time.time()))
    insert_files(database, archive)
    database.execute(
        "UPDATE repositories SET archive = ?, digest = ?, attempts = 0, failure = NULL, "
        "message = NULL, failed = NULL WHERE id = ?",
        (cursor.lastrowid, archive.digest, archive.repository))
    if archive.base is None and not archive.chain:
        database.execute("DELETE FROM from_source WHERE repository = ?", (archive.repository,))
    # These bytes were written or read back just now.
    database.execute("UPDATE archives SET damage = NULL WHERE hash = ?", (archive.hash,))


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
        database = open_database(path)
        while not self._stop.wait(_HEARTBEAT_SECONDS):
            try:
                database.execute("UPDATE runs SET heartbeat = ? WHERE id = ?", (time.time(), run))
            except sqlite3.Error:
                continue  # The next one may succeed; leases last for several.
        database.close()
