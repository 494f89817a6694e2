# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Starts the Git on PATH and git-zpack without the settings of whoever runs the tests,
asks that Git what it knows, and takes repositories through git-zpack."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path()  # git-zpack; main() of a test sets it
# What is not a matter of the copy. FORMAT.md says what a file leaves out.
SETTINGS_OF_A_COPY = re.compile(
    r"core\.(bare|filemode|ignorecase|precomposeunicode|repositoryformatversion|symlinks|worktree)="
    r"|extensions\.|lfs\.storage=")


def environment(**more):
    """The Git that ctest put first on PATH is found after our programs."""
    kept = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file:zpack:http:ssh",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com",
            "GIT_AUTHOR_DATE": "1700000000 +0100", "GIT_COMMITTER_DATE": "1700000000 +0100"}
    for name in ("ASAN_OPTIONS", "HOME", "LSAN_OPTIONS", "TMPDIR", "UBSAN_OPTIONS"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return kept | more


def run(*command, cwd=None, check=True, stdin=None, **variables):
    """The finished process. Output is text in which any byte survives."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=stdin,
                          capture_output=True, encoding="utf-8", errors="surrogateescape",
                          env=environment(**variables), check=False, timeout=600)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def git(*arguments, cwd=None, **options):
    return run("git", "-c", "advice.defaultBranchName=false", "-c", "gc.auto=0",
               "-c", "maintenance.auto=false", *arguments, cwd=cwd, **options).stdout


def zpack(*arguments, **options):
    return run(PROGRAM, *arguments, **options)


def version():
    """Of the Git, such as (2, 55)."""
    match = re.match(r"git version (\d+)\.(\d+)", git("version"))
    return int(match[1]), int(match[2])


def options_of(command):
    """The long options of a command of Git, without 'no-'. Git does not list those that
    only old scripts use."""
    listed = run("git", command, "--git-completion-helper-all").stdout.split()
    names = (word.removeprefix("--").removesuffix("=") for word in listed)
    return {name.removeprefix("no-") for name in names if name}


def settings_of(section):
    """The settings in `section` that the manual of the Git lists, in lower case."""
    names = run("git", "help", "--config-for-completion").stdout.splitlines()
    return {name.lower().partition(".")[2] for name in names
            if name.lower().startswith(section + ".") and not name.endswith(".")}


def source_of_git():
    """The source of the Git if tools/dev/build-git built it, or None."""
    source = pathlib.Path(shutil.which("git")).resolve().parents[1] / "source"
    return source if (source / "setup.c").exists() else None


class RepositoryTest(unittest.TestCase):
    """A directory, and the way of a repository through git-zpack."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.count = 0

    def fresh(self, name="made"):
        """A path that does not exist."""
        self.count += 1
        return self.directory / f"{name}{self.count}"

    @staticmethod
    def refs(path, *arguments):
        """Refs with what they are, and HEAD."""
        listed = git(*arguments, "-C", path, "for-each-ref",
                     "--format=%(objectname) %(refname) %(symref)")
        head = git("-C", path, "symbolic-ref", "-q", "HEAD", check=False)
        return listed, head or git("-C", path, "rev-parse", "HEAD")

    @staticmethod
    def objects(path):
        """All that is there, with alternates."""
        return set(git("-C", path, "cat-file", "--batch-all-objects", "--unordered",
                       "--batch-check=%(objectname) %(objecttype) %(objectsize)",
                       GIT_NO_LAZY_FETCH="1").splitlines())

    @staticmethod
    def settings(directory):
        """Those of the repository, which may have some for its main work tree apart."""
        lines = git("config", "--file", directory / "config", "--list").splitlines()
        if "extensions.worktreeconfig=true" in lines and (directory / "config.worktree").exists():
            lines += git("config", "--file", directory / "config.worktree", "--list").splitlines()
        return sorted(line for line in lines if not SETTINGS_OF_A_COPY.match(line))

    def expect_round_trip(self, source, *options):
        """Converts, verifies, restores and compares. Returns file and copy."""
        file, copy = self.fresh("file"), self.fresh("restored")
        zpack("convert", "-q", *options, source, file)
        zpack("verify", "-q", "--against", source, file)
        zpack("restore", "-q", "--trust", file, copy)
        self.assertEqual(self.refs(copy), self.refs(source))
        self.assertEqual(self.objects(copy), self.objects(source))
        directory = git("-C", source, "rev-parse", "--git-common-dir").strip()
        self.assertEqual(self.settings(copy),
                         self.settings(pathlib.Path(source, directory)))
        git("-C", copy, "fsck", "--full", "--no-dangling", GIT_NO_LAZY_FETCH="1")
        return file, copy

    def expect_served(self, source, file):
        """A mirror of the file has what a mirror of the repository has."""
        copies = self.fresh("ours"), self.fresh("theirs")
        for url, copy in zip((f"zpack::{file}", f"file://{source}"), copies):
            form = git("-C", source, "rev-parse", "--show-object-format").strip()
            git("init", "-q", "--bare", f"--object-format={form}", copy)
            git("-C", copy, "fetch", "-q", "--update-shallow", url, "+refs/*:refs/*")
        ours, theirs = copies
        self.assertEqual(self.refs(ours), self.refs(theirs))
        self.assertEqual(self.objects(ours), self.objects(theirs))
        git("-C", ours, "fsck", "--full", "--no-dangling")

    def expect_repacked(self, source):
        """'repack' of a copy of the git directory keeps what Git needs."""
        directory = git("-C", source, "rev-parse", "--absolute-git-dir").strip()
        common = pathlib.Path(directory, git(
            "--git-dir", directory, "rev-parse", "--git-common-dir").strip())
        copy = self.fresh("repacked")
        shutil.copytree(common, copy, symlinks=True)
        git("config", "--file", copy / "config", "core.bare", "true")
        git("config", "--file", copy / "config", "--unset-all", "core.worktree", check=False)
        zpack("repack", "-q", "-a", "-d", copy)
        git("-C", copy, "fsck", "--full", "--no-dangling")
        self.assertEqual(self.refs(copy), self.refs(common))

    def expect_refused(self, source, sentence, *options):
        done = zpack("convert", "-q", *options, source, self.fresh("refused"), check=False)
        self.assertEqual(done.returncode, 128, done.stderr)
        self.assertRegex(done.stderr, sentence)
