#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that comments and documents name members that exist.

Of every 'Type::member' in a comment of a source, in a page of Markdown or in a
man page, the type must have the member. A type that is not one of this
project's is left alone, unless its name ends as those of the public structures
do (Options, Stats, Report).

  check_comments.py [--root DIRECTORY]    exit code 1 and file:line: message
  check_comments.py --self-test           proves that violations are found
"""

import pathlib
import re
import sys
import tempfile

import checking

TREES = ("include", "src", "tools", "tests")
SKIPPED = {"__pycache__", "golden", "corpus", "node_modules"}
# What changed is told of what was there then.
HISTORY = {"CHANGELOG.md"}
SOURCES = {".h", ".cc", ".c"}
TYPE = re.compile(r"\b(?:struct|class|enum(?: class| struct)?)\s+(?:ZPACK_API\s+)?(\w+)"
                  r"([^;{}()]*)\{")
NAMED = re.compile(r"\b([A-Z]\w+)::(~?\w+)")
OURS = re.compile(r"(Options|Stats|Report)$")


def files(root):
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.is_file() and not SKIPPED & set(path.relative_to(root).parts):
                yield path
    yield from sorted(root.glob("*.md"))


def without_comments(text):
    """The text, of the same length in lines, without comments and texts."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"',
                  lambda found: "\n" * found[0].count("\n"), text, flags=re.S)


def body(text, start):
    """What is between the brace before `start` and its partner."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place]
    return text[start:]


def read_types(paths):
    """{type: names in its definition}, those of its bases included."""
    members, bases = {}, {}
    for path in paths:
        text = without_comments(path.read_text(errors="replace"))
        for found in TYPE.finditer(text):
            name = found[1]
            members.setdefault(name, {name}).update(
                re.findall(r"~?\w+", body(text, found.end())))
            bases.setdefault(name, set()).update(re.findall(r"\w+", found[2]))
    for _ in range(4):
        for name, above in bases.items():
            for base in above & members.keys():
                members[name] |= members[base]
    return members


def comments(path):
    """(line number, text) of what people read in a file."""
    lines = path.read_text(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if path.suffix in SOURCES:
            found = re.search(r"(?:^|\s)(//.*|/?\*.*)$", line)
            if not found:
                continue
            line = found[1]
        yield number, line


def check(root):
    paths = list(files(root))
    types = read_types(path for path in paths if path.suffix in SOURCES)
    problems = []
    for path in paths:
        readable = path.suffix in SOURCES | {".md"} or path.suffix in {".1"}
        if not readable or path.name in HISTORY:
            continue
        for number, line in comments(path):
            for name, member in NAMED.findall(line):
                where = f"{path.relative_to(root)}:{number}: '{name}::{member}': "
                if name not in types:
                    if OURS.search(name):
                        problems.append(where + f"there is no {name}")
                elif member not in types[name]:
                    problems.append(where + f"{name} has no {member}")
    return problems


def self_test():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "include").mkdir()
        (root / "include/a.h").write_text(
            "// AOptions::since, BOptions::x and std::vector::size.\n"
            "struct Base { int depth; };\n"
            "struct AOptions : Base {\n  int level = 0;  // not since\n};\n"
            "int f();  // AOptions::level and AOptions::depth\n")
        (root / "README.md").write_text("`AOptions::levels` is wrong\n")
        found = check(root)
        expected = ["include/a.h:1: 'AOptions::since': AOptions has no since",
                    "include/a.h:1: 'BOptions::x': there is no BOptions",
                    "README.md:1: 'AOptions::levels': AOptions has no levels"]
        if found != expected:
            print(f"self-test: {found}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(checking.main(__doc__.splitlines()[0], check, self_test))
