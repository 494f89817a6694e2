# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile archives below exec: settings that name programs, hooks, attributes, alternates,
odd names of refs and of the archive itself. Nothing of an archive runs, and nothing is
written outside of the cache."""

import os
import pathlib
import random
import shutil
import stat

from .harness import Table, Target

COMMANDS = [["git", "log", "-p", "--all", "-n", "20"], ["git", "show", "HEAD"],
            ["git", "for-each-ref"], ["git", "grep", "-e", "line", "HEAD", "--"],
            ["git", "blame", "HEAD", "--", "file1"], ["git", "fsck", "--connectivity-only"],
            ["git", "archive", "HEAD"], ["git", "describe", "--always"], ["git", "x"],
            ["git", "branch", "-a"], ["git", "config", "--list"], ["git", "rev-parse", "HEAD"],
            ["git", "diff", "HEAD~3", "HEAD"], ["git", "ls-tree", "-r", "HEAD"],
            ["git", "cat-file", "--batch-check", "--batch-all-objects"], ["log", "--oneline"],
            ["git", "gc"], ["git", "fetch"], ["git", "submodule", "status"],
            ["git", "log", "--textconv", "--ext-diff", "-p", "-n", "3"]]

NAMES = ["plain", "a b", "quote\"", "back\\slash", "line\nfeed", "$(touch ran)", "`touch ran`",
         ";touch ran;", "--upload-pack=touch ran", "#hash", "[core]", "é", "'single'", "a\\",
         "tab\t", "%0a", "%00", "x::y", "file:", "a\r", "=", "*?", "~", ".zpack", "\x7f"]


class Execution:
    def __init__(self, target: Target, table: Table):
        self.target = target
        self.table = table
        self.base = target.make_repository("base.git", 25)
        self.work = target.directory / "work"
        self.marker = target.directory / "ran"
        self.evil = target.directory / "evil"
        self.evil.write_text(f"#!/bin/sh\ntouch {self.marker}\ncat\n")
        self.evil.chmod(0o755)

    def run(self) -> None:
        first = self.target.options.first
        number = first
        while self.target.more(number - first):
            self.once(number)
            number += 1

    def settings(self, chance: random.Random) -> str:
        """Settings with which Git would run a program or read other files."""
        evil = os.fspath(self.evil)
        lines = [f"[core]\n\tfsmonitor = {evil}", f"[core]\n\thooksPath = {evil}.d",
                 f"[core]\n\tpager = {evil}", f"[core]\n\tsshCommand = {evil}",
                 f"[core]\n\teditor = {evil}", f"[core]\n\talternateRefsCommand = {evil}",
                 f"[core]\n\tgitProxy = {evil}", "[core]\n\tworktree = /",
                 f"[core]\n\taskPass = {evil}", f"[alias]\n\tx = !{evil}",
                 f"[alias]\n\tlog = !{evil}", f"[diff]\n\texternal = {evil}",
                 f"[diff \"evil\"]\n\ttextconv = {evil}\n\tcommand = {evil}",
                 f"[filter \"evil\"]\n\tsmudge = {evil}\n\tclean = {evil}\n\tprocess = {evil}",
                 f"[include]\n\tpath = {evil}.config",
                 f"[includeIf \"gitdir:/\"]\n\tpath = {evil}.config",
                 f"[includeIf \"onbranch:**\"]\n\tpath = {evil}.config",
                 f"[remote \"origin\"]\n\turl = ext::{evil}\n\tuploadpack = {evil}\n"
                 f"\tvcs = {evil}\n\tpromisor = true",
                 f"[uploadpack]\n\tpackObjectsHook = {evil}", f"[gpg]\n\tprogram = {evil}",
                 f"[credential]\n\thelper = !{evil}", f"[pager]\n\tlog = {evil}",
                 f"[sequence]\n\teditor = {evil}", "[extensions]\n\tworktreeConfig = true",
                 f"[url \"ext::{evil} \"]\n\tinsteadOf = zpack::",
                 f"[submodule \"m\"]\n\turl = ext::{evil}\n\tupdate = !{evil}",
                 f"[gc]\n\trecentObjectsHook = {evil}\n\tauto = 1",
                 f"[fetch]\n\tbundleURI = {evil}", f"[trace2]\n\teventTarget = {evil}.trace",
                 f"[merge \"evil\"]\n\tdriver = {evil}", f"[man]\n\tviewer = {evil}"]
        return "\n".join(chance.sample(lines, chance.randrange(1, 12))) + "\n"

    def hostile(self, chance: random.Random) -> pathlib.Path:
        repository = self.work / "hostile.git"
        shutil.copytree(self.base, repository)
        evil = os.fspath(self.evil)
        if chance.random() < 0.6:  # attributes and modules in the history
            text = "* filter=evil diff=evil merge=evil text eol=crlf ident\n"
            modules = f"[submodule \"../../x\"]\n\tpath = m\n\turl = ext::{evil}\n" \
                f"\tupdate = !{evil}\n"
            data = f"commit refs/heads/main\ncommitter A <a@b.c> 2000000000 +0000\n" \
                f"data 1\nm\nfrom refs/heads/main^0\nM 644 inline .gitattributes\n" \
                f"data {len(text)}\n{text}\nM 644 inline .gitmodules\ndata {len(modules)}\n" \
                f"{modules}\nM 160000 {'1' * 40} m\nM 120000 inline link\ndata 12\n" \
                f"../../../ran\n\n"
            self.target.git("-C", repository, "fast-import", "--quiet", data=data.encode())
        tip = self.target.git("-C", repository, "rev-parse", "HEAD").decode().strip()
        names = ["refs/heads/-rf", "refs/heads/$(touch-ran)", "refs/heads/;touch;ran",
                 "refs/heads/a\"b", "refs/heads/" + "n" * 200, "refs/replace/" + tip,
                 "refs/heads/HEAD", "refs/heads/refs/heads/main", "refs/odd/é", "refs/stash",
                 "refs/heads/--upload-pack=x", "refs/heads/@", "refs/heads/`x`", "refs/notes/x"]
        for name in chance.sample(names, chance.randrange(1, 8)):
            self.target.run("git", "-C", repository, "update-ref", name, f"{tip}~1")
        for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "post-merge",
                     "fsmonitor-watchman", "post-index-change", "proc-receive", "update"):
            path = repository / "hooks" / name
            path.parent.mkdir(exist_ok=True)
            shutil.copy(self.evil, path)
        (repository / "info").mkdir(exist_ok=True)
        (repository / "info/attributes").write_text("* filter=evil diff=evil\n")
        if chance.random() < 0.3:
            (repository / "objects/info").mkdir(exist_ok=True)
            (repository / "objects/info/alternates").write_text(f"{self.base}/objects\n")
        config = repository / "config"
        plain = config.read_text()
        config.write_text(plain + self.settings(chance))
        return repository

    def snapshot(self) -> dict[str, tuple]:
        """What is in the directory, but for the cache and what Git writes itself."""
        found = {}
        for root, directories, files in os.walk(self.work):
            if root == os.fspath(self.work) and "cache" in directories:
                directories.remove("cache")
            for name in [*directories, *files]:
                status = os.lstat(os.path.join(root, name))
                found[os.path.join(root, name)] = (
                    status.st_mode, status.st_size if stat.S_ISREG(status.st_mode) else 0,
                    status.st_mtime_ns if stat.S_ISREG(status.st_mode) else 0)
        return found

    def once(self, number: int) -> None:
        chance = self.target.chance("exec", number)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        kind = "exec"
        file = self.work / f"{chance.choice(NAMES)}.zpack"
        repository = self.hostile(chance)
        env = self.target.env(XDG_CACHE_HOME=os.fspath(self.work / "cache"))
        done = self.target.run(self.target.zpack, "convert", "-q", repository, file, env=env)
        if done.code != 0:  # the settings or refs cannot be read
            self.table.add(kind, "not converted", done)
            return
        if self.marker.exists():
            self.table.finding(kind, number, "convert ran something")
            self.marker.unlink()
        shutil.rmtree(repository)
        if self.target.options.editor and chance.random() < 0.3:
            edited = self.work / "edited"
            self.target.run(self.target.options.editor, str(chance.randrange(2**31)), file,
                            edited)
            if edited.exists():
                edited.rename(file)
                kind = "exec, edited"
        before = self.snapshot()
        for words in chance.sample(COMMANDS, 4):
            if chance.random() < 0.2:
                words = ["--all", *words]
                command = [self.target.zpack, "exec", "--all", file, *words[1:]]
            else:
                command = [self.target.zpack, "exec", file, *words]
            done = self.target.run(*command, env=env, cwd=self.work)
            if not self.table.check(kind, number, done, [file]):
                continue
            if self.marker.exists():
                self.table.finding(kind, number, f"{words} ran a program", [file])
                self.marker.unlink()
            elif done.code == 0:
                self.table.add(kind, "done", done)
            elif done.err or words[-1] == "--":
                self.table.add(kind, "refused", done)
            else:
                self.table.add(kind, f"exit code {done.code}", done)
        if self.snapshot() != before:
            now = self.snapshot()
            changed = [path for path in {*now, *before} if now.get(path) != before.get(path)]
            self.table.finding(kind, number, f"changed: {changed[:3]}", [file])


def attack(target: Target, table: Table) -> None:
    Execution(target, table).run()
