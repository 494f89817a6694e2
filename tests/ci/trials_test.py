#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Small forms of the long proofs: tools/dev/many-repositories and tools/dev/power-cut
find nothing with git-zpack, and do find what a program loses that is broken on purpose.

    trials_test.py GIT_ZPACK RECORD_LIBRARY [unittest options]
"""

import pathlib
import shlex
import shutil
import sys
import tempfile
import unittest

import ci_test
from ci_test import SOURCE, run

RECORD = None
COMMANDS = ("convert-force", "chain", "repair-in-place", "restore-force", "repack", "cache")


def git(repository, *words, **more):
    return run("git", "-C", repository, *words, cwd="/", **more).stdout.strip()


class TrialsTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def make_repository(self, name):
        """A repository with a reflog, a tag, an unreachable object and a cruft pack."""
        path = self.directory / f"{name}.git"
        git("/", "init", "--quiet", "--bare", "--initial-branch=main", path)
        git(path, "config", "core.logAllRefUpdates", "always")
        parent = []
        for number in range(4):
            blob = git(path, "hash-object", "-w", "--stdin", stdin=f"{name} {number}\n" * 50)
            tree = git(path, "mktree", stdin=f"100644 blob {blob}\tfile\n")
            commit = git(path, "commit-tree", tree, "-m", f"commit {number}", *parent)
            git(path, "update-ref", "-m", "step", "refs/heads/main", commit)
            parent = ["-p", commit]
        git(path, "tag", "-a", "-m", "tag", "v1", "main")
        git(path, "hash-object", "-w", "--stdin", stdin="nothing needs it\n")
        git(path, "repack", "-a", "-d", "-q")
        return path

    def many(self, program, *names):
        list_file = self.directory / "list"
        list_file.write_text("# names\none - small\ntwo - small\n")
        return run(sys.executable, SOURCE / "tools/dev/many-repositories", "--program", program,
                   list_file, self.directory, *names, cwd=self.directory, check=False)

    def broken(self, command, damage):
        """A program that does something else after a command of git-zpack has ended. In
        'damage', $last is the last argument."""
        program = self.directory / f"broken-{command}"
        program.write_text(f"#!/bin/bash\nset -e\n{shlex.quote(str(ci_test.PROGRAM))} \"$@\"\n"
                           f"last=${{!#}}\nif [[ $1 == {command} ]]; then {damage}; fi\n")
        program.chmod(0o755)
        return program

    def test_many_repositories(self):
        for name in ("one", "two"):
            self.make_repository(name)
        done = self.many(ci_test.PROGRAM)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(" passed "), 2)
        for command, damage, finding in (
                ("restore", 'git -C "$last" update-ref -d refs/tags/v1', "refs: 1 lost"),
                ("restore", 'rm -r "$last/logs"', "reflogs: "),
                ("restore", 'git -C "$last" repack -a -d -q', "objects: 1 lost"),
                ("repack", 'git -C "$last" prune', "objects after repack -A -d, compared"),
                ("restore", 'git -C "$last" hash-object -w --stdin <<< more > /dev/null',
                 "objects that were not there: 1 lost")):
            done = self.many(self.broken(command, damage), "one")
            self.assertEqual(done.returncode, 1, damage)
            self.assertIn(finding, done.stdout)

    def power_cut(self, *options):
        return run(sys.executable, SOURCE / "tools/dev/power-cut", "--program", ci_test.PROGRAM,
                   "--record", RECORD, *options, cwd=self.directory, check=False)

    def test_power_cuts(self):
        done = self.power_cut("--states", "25", *COMMANDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1 + len(COMMANDS))
        for kind, command in (("sync-file", "chain"), ("sync-directory", "repack"),
                              ("sync-all", "restore-force")):
            done = self.power_cut("--lose", kind, "--states", "50", command)
            self.assertEqual(done.returncode, 1, f"{kind} {command}: {done.stderr}")


if __name__ == "__main__":
    ci_test.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    RECORD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
