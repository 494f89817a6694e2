#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""tools/dev/GIT.md lists what our code reads of Git, and tools/dev/git-news prints the
changes to what the page lists.

    git_news_test.py [unittest options]
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

from pages import SOURCE

TOOL = SOURCE / "tools/dev/git-news"
PAGE = SOURCE / "tools/dev/GIT.md"

# "gitformat-pack(5)", "Documentation/technical/reftable.adoc" and "Git's shallow.c"
MANUAL_PAGE = re.compile(r"\b(git(?:-(?!zpack|remote-zpack)[a-z-]+|[a-z][a-z-]*)?)\([1-8]\)")
DOCUMENT = re.compile(r"\bDocumentation/([\w/-]+)\.(?:adoc|txt)")
SOURCE_OF_GIT = re.compile(r"Git's ([a-z-]+(?:/[a-z-]+)*\.c)\b")


def load_tool():
    loader = SourceFileLoader("git_news", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("git_news", loader))
    sys.modules["git_news"] = module  # dataclasses look for it
    loader.exec_module(module)
    return module


ROWS = load_tool().read_rows(PAGE.read_text())
NAMES = [name for row in ROWS for name in row.names]


def names_of_git(text):
    for pattern in (MANUAL_PAGE, DOCUMENT, SOURCE_OF_GIT):
        yield from pattern.findall(text)


class PageTest(unittest.TestCase):
    def test_no_row_is_overlooked(self):
        lines = re.findall(r"(?m)^\| (?!what \|).*$", PAGE.read_text())
        self.assertEqual([row.what for row in ROWS],
                         [line.split("|")[1].strip().replace("`", "") for line in lines])
        self.assertGreater(len(ROWS), 30)

    def test_each_name_stands_in_one_row(self):
        self.assertEqual(sorted(set(NAMES)), sorted(NAMES))
        for name in NAMES:
            self.assertRegex(name, r"\A[\w/-]+(\.c)?\Z")

    def test_folders_and_versions(self):
        for row in ROWS:
            with self.subTest(row=row.what):
                self.assertEqual(bool(row.code), bool(row.version))
                for folder in row.code:
                    self.assertTrue((SOURCE / folder).is_dir(), folder)
                if row.version:
                    self.assertRegex(row.version, r"\A2\.\d\d\b")

    def test_what_the_code_names_is_listed(self):
        found = {}
        for tree in ("src", "include", "tools/git-zpack"):
            for path in (SOURCE / tree).rglob("*"):
                if path.suffix in (".h", ".cc", ".md"):
                    # A line of a comment may end between 'Git's' and the name.
                    text = re.sub(r"\n\s*//", "", path.read_text())
                    found |= {name: path for name in names_of_git(text)}
        self.assertGreater(len(found), 20)
        self.assertEqual({name: path for name, path in found.items() if name not in NAMES}, {})

    def test_names_are_found(self):
        self.assertEqual(list(names_of_git(
            "git(1) gitformat-pack(5) git-log(1) git-zpack(1) git-remote-zpack(1) digit(1) "
            "Documentation/technical/x.adoc Git's refs/files-backend.c src/x.c")),
            ["git", "gitformat-pack", "git-log", "technical/x", "refs/files-backend.c"])


class GitNewsTest(unittest.TestCase):
    """Over a repository with two versions of a made-up Git."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.source = self.directory / "git"
        self.git("init", "--quiet", str(self.source))
        self.write("setup.c", '!strcmp(ext, "noop")\n!strcmp(ext, "gone")\n')

    def environment(self):
        name = {f"GIT_{who}_{what}": "a@example.com"
                for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return {**kept, **name, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(self, *arguments):
        subprocess.run(["git", *arguments], check=True, env=self.environment(),
                       cwd=self.directory)

    def write(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, subject, tag=None):
        here = ("-C", str(self.source))
        self.git(*here, "add", "--all")
        self.git(*here, "commit", "--quiet", "--message", subject)
        if tag:
            self.git(*here, "tag", tag)

    def news(self, *arguments, code=0):
        done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False,
                              env=self.environment(), cwd=self.directory)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def lists(self, old, new):
        """The output up to the names of the page that the made-up Git lacks."""
        return self.news(old, new, "git").partition("Names of the list that")[0]

    def test_every_row_has_its_commits(self):
        for version in ("v1", "v2"):
            for name in NAMES:
                path = name if "." in name else f"Documentation/{name}.txt"
                self.write(path, f"{name} {version}\n")
            self.commit(f"{version} of all", version)
        out = self.news("v1", "v2", "git")
        for row in ROWS:
            with self.subTest(row=row.what):
                title = f"{row.what} ({', '.join(row.code)}; version {row.version})"
                self.assertEqual(out.count(f"\n{title}\n{'-' * len(title)}\n"),
                                 1 if row.code else 0)
                for name in row.names:
                    path = name if "." in name else f"Documentation/{name}.txt"
                    self.assertEqual(out.count(f"\n{path}: 1 commit\n"), 1 if row.code else 0)
        self.assertIn("Names of the list that neither version has: none\n", out)

    def test_lists(self):
        self.write("serve.c", '.name = "agent"\n')
        text = "\tText of a setting.\n" * 9
        self.write("Documentation/config/core.txt", f"core.bare::\n{text}core.old::\n{text}")
        self.write("Documentation/technical/old.txt", "Text.\n")
        self.write("Documentation/gitformat-pack.txt", "Text of a pack.\n")
        self.commit("first", "v1")
        self.write("setup.c", '!strcmp(ext, "noop")\n!strcmp(ext, "new-one")\n')
        self.write("serve.c", '.name = "agent"\n.name = "bundle-uri"\n')
        (self.source / "Documentation/config/core.txt").unlink()
        self.write("Documentation/config/core.adoc",
                   f"`core.bare`::\n{text}`core.new` (deprecated)::\n{text}")
        (self.source / "Documentation/technical/old.txt").unlink()
        (self.source / "Documentation/gitformat-pack.txt").rename(
            self.source / "Documentation/gitformat-pack.adoc")
        self.write("Documentation/gitformat-loose.adoc", "Of loose objects.\n")
        self.write("Documentation/gitformat-other.adoc", "Of something else.\n")
        self.commit("second", "v2")
        self.assertEqual(self.lists("v1", "v2"), """\
Extensions:
  - gone
  + new-one
Capabilities of protocol version 2:
  + bundle-uri
Settings on the listed pages:
  + core.new
  - core.old
Documents of formats and protocols:
  + gitformat-loose
  + gitformat-other (not in the list)
  - technical/old (not in the list)
""")

    def test_renamed_files_are_followed(self):
        text = "".join(f"line {number}\n" for number in range(20))
        self.write("reftable/reader.c", text)
        self.write("Documentation/technical/pack-format.txt", text.upper())
        self.write("shallow.c", text.replace("line", "shallow"))
        self.commit("first", "v1")
        self.write("reftable/reader.c", text + "before\n")
        self.commit("before the move")
        for old, new in (("reftable/reader.c", "reftable/table.c"),
                         ("Documentation/technical/pack-format.txt",
                          "Documentation/gitformat-pack.txt"),
                         ("shallow.c", "lib-shallow.c")):
            (self.source / old).rename(self.source / new)
        self.commit("move")
        (self.source / "Documentation/gitformat-pack.txt").rename(
            self.source / "Documentation/gitformat-pack.adoc")
        self.write("reftable/table.c", text + "after\n")
        self.write("midx.c", "new\n")
        self.commit("after the move", "v2")
        (self.source / "midx.c").unlink()
        self.commit("no midx", "v3")
        out = re.sub(r"(?m)^  [0-9a-f]{7,} ", "  ", self.news("v1", "v2", "git"))
        for told in ("reftable/table.c (formerly reftable/reader.c): 3 commits\n"
                     "  after the move\n  move\n  before the move\n",
                     "Documentation/gitformat-pack.adoc (formerly "
                     "Documentation/technical/pack-format.txt): 2 commits\n",
                     "lib-shallow.c (formerly shallow.c): 1 commit\n  move\n",
                     "midx.c (new): 1 commit\n"):
            self.assertIn(f"\n{told}", out)
        self.assertIn("midx.c (removed): 1 commit\n", self.news("v2", "v3", "git"))

    def test_the_changes(self):
        self.write("shallow.c", "one\n")
        self.commit("first", "v1")
        self.write("shallow.c", "two\n")
        self.commit("second", "v2")
        self.assertNotIn("\n-one\n+two\n", self.news("v1", "v2", "git"))
        self.assertIn("\n-one\n+two\n", self.news("--diff", "v1", "v2", "git"))
        unchanged = self.news("v2", "v2", "git")
        self.assertNotRegex(unchanged, r": \d+ commits?\n")
        self.assertIn("Without changes:\n", unchanged)

    def test_errors(self):
        self.commit("first", "v1")
        self.assertEqual(self.news("v1", "v9", "git", code=128),
                         "git-news: 'git' has no version 'v9'\n")
        self.assertRegex(self.news("v1", "v1", "none", code=128),
                         r"\Agit-news: cannot read 'none': .*\n\Z")
        (self.source / "setup.c").rename(self.source / "other.c")
        self.commit("second", "v2")
        self.assertEqual(self.news("v1", "v2", "git", code=128),
                         "git-news: 'v2' is not a version of Git: it has no setup.c\n")
        for arguments in ((), ("v1", "v2"), ("--color", "v1", "v1", "git")):
            self.assertIn("usage: git-news ", self.news(*arguments, code=129))


if __name__ == "__main__":
    unittest.main()
