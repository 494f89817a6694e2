# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The repository that the tests of 'git zpack mount' show."""

import os
import pathlib
import random
import subprocess

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null",
               "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
               "GIT_AUTHOR_DATE": "1700000000 +0100",
               "GIT_COMMITTER_DATE": "1700000000 +0100"}
for who in ("AUTHOR", "COMMITTER"):
    ENVIRONMENT |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.com"}


class Repository:
    """A repository with files of every kind."""

    def __init__(self, path, *options):
        self.path = path
        subprocess.run(["git", "init", "-q", "-b", "main", *options, path],
                       check=True, env=ENVIRONMENT)

    def git(self, *arguments, data=None):
        return subprocess.run(
            ["git", "-C", self.path, *arguments], check=True, env=ENVIRONMENT,
            input=data, stdout=subprocess.PIPE).stdout.strip().decode()

    def fill(self):
        (self.path / "deep/er/still").mkdir(parents=True)
        (self.path / "text").write_text("line\n" * 100)
        (self.path / "empty").touch()
        (self.path / "run").write_text("#!/bin/sh\n")
        (self.path / "run").chmod(0o755)
        (self.path / "link").symlink_to("deep/er")
        (self.path / "dangling").symlink_to("nowhere")
        (pathlib.Path(os.fsencode(self.path).decode()) / "deep/er/still/x").write_text("x")
        with open(os.fsencode(self.path) + b"/na\xefve", "w") as file:
            file.write("not UTF-8")
        for i in range(60):
            (self.path / f"deep/file-{i:02}").write_text(f"{i}\n" * (i * 20))
        # In segments, if blocks are small.
        self.random = random.Random(1).randbytes(150_000)
        (self.path / "random").write_bytes(self.random)
        (self.path / "large").write_bytes(b"".join(b"%09d\n" % i for i in range(200_000)))
        self.git("add", "-A")
        # A submodule.
        self.git("update-index", "--add", "--cacheinfo", "160000," + "12" *
                 (len(self.git("hash-object", "empty")) // 2) + ",deep/module")
        self.git("commit", "-q", "-m", "first")
        return self
