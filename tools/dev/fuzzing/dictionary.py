# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Dictionaries for libFuzzer: names that the format defines, and words of sources."""

import re

# Whose string literals are words of the inputs of a target.
SOURCES = {
    "cli": ["tools/git-zpack"],
    "configuration": ["src/git/config"],
    "repository": ["src/git", "src/pack", "src/reftable"],
    "serve": ["src/serve"],
    "statement": ["tools/git-zpack/verify"],
    "url": ["src/http"],
}
MOST = 2000


def format_words(specification):
    """Names of chunks and features in the text of FORMAT.md."""
    return sorted(set(re.findall(r"`([A-Z]{4}|[a-z]+(?:-[a-z]+)*)`", specification)))


def literals(source):
    """String literals without spaces in the text of a C++ source."""
    lines = "\n".join(line for line in source.splitlines() if not line.startswith("#include"))
    return set(re.findall(r'"([!#-\[\]-~]{3,32})"', lines))


def quote(word):
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(root, directory):
    """Writes the dictionaries; their paths by the name of the target, "" for others."""
    directory.mkdir(parents=True, exist_ok=True)
    words = {"": format_words((root / "FORMAT.md").read_text())}
    for name, folders in SOURCES.items():
        found = set()
        for folder in folders:
            for path in sorted((root / folder).rglob("*.cc")):
                found |= literals(path.read_text())
        words[name] = sorted(found)[:MOST]
    paths = {}
    for name, chosen in words.items():
        paths[name] = directory / f"{name or 'format'}.dict"
        paths[name].write_text("".join(quote(word) + "\n" for word in chosen))
    return paths
