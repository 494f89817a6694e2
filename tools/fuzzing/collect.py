#!/usr/bin/python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Collects what fuzz targets need to run on another machine, under the names that
OSS-Fuzz gives these files:

  collect.py PROGRAMS OUT

PROGRAMS is the directory in which they were built. Each command that fuzz_commands
serves becomes a target of its own."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev"))
# pylint: disable=wrong-import-position
from fuzzing import dictionary, engine, inputs

# Libraries that every machine with the C library of the build has.
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread|resolv)\.so|ld-linux")


def libraries(program):
    """The paths of the shared libraries that a program loads."""
    output = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    found = [pathlib.Path(path) for path in re.findall(r"=> (/\S+)", output)]
    return [path for path in found if not SYSTEM.match(path.name)]


def name_in_out(target):
    if target.program.name == f"fuzz_{target.name}":
        return target.program.name
    return f"fuzz_command_{target.name}"


def put_seeds(target, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for directory in target.seeds:
            for seed in sorted(directory.rglob("*")):
                if seed.is_file():
                    archive.write(seed, f"{directory.name}-{seed.name}")


def main():
    built, out = map(pathlib.Path, sys.argv[1:])
    (out / "lib").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        words = dictionary.write(ROOT, pathlib.Path(scratch) / "dictionaries")
        targets = engine.targets(built, ROOT / "tests/fuzz/corpus", words,
                                 inputs.Inputs(scratch, None))
        for target in targets.values():
            place = out / name_in_out(target)
            shutil.copy(target.program, place)
            put_seeds(target, out / f"{place.name}_seed_corpus.zip")
            if target.dictionary:
                shutil.copy(target.dictionary, out / f"{place.name}.dict")
            limits = "".join(option.removeprefix("-") + "\n" for option in target.limits())
            (out / f"{place.name}.options").write_text(f"[libfuzzer]\n{limits}")
    programs = {target.program for target in targets.values()}
    for library in set().union(*map(libraries, programs)):
        shutil.copy(library, out / "lib" / library.name)
    print(f"{len(targets)} fuzz targets in {out}")


if __name__ == "__main__":
    main()
