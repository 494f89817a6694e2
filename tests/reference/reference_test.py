#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the reference reader, tools/reference, which was written from FORMAT.md alone,
over all golden files, over repositories that the program converts, and over the files
of FORMAT.md, "Conformance", which the program reads as well.

    reference_test.py GIT_ZPACK [unittest options]
"""

import fnmatch
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import make_files
import parity_set
from zpack_draft import GOLDEN, ROOT, read_zpack

READER = ROOT / "tools/reference/read_zpack.py"
PROGRAM = None


def run(*command, cwd=None, check=True, stdin=None):
    """Without the settings of whoever runs the tests."""
    variables = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                 "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file",
                 "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "1700000000 +0100",
                 "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com",
                 "GIT_COMMITTER_DATE": "1700000100 -0330"}
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=stdin, capture_output=True,
                          env=variables, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout!r}\n{done.stderr!r}")
    return done


def read(*arguments):
    return run(sys.executable, READER, *arguments).stdout.decode()


def what_the_reader_says(path):
    """Empty if it accepts the file."""
    try:
        file = read_zpack.ZpackFile(path)
        assert len(list(file.verify())) == file.end
    except read_zpack.container.Refused as error:
        return str(error)
    return ""


def parity_inside(path):
    """PARI of a file, and what it has to be."""
    file = read_zpack.ZpackFile(path)
    begin, end = file.chunks[b"PARI"]
    found = file.chunk(b"PARI")
    return found, parity_set.made_again(found, file.data[:begin + 16] + file.data[end:-32])


class InDirectory(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)


class GoldenTest(unittest.TestCase):
    def test_every_object_and_ref_is_read(self):
        files = sorted(GOLDEN.glob("*.zpack"))
        self.assertGreaterEqual(len(files), 8)
        for path in files:
            with self.subTest(path.name):
                self.assertEqual(sorted(read("verify", path).splitlines()),
                                 path.with_suffix(".txt").read_text().splitlines())
                expected = [line for line in path.with_suffix(".refs").read_text().splitlines()
                            if not line.endswith("^{}")]
                symbolic = {line.split()[-1] for line in expected if line.startswith("ref: ")}
                # list-refs also says where a symbolic ref leads to.
                self.assertEqual(read("refs", path).splitlines(),
                                 [line for line in expected
                                  if line.startswith("ref: ") or line.split()[-1] not in symbolic])

    def test_an_id_that_is_not_in_the_file(self):
        done = run(sys.executable, READER, "cat", GOLDEN / "columns.zpack", "ab" * 20, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"is not in the file", done.stderr)

    def test_the_worked_example_is_read(self):
        text = (READER.parent / "EXAMPLE.md").read_text("utf-8")
        data = bytearray()
        for offset, line in re.findall(r"^    ([0-9a-f]{8})(.*)", text, re.MULTILINE):
            while len(data) < int(offset, 16):  # after a line '*'
                data += data[-16:]
            data += bytes.fromhex(line.split("|")[0])
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            rows = re.findall(r"^\| \d \| \d \| (\w+) \| (\d+) \| ([0-9a-f]{40}) \|", text, re.MULTILINE)
            self.assertEqual(read("verify", file.name).splitlines(), [f"{row[2]} {row[0]} {row[1]}" for row in rows])

    def test_parity_is_what_the_text_makes(self):
        data = (GOLDEN / "columns.zpack").read_bytes()
        beside = (GOLDEN / "columns.zpack.zpar").read_bytes()
        self.assertEqual(parity_set.made_again(beside, data), beside)
        self.assertEqual(*parity_inside(GOLDEN / "parity.zpack"))

    def test_drafts_are_refused(self):
        for path in (GOLDEN.parent / "drafts").iterdir():
            done = run(sys.executable, READER, "verify", path, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"is of a draft of the format", done.stderr)


def make_repository(path, object_format):
    """Every kind of object, entry and ref, and the files of a repository."""
    def git(*arguments, **options):
        return run("git", *arguments, cwd=path, **options)

    run("git", "init", "-q", "-b", "main", f"--object-format={object_format}", path)
    lines = [f"line {number} of a text that changes" for number in range(400)]
    parents = []
    for version in range(12):
        lines[version * 30] = f"version {version}"
        for name in ("text", "deep/er/text", f"new {version}", "deep/\xe4"):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text("\n".join([name, *lines[:100 if "new" in name else None]]), "utf-8")
        (path / "program").write_text(f"#!/bin/sh\necho {version % 3}\n")
        (path / "program").chmod(0o755 if version % 2 else 0o644)
        if version == 0:
            (path / "link").symlink_to("deep")
            (path / "large").write_bytes(random.Random(1).randbytes(500_000))
            module = "5f" * (20 if object_format == "sha1" else 32)
            git("update-index", "--add", "--cacheinfo", f"160000,{module},module")
        if version == 7:
            (path / "new 3").unlink()
        git("add", "--all", ":!module")
        tree = git("write-tree").stdout.decode().strip()
        message = "" if version == 5 else f"version {version}\n\nwith a body\n" * (version + 1)
        commit = git("commit-tree", tree, *(word for parent in parents[-2 if version % 4 == 3 else -1:]
                                            for word in ("-p", parent)), stdin=message.encode())
        parents.append(commit.stdout.decode().strip())
    git("update-ref", "-m", "made", "refs/heads/main", parents[-1])
    git("branch", "side", parents[4])
    git("tag", "light")
    git("tag", "-a", "-m", "a tag", "heavy")
    git("tag", "-a", "-m", "a tag of a tag", "heavier", "heavy")
    git("tag", "-a", "-m", "a blob", "of-blob", "main:text")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/side")
    # Forms that columns do not hold.
    odd = f"tree {tree}\nauthor A <a> 01 +0000\ncommitter A <a> 1 +0000\n\nm\n"
    git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=odd.encode())
    signed = (f"tree {tree}\nparent {parents[0]}\nauthor A <a> -5 +0000\ncommitter B <b> 99999999999 weird zone\n"
              "encoding latin1\ngpgsig x\n y\n\nm")
    git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=signed.encode())
    git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=b"not a tree")


def objects_of(repository):
    """Everything that `git cat-file` prints of all objects, in the order of their ids."""
    return run("git", "cat-file", "--batch-all-objects", "--batch", cwd=repository).stdout


def refs_of(repository):
    head = (repository / "HEAD").read_bytes()
    return head + run("git", "for-each-ref", "--format=%(objectname) %(refname) %(symref)", cwd=repository).stdout


class RepositoryTest(InDirectory):
    def check(self, repository, *options):
        """Converts, reads and restores the repository, and compares all of it."""
        path, restored = self.directory / "file.zpack", self.directory / "restored.git"
        run(PROGRAM, "convert", "-q", "-f", *options, repository, path)
        shutil.rmtree(restored, ignore_errors=True)
        read("restore", path, restored)
        self.assertEqual(objects_of(restored), objects_of(repository))
        self.assertEqual(refs_of(restored), refs_of(repository))
        listed = run("git", "cat-file", "--batch-all-objects", "--batch-check", cwd=repository).stdout.decode()
        self.assertEqual(sorted(read("verify", path).splitlines()), listed.splitlines())
        for line in listed.splitlines()[::40]:
            found, object_type, _ = line.split()
            self.assertEqual(run(sys.executable, READER, "cat", path, found).stdout,
                             run("git", "cat-file", object_type, found, cwd=repository).stdout)
        return path, restored

    def test_repositories_of_both_object_formats_and_all_profiles(self):
        for object_format in ("sha1", "sha256"):
            repository = self.directory / object_format
            make_repository(repository, object_format)
            git_directory = repository / ".git"
            for options in (["--profile=fast"], ["--profile=balanced"], ["--profile=max"],
                            ["--block-size=4k"],
                            ["--profile=cold", "--block-size=8k"],
                            ["--reachable", "--redundancy=10"]):
                with self.subTest(f"{object_format} {options}"):
                    if "--reachable" in options:
                        run("git", "prune", "--expire=now", cwd=repository)
                    path, restored = self.check(git_directory, *options)
                    kinds = {found.kind for found in blocks_of(path)}
                    self.assertGreaterEqual(kinds, {1, 3, 4, 5})
                    if "--block-size=4k" in options:
                        self.assertIn(2, kinds)
                    if "--profile=cold" in options:
                        self.assertIn(b"groups", read_zpack.ZpackFile(path).features)
                    if "--redundancy=10" in options:
                        self.assertEqual(*parity_inside(path))
            # Without the objects of odd form, which Git itself complains of.
            run("git", "fsck", "--full", "--strict", cwd=restored)
            self.assertEqual((restored / "logs/refs/heads/main").read_bytes(),
                             (git_directory / "logs/refs/heads/main").read_bytes())

    def test_a_file_on_the_base_of_an_older_one(self):
        repository = self.directory / "repository"
        make_repository(repository, "sha1")
        older = self.directory / "older.zpack"
        run(PROGRAM, "convert", "-q", "--reachable", repository, older)
        run("git", "commit", "-q", "--allow-empty", "-m", "one more", cwd=repository)
        # Now in the file, and no outside id any more.
        self.check(repository / ".git", f"--base={older}")

    def test_a_partial_clone(self):
        source, clone = self.directory / "source", self.directory / "clone"
        make_repository(source, "sha1")
        run("git", "config", "uploadpack.allowFilter", "true", cwd=source)
        run("git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{source}", clone)
        path = self.directory / "file.zpack"
        run(PROGRAM, "convert", "-q", "--allow-promised", clone, path)
        listed = run("git", "rev-list", "--objects", "--all", "--missing=print", cwd=clone).stdout.decode().split("\n")
        file = read_zpack.ZpackFile(path)
        file.read_index()
        remotes, promised = read_zpack.container.promised_objects(file.chunk(b"PROM"), 20, file.ids)
        self.assertEqual([name for name, *_ in remotes], [b"origin"])
        self.assertLessEqual({line[1:] for line in listed if line.startswith("?")}, {found.hex() for found in promised})
        self.assertEqual(what_the_reader_says(path), "")


def blocks_of(path):
    file = read_zpack.ZpackFile(path)
    group = read_zpack.blocks.Group()
    for at in range(len(file.rows) - 1):
        yield file.block(at, group)


def conformance_list():
    """The patterns of the tables in FORMAT.md, "Conformance", by folder."""
    text = (ROOT / "FORMAT.md").read_text("utf-8")
    section = text[text.index("\n## Conformance\n"):]
    section = section[:section.index("\n## ", 2)]
    accept, refuse = re.split(r"\n### .*refuse.*\n", section)
    return {"accept": re.findall(r"`([^` ]+)`", table_rows(accept)),
            "refuse": re.findall(r"`([^` ]+)`", table_rows(refuse))}


def table_rows(text):
    """The last cells of all rows."""
    return "\n".join(line.rstrip("| ").rsplit("|", 1)[-1] for line in text.splitlines() if line.startswith("|"))


class ConformanceTest(InDirectory):
    def setUp(self):
        super().setUp()
        shutil.copy(GOLDEN / make_files.below_files.BASE, self.directory)

    def program(self, path):
        return run(PROGRAM, "verify", "-q", "--level=objects", path, check=False)

    def test_files_to_accept(self):
        for name, data in make_files.accepted():
            with self.subTest(name):
                path = self.directory / "file.zpack"
                path.write_bytes(data)
                self.assertEqual(what_the_reader_says(path), "")
                done = self.program(path)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_to_refuse(self):
        for name, data, message in make_files.refused():
            with self.subTest(name):
                path = self.directory / "file.zpack"
                path.write_bytes(data)
                self.assertIn(message, what_the_reader_says(path))
                # What needs another program or another file is not damaged.
                other = ("needs a newer git-zpack" in message or "draft" in message
                         or name == "files-below/another-file")
                self.assertEqual(self.program(path).returncode, 128 if other else 1)

    def test_the_list_has_every_file_and_no_other(self):
        listed = conformance_list()
        golden, drafts = ({str(path.relative_to(ROOT)) for path in (GOLDEN.parent / folder).glob("*.zpack")}
                          for folder in ("v1", "drafts"))
        for folder, files in (("accept", golden | {name for name, _ in make_files.accepted()}),
                              ("refuse", drafts | {name for name, *_ in make_files.refused()})):
            found = {pattern: set(fnmatch.filter(files, pattern)) for pattern in listed[folder]}
            self.assertEqual([pattern for pattern, names in found.items() if not names], [])
            self.assertEqual(files - set().union(*found.values()), set())


class CompanionTest(unittest.TestCase):
    def test_is_short(self):
        lines = sum(path.read_bytes().count(b"\n") for path in READER.parent.glob("*.py"))
        self.assertLess(lines, 910)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
