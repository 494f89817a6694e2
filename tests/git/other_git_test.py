#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""tools/dev/build-git builds a Git and says how to use it, and ctest lets tests start the
Git that ZPACK_GIT names.

    other_git_test.py [unittest options]
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Stands for that of Git.
MAKEFILE = """
install:
\tmkdir -p $(prefix)/bin $(prefix)/libexec/git-core
\techo "#!/bin/sh\\necho git version $$(cat version)" > $(prefix)/bin/git
\tchmod +x $(prefix)/bin/git
\ttest "$(CFLAGS)" = -Ono-curl || touch $(prefix)/libexec/git-core/git-remote-https
"""


class OtherGitTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.prefix = self.directory / "built"
        programs = self.directory / "programs"
        programs.mkdir()
        # No package is missing.
        (programs / "dpkg-query").write_text("#!/bin/sh\nprintf installed\n")
        (programs / "dpkg-query").chmod(0o755)
        self.environment = {"PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
                            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}

    def run_program(self, *command, code=0, **variables):
        done = subprocess.run([str(word) for word in command], cwd=self.directory, text=True,
                              capture_output=True, check=False, env=self.environment | variables)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def build(self, *arguments, code=0, **variables):
        return self.run_program(SOURCE / "tools/dev/build-git", *arguments, code=code, **variables)

    def make_source(self):
        self.run_program("git", "init", "-q", "source")
        source = self.directory / "source"
        (source / "Makefile").write_text(MAKEFILE)
        (source / "GIT-VERSION-GEN").write_text("")
        self.run_program("git", "-C", source, "add", ".")
        self.run_program("git", "-C", source, "commit", "-q", "-m", "first")
        self.run_program("git", "-C", source, "tag", "-a", "-m", "tag", "v9.1.0")
        return source

    def test_builds_a_version_once(self):
        if not shutil.which("make"):
            self.skipTest("no make")
        source = self.make_source()
        built = f"git version 9.1.0: ZPACK_GIT={self.prefix}/bin\n"
        self.assertIn(built, self.build(source, "v9.1.0", self.prefix))
        self.assertTrue((self.prefix / "source/Makefile").exists())
        os.unlink(self.prefix / "log")
        self.assertEqual(self.build(source, "v9.1.0", self.prefix), built)
        self.assertFalse((self.prefix / "log").exists(), "it was built again")
        self.run_program("git", "-C", source, "commit", "-q", "--allow-empty", "-m", "second")
        self.assertRegex(self.build(source, "HEAD", self.prefix), "git version 9.1.0-1-g")
        self.assertIn("built without curl", self.build(source, "v9.1.0", self.prefix, code=128, CFLAGS="-Ono-curl"))
        self.assertIn("git version 9.1.0", self.build(source, "v9.1.0", self.prefix))

    def test_says_what_is_wrong(self):
        source = self.make_source()
        for arguments in ((), (source, "HEAD"), (source, "HEAD", "relative")):
            self.assertIn("usage: ", self.build(*arguments, code=129))
        self.assertIn("no version 'v8'", self.build(source, "v8", self.prefix, code=128))
        self.prefix.mkdir()
        self.assertIn("not made by this tool", self.build(source, "HEAD", self.prefix, code=128))

    def test_ctest_starts_it(self):
        (self.directory / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(x NONE)\nenable_testing()\n"
            f"set_property(DIRECTORY PROPERTY TEST_INCLUDE_FILES {SOURCE}/tests/chosen_git.cmake)\n"
            "add_test(NAME version COMMAND git version)\n")
        self.run_program("cmake", "-S", ".", "-B", "build")
        programs = self.directory / "programs"
        (programs / "other").mkdir()
        (programs / "other/git").write_text("#!/bin/sh\necho the other Git\n")
        (programs / "other/git").chmod(0o755)
        test = ("ctest", "--test-dir", "build", "-V")
        for chosen in ({}, {"ZPACK_GIT": ""}):
            self.assertIn("git version", self.run_program(*test, **chosen))
        self.assertIn("the other Git", self.run_program(*test, ZPACK_GIT=str(programs / "other")))
        for wrong in ("programs/other", str(self.directory / "gone")):
            self.assertIn("must be the absolute path", self.run_program(*test, code=8, ZPACK_GIT=wrong))


if __name__ == "__main__":
    unittest.main()
