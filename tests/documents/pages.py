# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The pages that people read, taken apart: blocks of code, links, headings."""

import dataclasses
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
README = SOURCE / "README.md"
ARCHITECTURE = SOURCE / "ARCHITECTURE.md"
GUIDES = sorted((SOURCE / "tools/guides").glob("*.md"))


@dataclasses.dataclass
class Block:
    """Code between fences."""

    page: pathlib.Path
    line: int  # of its first line of code
    language: str
    text: str

    def __str__(self):
        return f"{self.page.relative_to(SOURCE)}:{self.line}"


def blocks(page, language=None):
    """The blocks of a page, or those in one language."""
    found = []
    current = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = re.fullmatch(r"```(\w*)", line)
        if current is not None and line == "```":
            found.append(current)
            current = None
        elif current is not None:
            current.text += line + "\n"
        elif fence:
            current = Block(page, number + 1, fence[1], "")
    assert current is None, f"{page}: a block does not end"
    return [block for block in found if language in (None, block.language)]


def without_blocks(text):
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def without_code(text):
    """The text without blocks and spans of code."""
    return re.sub(r"``.*?``|`[^`\n]*`", "", without_blocks(text))


def anchors(page):
    """What GitHub makes of the headings of a page."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", without_blocks(page.read_text())):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{name}-{number}" if number else name) in found:
            number += 1
        found.add(anchor)
    return found


def links(page):
    """The targets of a page's links, in order."""
    return re.findall(r"\]\(([^()\s]+)\)", without_code(page.read_text()))


def all_pages():
    """Every page of Markdown that belongs to the sources."""
    if (SOURCE / ".git").exists():
        names = subprocess.run(
            ["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard", "*.md"],
            check=True, capture_output=True, text=True).stdout.split("\0")
        pages = {SOURCE / name for name in names if name}
    else:
        pages = {path for path in SOURCE.rglob("*.md") if "build" not in path.parts}
    return sorted(path for path in pages if path.is_file())


def logical_lines(text):
    """Lines of the shell, with those that a backslash continues joined."""
    return re.sub(r"\\\n\s*", "", text).splitlines()
