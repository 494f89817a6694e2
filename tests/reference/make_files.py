#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the files of FORMAT.md, "Conformance", for any reader of the format:

  make_files.py DIRECTORY   DIRECTORY/refuse/NAME.zpack and DIRECTORY/accept/NAME.zpack

files-below/far-deltas.zpack is the file on which those beside it depend.
"""

import pathlib
import shutil
import sys

import accepted_files
import below_files
import derived_files
import far_files
import group_files
import refused_objects
import refused_parts
from zpack_draft import GOLDEN


def refused():
    """Name, bytes, and a part of what the reference reader says."""
    for section in (refused_objects.SECTIONS + far_files.SECTIONS + below_files.SECTIONS + group_files.SECTIONS
                    + derived_files.SECTIONS + refused_parts.SECTIONS):
        for name, data, message in section():
            yield f"{section.__name__.replace('_', '-')}/{name}", data, message


def accepted():
    """Name and bytes."""
    yield from accepted_files.accepted()
    yield from group_files.accepted()
    yield from derived_files.accepted()
    yield from far_files.accepted()
    yield from below_files.accepted()


def main(directory):
    for folder, found in (("refuse", refused()), ("accept", accepted())):
        for name, data, *_ in found:
            path = pathlib.Path(directory, folder, f"{name}.zpack")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        shutil.copy(GOLDEN / below_files.BASE, pathlib.Path(directory, folder, "files-below"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
