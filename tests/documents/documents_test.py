#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""README.md and the guides are true: every command in them is run, every program
compiled, every link followed, and lists are compared with what they list.

    documents_test.py GIT_ZPACK [unittest options]

git-remote-zpack is beside GIT_ZPACK. Commands that need what this machine does
not have (the Python package, Dask, the page of 'report') are left out with a
note.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from names import Words, is_file_name, maintainer_pages, names_in_code, names_of_files
from pages import (ARCHITECTURE, GUIDES, README, SOURCE, all_pages, anchors, blocks, links,
                   logical_lines)
from sandbox import Sandbox

PROGRAM = None
MANUAL = SOURCE / "tools/man"

# Commands that need root, minutes, a network, or an installed library; what they
# name is checked instead.
NOT_RUN = re.compile(r"(apt|apt-get|pip|cmake|g\+\+|cc|dask) |tools/|export PATH=")


class CommandsTest(unittest.TestCase):
    """Blocks of the shell and of Python."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp())
        cls.sandbox = Sandbox(cls.directory, PROGRAM, SOURCE,
                              os.environ.get("PYTHONPATH", "").split(":"))

    @classmethod
    def tearDownClass(cls):
        cls.sandbox.close()
        shutil.rmtree(cls.directory)

    @functools.lru_cache
    def fails_with(self, command, reason):
        return reason in self.sandbox.shell(command).stdout

    def left_out(self, line):
        """Why a line cannot be run on this machine; None if it can."""
        if "report --html" in line and self.fails_with(
                "git zpack report --html probe.html project.zpack", "npm"):
            return "no npm packages"
        if line.startswith("git-zpack-fleet ") and self.fails_with(
                "git-zpack-fleet --help", "No module named"):
            return "no Dask"
        return None

    def run_block(self, block):
        self.sandbox.renew()
        lines = []
        for line in logical_lines(block.text):
            reason = self.left_out(line)
            if reason:
                print(f"-- {block}: left out: {line.split('#')[0].strip()}: {reason}")
            elif not NOT_RUN.match(line):
                lines.append(line)
        # What the block makes first is not there yet.
        made = re.match(r"git zpack convert (--resume )?project\.git (\S+)", lines[0] if lines else "")
        if made:
            (self.sandbox.path / made[2]).unlink()
        # Its answer may be that the files differ.
        lines = [re.sub(r"^(git zpack diff [^#]*[^# ]).*", r"\1 || [ $? = 1 ]", line)
                 for line in lines]
        done = self.sandbox.shell(self.sandbox.here("\n".join(lines)))
        last = "\n".join(done.stdout.splitlines()[-20:])
        self.assertEqual(done.returncode, 0, f"{block}\n{last}")

    def test_shell(self):
        count = 0
        for page in (README, *GUIDES):
            for block in blocks(page, "sh"):
                with self.subTest(block=str(block)):
                    self.run_block(block)
                    count += 1
        self.assertGreater(count, 25)

    def test_a_wrong_command_is_found(self):
        for line in ("git zpack show none.zpack", "git zpack verify --fast project.zpack",
                     "git zpack cat-file -p project.zpack v2.0 | cat"):
            block = blocks(README, "sh")[0]
            block.text = line + "\n"
            with self.assertRaises(AssertionError):
                self.run_block(block)

    def test_python(self):
        self.sandbox.renew()
        probe = self.sandbox.shell("python3 -c 'import zpack, fsspec'")
        if probe.returncode != 0:
            self.skipTest("no Python package, or no fsspec")
        (self.sandbox.path / "work").rename(self.sandbox.path / "project")
        (self.sandbox.path / "project.zpack").unlink()
        for block in blocks(SOURCE / "tools/guides/python.md", "python"):
            script = self.sandbox.path / "block.py"
            script.write_text(block.text)
            done = self.sandbox.shell("python3 block.py")
            self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout}")


class ProgramsTest(unittest.TestCase):
    def test_c(self):
        for page in GUIDES:
            for block in blocks(page, "c"):
                include = re.match(r"(?:#include .*\n)+", block.text)
                program = ("#include <git2.h>\n#include <stdio.h>\n" + include[0] +
                           "int main(void) {\n" + block.text[include.end():] + "return 0;\n}\n")
                done = subprocess.run(
                    ["cc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", "-I",
                     SOURCE / "include", "-x", "c", "-"],
                    input=program, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{block}\n{done.stderr}")

    def test_examples_are_shown_as_they_are(self):
        (block,) = blocks(SOURCE / "tools/guides/library.md", "cpp")
        source = (SOURCE / "tools/examples/read_head.cc").read_text()
        self.assertEqual(block.text, source[source.index("#include"):])

    def test_names_for_build_systems(self):
        version = re.search(r"project\(zpack VERSION (\d+\.\d+)",
                            (SOURCE / "CMakeLists.txt").read_text())[1]
        for page in GUIDES:
            text = page.read_text()
            for name in re.findall(r"pkg-config --cflags --libs ([\w-]+)", text):
                self.assertTrue((SOURCE / f"src/{name}.pc.in").exists(), f"{page}: {name}")
            for found in re.findall(r"find_package\(zpack (\S+) ", text):
                self.assertEqual(found, version, page)
            targets = re.findall(r"EXPORT_NAME (\w+)", (SOURCE / "src/CMakeLists.txt").read_text())
            for name in re.findall(r"`zpack::(\w+)`", text):
                if page.name in ("library.md", "libgit2.md") and name in ("c", "git2"):
                    self.assertIn(name, targets, page)


class ListsTest(unittest.TestCase):
    def test_packages_to_build_with(self):
        listed = subprocess.run(
            ["bash", "-c", 'source "$0"; printf "%s\\n" "${build_packages[@]}"',
             SOURCE / "tools/lib/packages.sh"],
            check=True, capture_output=True, text=True).stdout.split()
        commands = [line for block in blocks(SOURCE / "tools/guides/install.md", "sh")
                    for line in logical_lines(block.text) if line.startswith("apt-get ")]
        told = {word for line in commands
                for word in line.split("#")[0].split() if word not in ("apt-get", "install", "npm")}
        self.assertEqual(told, set(listed) | {"libipsec-mb-dev"})

    def test_scripts_and_presets(self):
        presets = {row["name"] for row in json.loads(
            (SOURCE / "CMakePresets.json").read_text())["configurePresets"]}
        for page in (README, *GUIDES):
            for block in blocks(page, "sh"):
                for line in logical_lines(block.text):
                    if line.startswith("tools/"):
                        self.assertTrue(os.access(SOURCE / line.split()[0], os.X_OK), str(block))
                    for name in re.findall(r"^cmake (?:--build )?--preset (\S+)", line):
                        self.assertIn(name, presets, str(block))
                    for path in re.findall(r"^pip install (?!\S+\.whl)'?(?:\./)?([\w/]+)", line):
                        self.assertTrue((SOURCE / path / "pyproject.toml").exists(), str(block))

    def test_headers_of_the_library(self):
        text = (SOURCE / "tools/guides/library.md").read_text()
        rows = re.findall(r"(?m)^\| (`zpack/.*?`) \|", text)
        told = {name.removeprefix("zpack/") for row in rows for name in re.findall("`(.*?)`", row)}
        self.assertEqual(told, {path.name for path in (SOURCE / "include/zpack").glob("*.h")})

    def commands(self):
        help_text = subprocess.run([PROGRAM, "--help"], check=True, capture_output=True,
                                   text=True).stdout
        return [name for name in re.findall(r"(?m)^   ([a-z][a-z-]*) ", help_text)
                if name not in ("help", "version")]

    def options(self, command):
        """The long options of a command."""
        help_text = subprocess.run([PROGRAM, command, "-h"], check=True, capture_output=True,
                                   text=True).stdout
        return set(re.findall(r"(?m)^  (?:-\S \[ )?(--[a-z0-9-]+)", help_text))

    def test_options_are_in_the_man_pages(self):
        for command in self.commands():
            page = (MANUAL / f"git-zpack-{command}.1").read_text().replace("\\-", "-")
            page = re.sub(r'\\f.|"', "", page)
            page = re.sub(r"-- \[ no- \] (\w+)", r"--\1 --no-\1", page)
            section = re.search(r"(?ms)^\.SH OPTIONS\n(.*?)^\.SH", page)[1]
            told = {option for line in re.findall(r"(?m)^\.TP\n(.*)$", section)
                    for option in re.findall(r"--[a-z0-9-]+", line)}
            self.assertEqual(told, self.options(command), command)

    def check_list(self, option, after):
        """The list before `after` in git-zpack(1) is that of the commands with
        this option."""
        has = {name for name in self.commands() if option in self.options(name)}
        page = (MANUAL / "git-zpack.1").read_text().replace("\\-", "-")
        told = re.search(r"(?ms)^The commands$((?:\n\.BR? [a-z-]+(?: ,)?|\nand)+)\n" + after, page)
        self.assertIsNotNone(told, after)
        self.assertEqual(set(re.findall(r"(?m)^\.BR? ([a-z-]+)", told[1])), has)

    def test_commands_with_json(self):
        self.check_list("--json", r"take\n\.BR --json")

    def test_commands_that_read_urls(self):
        self.check_list("--download", "take a URL")

    def test_commands_in_the_text_exist(self):
        names = set(self.commands()) | {"help"}
        for page in (README, *GUIDES):
            for name in re.findall(r"`git[ -]zpack ([a-z][a-z-]+)", page.read_text()):
                self.assertIn(name, names, page)


class PagesTest(unittest.TestCase):
    def test_links(self):
        for page in all_pages():
            for link in links(page):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                where = f"{page.relative_to(SOURCE)}: {link}"
                self.assertTrue(target.exists(), where)
                if anchor:
                    self.assertIn(anchor, anchors(target), where)

    def test_links_of_guides_work_where_they_are_installed(self):
        for page in GUIDES:
            for link in links(page):
                self.assertRegex(link, r"\A(https://.*|[a-z0-9]+\.md(#.*)?|#.*|"
                                 r"\.\./examples(/[\w.-]+)?)\Z", page)

    def test_guides_are_known(self):
        names = {page.name for page in GUIDES}
        self.assertEqual({pathlib.Path(link.split("#")[0]).name for link in links(README)
                          if link.startswith("tools/guides/")}, names)
        told = re.search(r"(?ms)^\.SH GUIDES\n(.*?)^\.SH",
                         (MANUAL / "git-zpack.1").read_text())[1]
        self.assertEqual(set(re.findall(r"[a-z0-9]+\.md", told)), names)
        for page in MANUAL.glob("*.1"):
            found = set(re.findall(r"\b([a-z0-9]+\.md)\b", page.read_text()))
            self.assertTrue(found, f"{page.name} names no guide")
            self.assertLessEqual(found, names, page.name)

    def test_sizes(self):
        self.assertLessEqual(README.stat().st_size, 10 * 1024)
        self.assertLessEqual(ARCHITECTURE.stat().st_size, 14 * 1024)

    def test_rooms(self):
        """Each folder of src has a page of 10 to 40 lines."""
        for room in (SOURCE / "src").iterdir():
            if room.is_dir():
                lines = (room / "README.md").read_text().splitlines()
                self.assertEqual(lines[0].split(":")[0], f"# {room.name}")
                self.assertIn(len(lines), range(10, 41), room.name)
                self.assertIn(f"| `src/{room.name}` |", ARCHITECTURE.read_text())

    def test_names_of_files(self):
        for page in maintainer_pages():
            for name in names_of_files(page):
                with self.subTest(page=str(page), name=name):
                    self.assertTrue(is_file_name(page, name))

    def test_names_in_the_code(self):
        words = Words()
        for page in maintainer_pages():
            for name in names_in_code(page):
                with self.subTest(page=str(page), name=name):
                    self.assertTrue(words.have(name))

    def test_a_wrong_name_is_found(self):
        for name in ("src/reader/block_cach", "src/reader/block_cache.c",
                     "src/git/portable_settings.h", "tools/git-zpack/cmd_<name>.cc",
                     "tests/corruption/sweep", "tools/dev/sieges", "src/codecs"):
            self.assertFalse(is_file_name(ARCHITECTURE, name), name)
        self.assertFalse(is_file_name(SOURCE / "src/reader/README.md", "archive_plan.h"))
        words = Words()
        for name in ("ArchiveReaders", "BlockCache::FindOrEncode", "kNoSuchCode",
                     "find_or_encode", "ArchiveFile::kZstd", "verify_every_*"):
            self.assertFalse(words.have(name), name)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
