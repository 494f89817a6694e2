# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The names of files, classes and functions in the pages for maintainers, and
whether they exist."""

import fnmatch
import functools
import re
import subprocess

from pages import ARCHITECTURE, SOURCE, without_blocks

# Names of other programs and of the system that the code does not use.
FOREIGN = {"RESOLVE_BENEATH", "immintrin.h", "arm_neon.h"}

IDENTIFIER = r"[A-Za-z_]\w*"
# Names of the code: kConstant, TypeName, snake_case or MACRO_CASE, also with
# '::', '()' or template arguments. 'TypeName' alone has a lower-case letter.
IN_CODE = re.compile(
    rf"(?:{IDENTIFIER}::)+{IDENTIFIER}|k[A-Z]\w*|[A-Z]\w*[a-z]\w*|\w*[a-zA-Z]_[\w*]*|\*_\w+")


def maintainer_pages():
    return [ARCHITECTURE, SOURCE / "CONTRIBUTING.md", SOURCE / "src/writer/CHOICES.md",
            SOURCE / "tools/dev/GIT.md", *(SOURCE / "tools").glob("*/README.md"),
            *(SOURCE / "src").glob("*/README.md")]


def spans(page):
    """What stands between single backticks, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", without_blocks(page.read_text()))


def names_of_files(page):
    """The names of files and folders: those that begin with a folder of the root,
    and those that end as a source does. Of a command, its program."""
    for span in spans(page):
        name = span.split()[0]
        if name in FOREIGN or name.startswith("."):
            continue
        if (re.match(r"(src|tools|tests|include)/", name) or
                re.search(r"[\w>]\.(h|cc|cmake|py|md|map|\*)$", name)):
            yield name


def is_file_name(page, name):
    """A name with folders is exact, and begins at the root, in src, in include,
    in include/zpack or at the page; a name without is that of a file somewhere
    below the page. What follows the dot may be left out if the name has no dot.
    '*' and '<...>' stand for any text."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    _, slash, last = pattern.rpartition("/")
    patterns = [pattern] if "." in last else [pattern, pattern + ".cc", pattern + ".h"]
    roots = (SOURCE, SOURCE / "src", SOURCE / "include", SOURCE / "include/zpack", page.parent)
    if any(any(root.glob(each)) for root in roots for each in patterns):
        return True
    return not slash and any(fnmatch.fnmatchcase(path.name, each) for each in patterns
                             for path in code_files() if path.is_relative_to(page.parent))


def names_in_code(page):
    """The names of types, functions, constants and variables, and kNames of
    plain text."""
    text = without_blocks(page.read_text())
    yield from re.findall(r"\bk[A-Z]\w+", re.sub(r"`[^`\n]*`", "", text))
    for span in spans(page):
        name = re.sub(r"(<.*>|\(.*\)|=\w+)$", "", span)
        if (IN_CODE.fullmatch(name) and name not in FOREIGN and
                not name.startswith("std::")):
            yield name


class Words:
    """The identifiers of the code, without those of comments in C++."""

    def __init__(self):
        self._of_file = {}
        for path in code_files():
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            if path.suffix in (".h", ".cc", ".c"):
                text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
            self._of_file[path] = text
        self._all = {word for text in self._of_file.values()
                     for word in re.findall(IDENTIFIER, text)}
        self._all |= {path.stem for path in self._of_file}

    def have(self, name):
        """Whether there is a name, or for 'Class::member', a file that defines
        the class and has the member. '*' stands for any text."""
        *scope, last = name.split("::")
        if not scope:
            return bool(fnmatch.filter(self._all, last))
        definition = re.compile(
            rf"\b(?:class|struct|enum class|namespace) (?:\w+::)*{scope[-1]}\b[^;]*?{{")
        member = re.compile(rf"\b{last}\b")
        return any(definition.search(text) and member.search(text)
                   for text in self._of_file.values())


@functools.cache
def code_files():
    """The files of the code that belong to the sources, except for these tests."""
    trees = [SOURCE / name for name in ("include", "src", "tests", "tools", "third_party")]
    if (SOURCE / ".git").exists():
        names = subprocess.run(
            ["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
             *trees],
            check=True, capture_output=True, text=True).stdout.split("\0")
        paths = {SOURCE / name for name in names if name}
    else:
        paths = {path for tree in trees for path in tree.rglob("*")}
    skipped = re.compile(r"tests/(golden/\w+|fuzz/corpus|documents)/|\.md$")
    return [path for path in sorted(paths) if path.is_file() and
            not skipped.search(path.relative_to(SOURCE).as_posix())]
