# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the store has lost, without reading its files."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping

from .backing import MISSING, WRONG
from .manifest import Manifest
from .output import say
from .records import Link
from .store import Store, archive_key
from .text import without_secrets


def lost_files(manifest: Manifest, url: str, options: dict[str, Any]) -> dict[str, str]:
    """The files that newest archives need and that are not in the store with their size.

    Returns what is wrong with each, by its hash. If the store cannot be listed, says so.
    """
    needed = manifest.chains.undamaged(row.archive.hash for row in manifest.repositories()
                                       if row.archive is not None)
    keys = {link: archive_key(link.hash) for link in needed}
    sizes: dict[str, int] = {}
    try:
        store = Store(url, options)
        for folder in sorted({os.path.dirname(key) for key in keys.values()}):
            sizes.update(store.sizes(folder))
    except Exception as error:  # pylint: disable=broad-except
        say(f"warning: cannot list the store: {without_secrets(str(error), url)}; files that are "
            "missing from it are not noticed")
        return {}
    return lost_of(needed, {key: sizes[name] for key in keys.values()
                            if (name := os.path.basename(key)) in sizes})


def lost_of(links: Iterable[Link], sizes: Mapping[str, int]) -> dict[str, str]:
    """What is wrong with each of these files that is not there with its size, by its hash.

    sizes: bytes of each file of the store, by its key
    """
    there = {link: sizes.get(archive_key(link.hash)) for link in links}
    return {link.hash: MISSING if size is None else WRONG
            for link, size in there.items() if size != link.size}


def tell_lost(lost: Mapping[str, str]) -> None:
    """Warns of each file that is lost."""
    for content_hash, why in sorted(lost.items()):
        say(f"warning: '{archive_key(content_hash)}' {why}")
