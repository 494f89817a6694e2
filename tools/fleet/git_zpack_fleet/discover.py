# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Finds repositories: below directories, in a manifest of grokmirror, in a list."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional

from .regular import open_regular
from .text import parse_json, quoted

_LIMIT_OF_MANIFEST = 256 << 20
_LIMIT_OF_GITFILE = 1 << 16
_HEAD = re.compile(rb"ref:\s*refs/|[0-9a-f]{40}")
_LIMIT_OF_SETTINGS = 1 << 16
# Git reads these directories of a repository.
OF_GIT = frozenset((b"objects", b"refs", b"logs", b"hooks", b"info", b"worktrees", b"reftable"))
_SKIPPED_IN_BARE = OF_GIT | {b"modules", b"lfs", b"annex"}


class Found(NamedTuple):
    """A repository: where it is, and its name below the root."""

    path: bytes
    name: bytes


class Unreached(NamedTuple):
    """Where a repository may be that a walk does not reach; why is one sentence."""

    path: bytes
    name: bytes
    why: str


Tell = Callable[[Unreached], None]


def is_git_directory(path: bytes) -> bool:
    """Whether the directory looks like a git directory, as Git looks at it."""
    return (os.path.lexists(os.path.join(path, b"HEAD"))
            and os.path.isdir(os.path.join(path, b"objects"))
            and os.path.isdir(os.path.join(path, b"refs")))


def resembles_git_directory(path: bytes) -> bool:
    """Whether two parts of one are there: perhaps a broken repository.

    In a directory that has the name of a repository, one is enough.
    """
    parts = sum((os.path.lexists(os.path.join(path, b"HEAD")),
                 os.path.isdir(os.path.join(path, b"objects")),
                 os.path.isdir(os.path.join(path, b"refs"))))
    enough = 1 if path.endswith(b".git") else 2
    if parts < enough:  # Rarely needed, and also the name of other files.
        parts += os.path.isfile(os.path.join(path, b"packed-refs"))
        parts += _has_settings(path)
    return parts >= enough


def _has_settings(path: bytes) -> bool:
    """Whether the file 'config' is one that Git has made."""
    try:
        with open(os.path.join(path, b"config"), "rb", opener=open_regular) as file:
            return b"repositoryformatversion" in file.read(_LIMIT_OF_SETTINGS)
    except OSError:
        return False


def git_directory(path: bytes) -> bytes:
    """The git directory of a repository, as Git looks for it: its .git, or itself."""
    inner = os.path.join(path, b".git")
    if is_git_directory(path) and (not is_git_directory(inner)
                                   or os.path.realpath(inner) == os.path.realpath(path)):
        return path
    return inner if resembles_git_directory(inner) else path


def _has_head(path: bytes) -> bool:
    """Whether 'HEAD' is what Git takes for one, and not another file of a work tree."""
    head = os.path.join(path, b"HEAD")
    try:
        if os.path.islink(head):
            return os.readlink(head).startswith(b"refs/")
        with open(head, "rb", opener=open_regular) as file:
            return _HEAD.match(file.read(_LIMIT_OF_SETTINGS)) is not None
    except OSError:
        return False


def is_hidden(path: bytes) -> bool:
    """Whether Git finds another repository at a git directory, because of the .git in it."""
    inner = os.path.join(path, b".git")
    if not os.path.lexists(inner) or not is_git_directory(path) or not _has_head(path):
        return False
    taken = os.path.realpath(inner) if is_git_directory(inner) else _target_of_gitfile(inner)
    return taken is not None and taken != os.path.realpath(path)


def walk(root: bytes, tell: Tell, others: Iterable[bytes] = ()) -> Iterator[Found]:
    """All repositories at or below the directory, in no particular order.

    What looks like a broken repository counts, so that a run reports it.
    Looks into work trees, into the repositories of submodules and into what a
    bare repository has beside Git's own, also a '.git', but into no other part of a git
    directory. Visits each directory once, and follows no symbolic links but
    '.git' and 'modules', and these only below the root. A work tree whose
    repository is missing, or neither below the root nor below one of the other
    roots, is told.
    Raises OSError if the root itself cannot be read; other directories are told.
    """
    root = os.path.abspath(root)
    os.scandir(root).close()
    below_root = _Below(root, tell, others)
    stack = [root]
    # Last, so that a repository has the name of its directory, if that is found.
    behind_links: list[bytes] = []
    while stack or behind_links:
        if not stack:
            below_root.has_links = True
            stack.append(behind_links.pop())
        path = stack.pop()
        inner = os.path.join(path, b".git")
        has_inner = (git_directory(path) == inner and not is_hidden(path)
                     and below_root.contains(inner))
        is_bare = not has_inner and resembles_git_directory(path)
        if below_root.was_visited(path, is_repository=is_bare or has_inner):
            continue
        if not is_bare and not has_inner:
            below_root.check_separate(path)
        skipped = _SKIPPED_IN_BARE if is_bare else {b".git"} if has_inner else ()
        stack += [below for below in below_root.subdirectories(path)
                  if os.path.basename(below) not in skipped]
        if is_bare or has_inner:
            yield _found(root, path)
            modules = os.path.join(path if is_bare else inner, b"modules")
            linked = os.path.islink(modules) or (has_inner and os.path.islink(inner))
            (behind_links if linked else stack).extend(below_root.subdirectories(modules))


class _Below:
    """The directories below a root, and which of them were visited."""

    def __init__(self, root: bytes, tell: Tell, others: Iterable[bytes]) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._others = [os.path.realpath(other) for other in others]
        self._tell = tell
        self._visited: set[tuple[int, int]] = set()
        self.has_links = False

    def was_visited(self, path: bytes, *, is_repository: bool) -> bool:
        """Whether a directory was visited before, or is gone.

        Without links, no directory is met twice; then only repositories are
        remembered, because a root may have many millions of directories.
        """
        if not is_repository and not self.has_links:
            return False
        try:
            status = os.stat(path)
        except FileNotFoundError:  # Removed meanwhile.
            return True
        except OSError as error:
            self._tell(unreadable(self._root, path, error))
            return True
        identity = (status.st_dev, status.st_ino)
        seen = identity in self._visited
        self._visited.add(identity)
        return seen

    def contains(self, path: bytes) -> bool:
        """Whether a path that may be a link leads below the root; if not, says so."""
        if not os.path.islink(path):
            return True
        if is_at_or_below(os.path.realpath(path), self._real_root):
            return True
        self._complain(path, f"'{quoted(path)}' leads out of the directory "
                             f"'{quoted(self._root)}'; it is not followed")
        return False

    def check_separate(self, path: bytes) -> None:
        """Says so if a work tree that is no linked one has its repository elsewhere, or lost it."""
        inner = os.path.join(path, b".git")
        if not os.path.lexists(inner) or resembles_git_directory(inner):
            return
        if os.path.isdir(inner):
            if os.path.islink(inner):
                self._complain(path, f"not a git repository: '{quoted(inner)}'")
            return
        target = _target_of_gitfile(inner)
        if target is None:
            self._complain(path, f"invalid gitfile format: '{quoted(inner)}'"
                           if os.path.exists(inner) else f"'{quoted(inner)}' leads to nothing")
        elif os.path.exists(os.path.join(target, b"commondir")):
            return
        elif not any(is_at_or_below(target, root) for root in (self._real_root, *self._others)):
            self._complain(path, f"the repository of '{quoted(path)}' is outside the directory "
                                 f"'{quoted(self._root)}': '{quoted(target)}'")
        elif not resembles_git_directory(target) and not _is_of_worktree(target):
            self._complain(path, f"the repository of '{quoted(path)}' is missing: "
                                 f"'{quoted(target)}'")

    def subdirectories(self, path: bytes) -> list[bytes]:
        """The directories in a directory, which may be missing."""
        if not self.contains(path):
            return []
        try:
            with os.scandir(path) as entries:
                return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return []
        except OSError as error:
            self._tell(unreadable(self._root, path, error))
            return []

    def _complain(self, path: bytes, why: str) -> None:
        self._tell(Unreached(*_found(self._root, path), why))


def unreadable(root: bytes, path: bytes, error: OSError) -> Unreached:
    """A directory at or below a root that cannot be read."""
    why = f"cannot read directory '{quoted(path)}': {error.strerror}"
    return Unreached(*_found(root, path), why)


def _is_of_worktree(path: bytes) -> bool:
    """Whether this is the place of a linked work tree in a repository, which has the objects."""
    above = os.path.dirname(path)
    return os.path.basename(above) == b"worktrees" and is_git_directory(os.path.dirname(above))


def is_at_or_below(real: bytes, root: bytes) -> bool:
    """Whether a path is that of a directory or of something in it; compares names only."""
    return real == root or real.startswith(os.path.join(root, b""))


def _target_of_gitfile(path: bytes) -> Optional[bytes]:
    """The real path of the git directory that a file '.git' names, if it is such a file."""
    try:
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            content = file.read(_LIMIT_OF_GITFILE)
    except OSError:
        return None
    name = content.removeprefix(b"gitdir: ").rstrip(b"\r\n")
    if not content.startswith(b"gitdir: ") or not name or b"\0" in name:
        return None
    return os.path.realpath(os.path.join(os.path.dirname(path), name))


def _found(root: bytes, path: bytes) -> Found:
    name = os.path.relpath(path, root)
    return Found(path, os.path.basename(root) if name == b"." else name)


def read_grokmirror(manifest: bytes, root: bytes) -> list[Found]:
    """The repositories that a manifest.js or manifest.js.gz of grokmirror names.

    Raises OSError if the file cannot be read, and ValueError if it is not such
    a manifest or names a path outside the root.
    """
    return [listed(root, name) for name in grokmirror_entries(manifest)]


def grokmirror_entries(manifest: bytes) -> dict[bytes, Any]:
    """What a manifest says of each name. Raises OSError and ValueError."""
    with open(manifest, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opener = gzip.open if packed else open
    try:
        with opener(manifest, "rb") as file:
            content = file.read(_LIMIT_OF_MANIFEST + 1)
        if len(content) > _LIMIT_OF_MANIFEST:
            raise ValueError(f"larger than {_LIMIT_OF_MANIFEST} bytes")
        entries = parse_json(content.decode("utf-8", "surrogateescape"))
        if not isinstance(entries, dict):
            raise ValueError("no JSON object")
        return {os.fsencode(name): entry for name, entry in entries.items()}
    except (ValueError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"not a manifest of grokmirror: '{quoted(manifest)}': {error}") from error


def listed(root: bytes, entry: bytes) -> Found:
    """The repository that a manifest of grokmirror names. Raises ValueError."""
    name = os.path.normpath(entry.lstrip(b"/"))
    if b"\0" in name:
        raise ValueError(f"the manifest has a name with NUL: '{quoted(entry)}'")
    if name.split(b"/")[0] in (b"..", b"."):
        raise ValueError(f"the manifest names a path outside the root: '{quoted(entry)}'")
    return Found(os.path.join(os.path.abspath(root), name), name)


def read_list(content: bytes) -> list[Found]:
    """Paths separated by NUL if there is one, otherwise by newlines."""
    separator = b"\0" if b"\0" in content else b"\n"
    paths = [os.path.abspath(path) for path in content.split(separator) if path]
    if not paths:
        return []
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [Found(path, os.path.relpath(path, root)) for path in paths]
