# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the checks of the sources share: their command line, and their self-test.

  check_NAME.py [--root DIRECTORY]    exit code 1 and a line for each problem
  check_NAME.py --self-test           proves that violations are found
"""

import argparse
import pathlib
import sys
import tempfile


def judge(cases, check):
    """For each (files by name, expected): expects that `check` finds no problem in a
    tree of these files if `expected` is "", and otherwise one with this text."""
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            found = "\n".join(check(root))
            if (found == "") != (expected == "") or expected not in found:
                print(f"self-test: for {files} expected '{expected}', found "
                      f"'{found}'", file=sys.stderr)
                return 1
    print(f"self-test: {len(cases)} trees judged as expected")
    return 0


def main(description, check, self_test):
    """Runs `check`, which returns the problems of a tree, or `self_test`, which returns
    an exit code. Returns the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    problems = check(options.root.resolve())
    for line in problems:
        print(line, file=sys.stderr)
    return 1 if problems else 0
