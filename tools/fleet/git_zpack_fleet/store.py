# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archives in a directory or an object store, under names by content hash.

    objects/ab/<sha256>.zpack     archives
    receipts/<key>.json           what was uploaded last for a repository
    manifest/fleet.sqlite         a copy of the record

fsspec reaches every store but the local disk, where files are synced and
renamed, which fsspec does not do.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import uuid
from typing import Any, BinaryIO, Iterator, NamedTuple, Optional

import fsspec

from .durable import make_directories, sync, sync_upwards
from .failures import Failure, Kind
from .regular import open_regular
from .text import parse_json

_CHUNK = 4 << 20
_RENAMES = frozenset(("sftp", "ssh", "file", "smb", "hdfs"))
_LIMIT_OF_RECEIPT = 1 << 16


class Stored(NamedTuple):
    """A file of the store: its key, bytes, and when it was changed, if known."""

    key: str
    size: int
    changed: Optional[float]


def archive_key(content_hash: str) -> str:
    """The key of an archive in the store."""
    return f"objects/{content_hash[:2]}/{content_hash}.zpack"


def is_archive_key(key: str) -> bool:
    """Whether a key of the store may be that of an archive."""
    return key.startswith("objects/") and key.endswith(".zpack")


def receipt_key(path: bytes) -> str:
    """The key of the receipt of a repository."""
    return f"receipts/{hashlib.sha256(path).hexdigest()}.json"


def _place_of(url: str, options: dict[str, Any]) -> tuple[Any, str]:
    """The file system of a store, and the store's path there."""
    if "://" in url:
        return fsspec.core.url_to_fs(url, **options)
    # fsspec would take '::' in a path for the end of a protocol.
    return fsspec.filesystem("file", **options), os.path.abspath(url)


class Store:
    """A place for archives. Any thread; one object for each process.

    url: as it was given; may have a password
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self.url = url
        self._fs, self._root = _place_of(url, options)
        self._root = self._root.rstrip("/")
        protocol = self._fs.protocol
        names = (protocol,) if isinstance(protocol, str) else tuple(protocol)
        self.is_local = "file" in names
        self._renames = bool(_RENAMES.intersection(names))

    def local_path(self, key: str) -> str:
        """The path of a key in a local store."""
        return f"{self._root}/{key}"

    def put(self, source: str, content_hash: str, *, move: bool) -> int:
        """Brings an archive to the store and reads it back.

        If the store has the archive already and its bytes are right, nothing is
        sent. move: the source may be renamed to its place.

        Returns the bytes that were sent. Raises Failure if what is read back is
        wrong, and what the store raises.
        """
        key = archive_key(content_hash)
        size = os.path.getsize(source)
        if self.is_there(key, size) and self.has(content_hash):
            return 0
        self.write(source, key, move=move)
        if not self.has(content_hash):
            raise Failure(Kind.STORAGE, f"'{key}' reads back differently than it was written")
        return size

    def has(self, content_hash: str) -> bool:
        """Whether the bytes of an archive are right; then they are also durable.

        Raises FileNotFoundError if the archive is not there, and what the store raises.
        """
        key = archive_key(content_hash)
        if self.hash_of(key) != content_hash:
            return False
        if self.is_local:
            # Who wrote them may have been killed before they were synced, or
            # another task may have made the directories just now.
            path = self.local_path(key)
            sync(path)
            sync_upwards(os.path.dirname(path), self._root)
        return True

    def is_there(self, key: str, size: int) -> bool:
        """Whether there is a file of this size."""
        try:
            if self.is_local:
                with open(self.local_path(key), "rb", opener=open_regular) as file:
                    return os.fstat(file.fileno()).st_size == size
            self._fs.invalidate_cache()
            return bool(self._fs.info(self.local_path(key))["size"] == size)
        except FileNotFoundError:
            return False

    def write(self, source: str, key: str, *, move: bool = False) -> None:
        """Writes a file; nobody sees half of it under its key."""
        target = self.local_path(key)
        if self.is_local:
            _write_local(source, target, move=move)
            sync_upwards(os.path.dirname(target), self._root)
            return
        if not self._renames:
            self._fs.put_file(source, target)
            return
        partial = f"{os.path.dirname(target)}/.{uuid.uuid4().hex}.part"
        self._fs.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            self._fs.put_file(source, partial)
            if self._fs.exists(target):
                self._fs.rm_file(target)
            self._fs.mv(partial, target)
        except BaseException:
            self._remove_quietly(partial)
            raise

    def fetch(self, content_hash: str, target: str) -> None:
        """Copies an archive to a local file. Raises Failure if its bytes are wrong."""
        hasher = hashlib.sha256()
        with open(target, "wb") as file:
            for chunk in self._read(archive_key(content_hash)):
                hasher.update(chunk)
                file.write(chunk)
        if hasher.hexdigest() != content_hash:
            raise Failure(Kind.DAMAGED, f"bytes of '{archive_key(content_hash)}' do not have "
                                        "the hash that is its name")

    def fetch_file(self, key: str, target: str) -> bool:
        """Copies any file to a local one; false if the store does not have it."""
        try:
            with open(target, "wb") as file:
                for chunk in self._read(key):
                    file.write(chunk)
        except FileNotFoundError:
            os.unlink(target)
            return False
        return True

    def hash_of(self, key: str) -> str:
        """SHA-256 of the bytes that the store gives for a key."""
        hasher = hashlib.sha256()
        for chunk in self._read(key):
            hasher.update(chunk)
        return hasher.hexdigest()

    def write_receipt(self, path: bytes, receipt: dict[str, Any]) -> None:
        """Says in the store what was uploaded for a repository."""
        key = self.local_path(receipt_key(path))
        content = json.dumps(receipt).encode()
        if self.is_local:
            make_directories(os.path.dirname(key))
            partial = f"{key}.{uuid.uuid4().hex}"
            with open(partial, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, key)
            sync_upwards(os.path.dirname(key), self._root)
            return
        if self._renames:
            self._fs.makedirs(os.path.dirname(key), exist_ok=True)
        self._fs.pipe_file(key, content)

    def read_receipt(self, path: bytes) -> Optional[dict[str, Any]]:
        """The last receipt of a repository, or None."""
        return self.receipt(receipt_key(path))

    def receipt(self, key: str) -> Optional[dict[str, Any]]:
        """The receipt with this key; None if it is damaged or not there."""
        try:
            content = b"".join(self._read(key, _LIMIT_OF_RECEIPT))
            receipt = parse_json(content)
        except (FileNotFoundError, ValueError):
            return None
        return receipt if isinstance(receipt, dict) else None

    def list(self, folder: str) -> list[Stored]:
        """All files in objects, receipts or manifest, and in the folders there.

        Raises what the store raises: find() of fsspec leaves out what cannot be listed.
        """
        files, folders = self._entries(folder)
        for name in folders:
            files += self._entries(name)[0]
        return files

    def _entries(self, folder: str) -> tuple[list[Stored], list[str]]:
        """The files in a folder, and the keys of the folders there; none if it is not there."""
        path = self.local_path(folder)
        try:
            if self.is_local:
                return _local_entries(path, folder)
            self._fs.invalidate_cache()
            found = self._fs.ls(path, detail=True)
        except FileNotFoundError:
            return [], []
        files: list[Stored] = []
        folders: list[str] = []
        for detail in found:
            key = f"{folder}/{os.path.basename(detail['name'].rstrip('/'))}"
            if detail["name"].strip("/") == path.strip("/"):
                continue  # Some object stores have an empty object for a folder.
            if detail["type"] == "directory":
                folders.append(key)
            if detail["type"] != "file":
                continue  # A link may lead to a folder.
            changed = detail.get("mtime", detail.get("LastModified"))
            if changed is not None and not isinstance(changed, (int, float)):
                changed = changed.timestamp()
            files.append(Stored(key, int(detail.get("size") or 0), changed))
        return files, folders

    def sizes(self, folder: str) -> dict[str, int]:
        """Bytes of each file in a folder, by name; none if there is no such folder.

        Raises what the store raises.
        """
        path = self.local_path(folder)
        try:
            if self.is_local:
                return _local_sizes(path)
            self._fs.invalidate_cache()
            found = self._fs.ls(path, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return {os.path.basename(one["name"]): int(one.get("size") or 0) for one in found}

    def remove(self, key: str) -> None:
        """Removes a file; it may be gone already."""
        try:
            self._fs.rm_file(self.local_path(key))
        except FileNotFoundError:
            pass

    def _read(self, key: str, most: Optional[int] = None) -> Iterator[bytes]:
        path = self.local_path(key)
        left = float("inf") if most is None else most
        with self._open(path) as file:
            while left > 0:
                chunk = file.read(int(min(_CHUNK, left)))
                if not chunk:
                    break
                left -= len(chunk)
                yield chunk

    def _open(self, path: str) -> BinaryIO:
        file: BinaryIO
        if self.is_local:
            # pylint: disable-next=consider-using-with
            file = open(path, "rb", buffering=0, opener=open_regular)
            # From the disk, not from what the kernel remembers of the writing.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return file
        self._fs.invalidate_cache()
        file = self._fs.open(path, "rb", block_size=_CHUNK, cache_type="readahead")
        return file

    def _remove_quietly(self, path: str) -> None:
        try:
            self._fs.rm_file(path)
        except Exception:  # pylint: disable=broad-except
            pass  # What failed before is what is reported; prune finds the rest.


def _local_entries(path: str, folder: str) -> tuple[list[Stored], list[str]]:
    """As Store._entries; a link to a folder is one, and one that leads nowhere may be one."""
    files: list[Stored] = []
    folders: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            key = f"{folder}/{entry.name}"
            if os.path.isdir(entry.path):
                folders.append(key)
            elif not entry.is_symlink() or os.path.isfile(entry.path):
                # What is renamed or removed meanwhile is there no more.
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat()
                    files.append(Stored(key, status.st_size, status.st_mtime))
    return files, folders


def _local_sizes(path: str) -> dict[str, int]:
    sizes = {}
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                status = entry.stat()
            except OSError as error:
                # Renamed meanwhile, or a link that leads nowhere.
                if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                    raise
                continue
            if stat.S_ISREG(status.st_mode):
                sizes[entry.name] = status.st_size
    return sizes


def _write_local(source: str, target: str, *, move: bool) -> None:
    folder = os.path.dirname(target)
    make_directories(folder)
    if move:
        try:
            sync(source)
            os.replace(source, target)
            return
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
    partial = f"{folder}/.{uuid.uuid4().hex}.part"
    try:
        with open(source, "rb") as read, open(partial, "wb") as written:
            shutil.copyfileobj(read, written, _CHUNK)
            written.flush()
            os.fsync(written.fileno())
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise
