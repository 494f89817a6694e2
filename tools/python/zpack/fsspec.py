# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A read-only file system over a commit of an archive, for fsspec.

    import fsspec

    with fsspec.open("zpack://src/x.c", archive="project.zpack", ref="v1.0") as f:
        content = f.read()

Programs that open files with fsspec (pandas, dask) read the files of any commit.
"""

from __future__ import annotations

import io
import os
import re
import stat
from typing import Any, Callable, Iterator, NamedTuple, Optional

from fsspec.spec import AbstractFileSystem

from . import Archive, open as open_archive
from .errors import CorruptError, Error
from .operations import Path, Paths

# Git's modes of links, directories and submodules.
_LINK = 0o120000
_DIRECTORY = 0o040000
_SUBMODULE = 0o160000
_MODE = re.compile(rb"[0-7]+")


class _Entry(NamedTuple):
    mode: int
    name: str
    id: str


class _File(io.BytesIO):
    """The content of a file, and its size, which fsspec asks for. Cannot be written."""

    def __init__(self, content: memoryview) -> None:
        super().__init__(content)
        self.size = len(content)

    def writable(self) -> bool:
        return False

    def _refuse(self, *_arguments: Any) -> Any:
        raise io.UnsupportedOperation("an archive cannot be changed")

    write = writelines = truncate = _refuse


class ZpackFileSystem(AbstractFileSystem):
    """The files of one commit. Nothing can be written.

    archive: path of a .zpack file, or an open Archive
    ref: a ref, 'HEAD', a full or abbreviated id, or any revision such as 'v1~2';
        'v1:src' shows that directory
    backing: as for zpack.open

    The size of a submodule is 0 and its type 'other'; copied, it is an empty directory. A link is a file whose
    content is its target.
    """

    protocol = "zpack"
    # The file may have been replaced since another one was made of it.
    cachable = False

    def __init__(self, archive: Path | Archive, ref: str = "HEAD",
                 backing: Paths = (), **options: Any):
        super().__init__(**options)
        self._archive = archive if isinstance(archive, Archive) else open_archive(
            archive, backing=backing)
        # In two steps, as 'HEAD:src^{tree}' would be a path.
        self._root = self._archive.resolve(f"{self._archive.resolve(ref)}^{{tree}}")
        self._trees: dict[str, list[_Entry]] = {}

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        return path.removeprefix("zpack://").strip("/")

    def ls(self, path: str, detail: bool = True, **_options: Any) -> list[Any]:
        """The files in a directory, or the file itself.

        The size is None if it cannot be read, because the file is damaged, for example.
        """
        path = self._strip_protocol(path)
        entry = self._find(path)
        found = {path: entry}
        if entry.mode == _DIRECTORY:
            prefix = f"{path}/" if path else ""
            found = {prefix + one.name: one for one in self._entries(entry.id)}
        if not detail:
            return sorted(found)
        return [self._info(name, one, self._size_or_none) for name, one in found.items()]

    def walk(self, path: str, maxdepth: Optional[int] = None,
             **options: Any) -> Iterator[tuple[str, Any, Any]]:
        """As that of fsspec, but a directory that cannot be read does not look empty."""
        if self.exists(path):
            self.ls(path, detail=False)
        yield from super().walk(path, maxdepth=maxdepth, **options)

    def find(self, path: str, maxdepth: Optional[int] = None, withdirs: bool = False,
             detail: bool = False, **options: Any) -> Any:
        """All files below a directory. A submodule, which has no content, is none of them."""
        found = super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **options)
        if not withdirs:
            found = {name: one for name, one in found.items() if one.get("type") != "other"}
        return found if detail else list(found)

    def exists(self, path: str, **_options: Any) -> bool:
        """Whether the commit has the file or directory; an error if that cannot be read."""
        return self._mode(path) is not None

    def isfile(self, path: str) -> bool:
        """Whether the commit has such a file; an error if that cannot be read."""
        return self._mode(path) not in (None, _DIRECTORY, _SUBMODULE)

    def isdir(self, path: str) -> bool:
        """Whether the commit has such a directory; an error if that cannot be read."""
        return self._mode(path) == _DIRECTORY

    def info(self, path: str, **_options: Any) -> dict[str, Any]:
        """Name, size, type, mode and object id ('sha') of a file."""
        path = self._strip_protocol(path)
        return self._info(path, self._find(path), self._size)

    def get_file(self, rpath: str, lpath: Any, *arguments: Any, **options: Any) -> None:
        """Copies a file. A submodule becomes an empty directory, as in a clone."""
        if self._mode(rpath) == _SUBMODULE:
            os.makedirs(lpath, exist_ok=True)
            return
        super().get_file(rpath, lpath, *arguments, **options)

    def _open(self, path: str, mode: str = "rb", block_size: Optional[int] = None,
              autocommit: bool = True, cache_options: Optional[dict[str, Any]] = None,
              **_options: Any) -> _File:
        if mode != "rb":
            raise OSError(30, "an archive cannot be changed", path)
        entry = self._find(path)
        if entry.mode == _DIRECTORY:
            raise IsADirectoryError(path)
        if entry.mode == _SUBMODULE:
            raise FileNotFoundError(path)
        return _File(memoryview(self._archive[entry.id]))

    @staticmethod
    def _info(path: str, entry: _Entry,
              size_of: Callable[[_Entry], Optional[int]]) -> dict[str, Any]:
        kind = {_DIRECTORY: "directory", _SUBMODULE: "other"}.get(entry.mode, "file")
        return {"name": path, "size": size_of(entry), "type": kind, "sha": entry.id,
                "mode": f"{entry.mode:06o}", "islink": stat.S_IFMT(entry.mode) == _LINK}

    def _size(self, entry: _Entry) -> int:
        if entry.mode in (_DIRECTORY, _SUBMODULE):
            return 0
        return self._archive.info(entry.id)[1]

    def _size_or_none(self, entry: _Entry) -> Optional[int]:
        try:
            return self._size(entry)
        except Error:
            return None

    def _mode(self, path: str) -> Optional[int]:
        """The mode of a file or directory; None if there is none."""
        try:
            return self._find(path).mode
        except FileNotFoundError:
            return None

    def _find(self, path: str) -> _Entry:
        entry = _Entry(_DIRECTORY, "", self._root)
        for name in filter(None, self._strip_protocol(path).split("/")):
            if entry.mode != _DIRECTORY:
                raise FileNotFoundError(path)
            found = next((one for one in self._entries(entry.id) if one.name == name), None)
            if found is None:
                raise FileNotFoundError(path)
            entry = found
        return entry

    def _entries(self, tree: str) -> list[_Entry]:
        if tree not in self._trees:
            width = 20 if self._archive.object_format == "sha1" else 32
            self._trees[tree] = _parse_tree(bytes(self._archive[tree]), width)
        return self._trees[tree]


def _parse_tree(content: bytes, width: int) -> list[_Entry]:
    entries = []
    at = 0
    while at < len(content):
        end = content.find(b"\0", at)
        mode, space, name = content[at:max(end, at)].partition(b" ")
        at = end + 1 + width
        # Nothing that leads out of a directory to which files are copied.
        if end < 0 or not space or not _MODE.fullmatch(mode) or at > len(content) or (
                name in (b"", b".", b"..") or b"/" in name):
            raise CorruptError(f"malformed tree entry {name!r}")
        entries.append(_Entry(int(mode, 8), name.decode("utf-8", "surrogateescape"),
                              content[end + 1:at].hex()))
    return entries
