#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Joins the units of a unity build, for tidy.sh.

  group_units.py BUILD_DIRECTORY

clang-tidy spends most of its time on the headers of a unit. Writes a few larger
units, and their compile_commands.json, to BUILD_DIRECTORY/tidy, and prints one
line for each: the larger unit and those it includes, separated by spaces.
"""

import json
import pathlib
import re
import shlex
import sys

GROUPS = 8  # several for each processor of a small machine, so that all end together
# The same sources once more, and the source of a library.
LEFT_OUT = "tools/packaging/"


def own_units(commands: list[dict]) -> list[dict]:
    return [entry for entry in commands
            if re.search(r"-o (src|tools)/", entry["command"])
            and f"-o {LEFT_OUT}" not in entry["command"]]


def flags(command: str) -> list[str]:
    """What says how to read the source; not the compiler, nor input and output."""
    words = shlex.split(command)[1:]
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "-c"):
            words.pop(0)
        elif word in ("-include", "-isystem"):
            kept.append(f"{word} {words.pop(0)}")
        elif not word.startswith("--param"):
            kept.append(word)
    return kept


def size(unit: str) -> int:
    """Bytes of what a unit includes directly; 1 for a unit that is a source itself."""
    sources = re.findall(r'^#include "(/[^"]+\.cc)"', pathlib.Path(unit).read_text(), re.M)
    return sum(pathlib.Path(source).stat().st_size for source in sources) or 1


def groups(units: list[dict]) -> list[list[dict]]:
    """Neighbours, so that a new file moves few units to another group. Each program's
    main() is a group."""
    mains = [unit for unit in units if "_main.cc" in pathlib.Path(unit["file"]).read_text()]
    units = [unit for unit in units if unit not in mains]
    sizes = [size(unit["file"]) for unit in units]
    share = sum(sizes) / GROUPS
    result: list[list[dict]] = [[] for _ in range(GROUPS)]
    before = 0
    for unit, bytes_of_unit in zip(units, sizes):
        result[min(int((before + bytes_of_unit / 2) / share), GROUPS - 1)].append(unit)
        before += bytes_of_unit
    return [group for group in result if group] + [[unit] for unit in mains]


def main() -> None:
    build = pathlib.Path(sys.argv[1]).resolve()
    units = own_units(json.loads((build / "compile_commands.json").read_text()))
    directory = build / "tidy"
    directory.mkdir(exist_ok=True)
    database = []
    for number, group in enumerate(groups(units)):
        unit = directory / f"group_{number}.cc"
        unit.write_text("".join(f'#include "{part["file"]}"\n' for part in group))
        words = dict.fromkeys(word for part in group for word in flags(part["command"]))
        database.append({"directory": group[0]["directory"], "file": str(unit),
                         "command": " ".join(["c++", *(word if " " in word else shlex.quote(word)
                                                       for word in words), "-c", str(unit)])})
        print(unit, *(part["file"] for part in group))
    (directory / "compile_commands.json").write_text(json.dumps(database, indent=1))


main()
