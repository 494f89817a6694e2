# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Directories that are still there after a power cut."""

from __future__ import annotations

import os
from typing import AnyStr


def make_directories(path: AnyStr) -> None:
    """Makes a directory and those above it, and syncs each new entry."""
    missing = []
    path = os.path.abspath(path)
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for directory in reversed(missing):
        try:
            os.mkdir(directory)
        except FileExistsError:
            if not os.path.isdir(directory):
                raise
        sync(os.path.dirname(directory))


def sync_upwards(path: str, root: str) -> None:
    """Syncs a directory and those above it up to the root."""
    while True:
        sync(path)
        if path == root or os.path.dirname(path) == path:
            return
        path = os.path.dirname(path)


def sync(path: AnyStr) -> None:
    """Syncs a file or a directory."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
