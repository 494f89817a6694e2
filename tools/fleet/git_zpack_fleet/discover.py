# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Finds repositories: below directories, in a manifest of grokmirror, in a list."""

from __future__ import annotations

import gzip
import json
import os
from typing import Callable, Iterator, NamedTuple

from .text import quoted

_LIMIT_OF_MANIFEST = 4 << 30
Warn = Callable[[str], None]


class Found(NamedTuple):
    """A repository: where it is, and its name below the root."""

    path: bytes
    name: bytes


def is_git_directory(path: bytes) -> bool:
    """Whether the directory looks like a git directory, as Git looks at it."""
    return (os.path.lexists(os.path.join(path, b"HEAD"))
            and os.path.isdir(os.path.join(path, b"objects"))
            and os.path.isdir(os.path.join(path, b"refs")))


def resembles_git_directory(path: bytes) -> bool:
    """Whether two of the three parts are there: perhaps a broken repository."""
    return sum((os.path.lexists(os.path.join(path, b"HEAD")),
                os.path.isdir(os.path.join(path, b"objects")),
                os.path.isdir(os.path.join(path, b"refs")))) >= 2


def git_directory(path: bytes) -> bytes:
    """The git directory of a repository: itself, or its .git."""
    inner = os.path.join(path, b".git")
    return inner if os.path.isdir(inner) else path


def walk(root: bytes, warn: Warn) -> Iterator[Found]:
    """All repositories at or below the directory, in no particular order.

    What looks like a broken repository counts, so that a run reports it.
    Follows no symbolic links. Looks into work trees and into the repositories
    of submodules, but into no other part of a git directory. Raises OSError if
    the root itself cannot be read; other directories are reported to warn.
    """
    root = os.path.abspath(root)
    os.scandir(root).close()
    stack = [root]
    while stack:
        path = stack.pop()
        if resembles_git_directory(path):
            yield _found(root, path)
            stack += _subdirectories(os.path.join(path, b"modules"), warn)
            continue
        inner = os.path.join(path, b".git")
        if resembles_git_directory(inner):
            yield _found(root, path)
            stack += _subdirectories(os.path.join(inner, b"modules"), warn)
        stack += [below for below in _subdirectories(path, warn) if below != inner]


def _found(root: bytes, path: bytes) -> Found:
    name = os.path.relpath(path, root)
    return Found(path, os.path.basename(root) if name == b"." else name)


def _subdirectories(path: bytes, warn: Warn) -> list[bytes]:
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    except OSError as error:
        warn(f"cannot read directory '{quoted(path)}': {error.strerror}")
        return []


def read_grokmirror(manifest: bytes, root: bytes) -> list[Found]:
    """The repositories that a manifest.js or manifest.js.gz of grokmirror names.

    Raises OSError if the file cannot be read, and ValueError if it is not such
    a manifest or names a path outside the root.
    """
    with open(manifest, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    opener = gzip.open if packed else open
    with opener(manifest, "rb") as file:
        content = file.read(_LIMIT_OF_MANIFEST)
    try:
        entries = json.loads(content.decode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise ValueError(f"not a manifest of grokmirror: '{quoted(manifest)}': {error}") from error
    if not isinstance(entries, dict):
        raise ValueError(f"not a manifest of grokmirror: '{quoted(manifest)}'")
    root = os.path.abspath(root)
    return [_listed(root, os.fsencode(name)) for name in entries]


def _listed(root: bytes, entry: bytes) -> Found:
    name = os.path.normpath(entry.lstrip(b"/"))
    if name.split(b"/")[0] in (b"..", b"."):
        raise ValueError(f"the manifest names a path outside the root: '{quoted(entry)}'")
    return Found(os.path.join(root, name), name)


def read_list(content: bytes) -> list[Found]:
    """Paths separated by NUL if there is one, otherwise by newlines."""
    separator = b"\0" if b"\0" in content else b"\n"
    paths = [os.path.abspath(path) for path in content.split(separator) if path]
    if not paths:
        return []
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    return [Found(path, os.path.relpath(path, root)) for path in paths]
