#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs tools/examples/nightly-backup, the script for cron.

    nightly_test.py GIT_ZPACK [unittest options]
"""

import pathlib
import shutil
import sys
import unittest

import ci_test
from ci_test import SOURCE, run


class NightlyTest(ci_test.CiTest):
    def setUp(self):
        super().setUp()
        self.backup = self.directory / "backup"
        self.backup.mkdir()

    def nightly(self, **variables):
        return run(SOURCE / "tools/examples/nightly-backup", self.directory, self.backup,
                   cwd=self.directory, check=False, **variables)

    def test_only_a_damaged_file_is_put_aside(self):
        self.assertEqual(self.nightly().returncode, 0)
        # In cron, PATH is short.
        programs = self.directory / "programs"
        programs.mkdir()
        for name in ("basename", "flock"):
            (programs / name).symlink_to(shutil.which(name))
        program = programs / "git-zpack"
        for script, complaint in ((None, "git-zpack is not in PATH="),
                                  ("kill -9 $$", "could not be verified (exit code 137)")):
            if script:
                program.write_text(f"#!/bin/bash\n{script}\n")
                program.chmod(0o755)
            done = self.nightly(PATH=str(programs))
            self.assertEqual(done.returncode, 1)
            self.assertIn(complaint, done.stderr)
            self.assertEqual([path.name for path in self.backup.glob("project*")],
                             ["project.zpack"])
        # This file does not even begin as one.
        (self.backup / "project.zpack").write_bytes(b"")
        done = self.nightly()
        self.assertIn("project.zpack could not be verified; kept as ", done.stderr)
        self.assertEqual(self.nightly().returncode, 0)

    def test_directories_must_exist(self):
        self.repository.rename(self.directory / "project")
        self.assertIn("no repository is named ", self.nightly().stderr)
        self.backup.rmdir()
        done = self.nightly()
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a directory: ", done.stderr)

    def test_script(self):
        run("git", "branch", "gone", cwd=self.repository)
        file = self.backup / "project.zpack"
        for _ in range(2):
            done = self.nightly()
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.verify("--against", self.repository, file, check=True)
        run("git", "commit-tree", "-m", "new", "HEAD^{tree}", cwd=self.repository)
        self.assertEqual(self.nightly().returncode, 0)
        self.verify("--against", self.repository, file, check=True)

        damaged = self.damaged(file)
        file.write_bytes(damaged)
        done = self.nightly()
        self.assertEqual(done.returncode, 1)
        self.assertIn("project.zpack is damaged; kept as ", done.stderr)
        self.assertEqual((self.backup / "project.zpack.damaged").read_bytes(), damaged)
        self.verify("--against", self.repository, file, check=True)
        self.assertEqual(self.nightly().returncode, 0)

        # An earlier damaged file stays, and the parity goes with its file.
        run(ci_test.PROGRAM, "protect", "-q", "--beside", file, cwd=self.directory)
        file.write_bytes(self.damaged(file))
        done = self.nightly()
        self.assertIn("project.zpack is damaged; kept as ", done.stderr)
        self.assertEqual((self.backup / "project.zpack.damaged").read_bytes(), damaged)
        run(ci_test.PROGRAM, "repair", "-q", self.backup / "project.zpack.damaged.1", cwd=self.directory)
        self.verify("--against", self.repository, file, check=True)
        self.assertEqual(self.nightly().returncode, 0)

        # What the repository loses stays in an older file.
        older = file.read_bytes()
        run("git", "branch", "-D", "gone", cwd=self.repository)
        done = self.nightly()
        self.assertEqual(done.returncode, 1)
        self.assertIn("which had 1 ref ", done.stderr)
        kept = list(self.backup.glob("project.zpack.2*"))
        self.assertEqual([path.read_bytes() for path in kept], [older])
        self.assertIn(f"the older file is kept as {kept[0]}", done.stderr)
        self.verify("--against", self.repository, file, check=True)
        self.assertEqual(self.nightly().returncode, 0)

        objects = self.repository / "objects"
        shutil.move(objects, self.directory / "away")
        done = self.nightly()
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be converted", done.stderr)


if __name__ == "__main__":
    ci_test.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
