# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile surroundings: little memory, stack, few descriptors, processes, small files,
full disks, no rights, no /proc, closed streams, a directory that is gone.

What must hold: the command does its work, or says why not; what it leaves is whole."""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess

from raids.common import Raid, ended_by_library, random_history, snapshot

NOBODY = 65534
# A command, what it reads, what it makes, and whether it makes a repository.
COMMANDS = {
    "convert": ("convert -q --level 1 {made}/new.git {out}/x.zpack", "x.zpack"),
    "update": ("convert -q --update {made}/new.git {out}/old.zpack", "old.zpack"),
    "verify": ("verify {made}/new.zpack", ""),
    "connectivity": ("verify --level connectivity --threads 8 {made}/new.zpack", ""),
    "attest": ("attest --level connectivity {made}/new.zpack", ""),
    "against": ("verify --against {made}/new.git {made}/new.zpack", ""),
    "restore": ("restore -q {made}/new.zpack {out}/r.git", "r.git"),
    "force": ("restore -q --force {made}/new.zpack {out}/old.git", "old.git"),
    "bundle": ("restore -q --bundle {out}/x.bundle {made}/new.zpack", "x.bundle"),
    "checkout": ("restore -q --checkout {made}/new.zpack {out}/tree", "tree"),
    "repack": ("repack -q -a -d -F {out}/old.git", "old.git"),
    "repack-copies": ("repack -q -d {out}/old.git", "old.git"),
    "salvage": ("salvage -q {made}/new.zpack {out}/r.git", "r.git"),
    "protect": ("protect -q {out}/old.zpack", "old.zpack"),
    "protect-beside": ("protect -q --beside {out}/old.zpack", "old.zpack"),
    "repair": ("repair -q --in-place {out}/bad.zpack", "bad.zpack"),
    "archive": ("archive -o {out}/x.tar.zst {made}/new.zpack HEAD", "x.tar.zst"),
    "show": ("show --stats {made}/new.zpack", ""),
    "list-refs": ("list-refs {made}/new.zpack", ""),
    "cat-file": ("cat-file --batch-check --batch-all-objects {made}/new.zpack", ""),
    "contents": ("cat-file --batch --batch-all-objects --buffer {made}/new.zpack", ""),
    "rev-list": ("rev-list --objects --all {made}/new.zpack", ""),
    "grep": ("grep -c a {made}/new.zpack HEAD", ""),
    "history": ("grep --all-history -F the {made}/new.zpack", ""),
    "log": ("log --all --raw {made}/new.zpack", ""),
    "changes": ("log --all -Sa --oneline {made}/new.zpack", ""),
    "ls-tree": ("ls-tree -r {made}/new.zpack HEAD", ""),
    "diff": ("diff {made}/old.zpack {made}/new.zpack", ""),
    "report": ("report {made}/new.git", ""),
    "page": ("report --html {out}/x.html {made}/new.zpack", "x.html"),
    "list-files": ("list-files {made}/new.zpack", ""),
    "version": ("version --build-options", ""),
}


class LimitsRaid(Raid):
    def prepare(self) -> None:
        made = self.made
        self.new = random_history(self, made / "new.git", 30, self.seed)
        self.old = random_history(self, made / "old.git", 12, self.seed)
        for name in ("new", "old"):
            self.must("convert", "-q", "--level", "1", "--block-size", "16k",
                      made / f"{name}.git", made / f"{name}.zpack")
        shutil.copyfile(made / "old.zpack", made / "bad.zpack")
        self.must("protect", "-q", "--redundancy", "30%", made / "bad.zpack")
        self.safe = (made / "bad.zpack").read_bytes()
        data = bytearray(self.safe)
        data[len(data) // 2:len(data) // 2 + 600] = bytes(600)
        (made / "bad.zpack").write_bytes(data)
        self.right: dict[str, bytes] = {}
        for directory in (made.parent, made):
            directory.chmod(0o755)
        self.least = 8 << 20
        while subprocess.run([self.zpack, "--version"], check=False, capture_output=True,
                             preexec_fn=self.limit(resource.RLIMIT_AS, self.least),
                             env=self.environment).returncode != 0:
            self.least += 8 << 20
            if self.least > 1 << 32:
                break  # a program with sanitizers
        self.root = os.geteuid() == 0

    @staticmethod
    def limit(which: int, value: int):
        return lambda: resource.setrlimit(which, (value, value))

    def expected(self, name: str) -> bytes | None:
        """What the command prints without limits."""
        if name not in self.right:
            text, made = COMMANDS[name]
            done = subprocess.run([self.zpack, *text.format(made=self.made, out="").split()],
                                  check=False, env=self.environment, capture_output=True)
            self.right[name] = done.stdout
        return self.right[name]

    def try_command(self, chance: random.Random, prepare=None, codes=(0, 1, 128),
                    names: list[str] | None = None, prefix=(), prints: bool = True,
                    **options) -> None:
        name = chance.choice(names or list(COMMANDS))
        text, target = COMMANDS[name]
        out = self.work / "out"
        if not out.exists():
            out.mkdir()
        for start in ("old.zpack", "bad.zpack"):
            shutil.copyfile(self.made / start, out / start)
        shutil.copytree(self.old, out / "old.git")
        if prefix and prefix[0] == "setpriv":
            self.give_away(out)
        before = snapshot(out)
        arguments = text.format(made=self.made, out=out).split()
        if chance.randrange(3) == 0 and "--threads" not in arguments:
            arguments[1:1] = ["--threads", str(chance.choice((1, 2, 16, 64)))]
        if arguments[0] in ("show", "list-refs", "cat-file", "rev-list", "ls-tree", "diff",
                            "list-files", "version", "archive"):
            arguments = [a for i, a in enumerate(arguments)
                         if a != "--threads" and (i == 0 or arguments[i - 1] != "--threads")]
        done = self.run_in(prefix, arguments, codes, preexec_fn=prepare, **options)
        if not ended_by_library(done):
            self.check(name, target, out, before, done, prints)

    def run_in(self, prefix, arguments, codes, preexec_fn, **options):
        if not prefix:
            return self.run(*arguments, codes=codes, preexec_fn=preexec_fn, **options)
        zpack = self.zpack
        self.zpack = prefix[0]
        try:
            return self.run(*prefix[1:], zpack, *arguments, codes=codes,
                            preexec_fn=preexec_fn, **options)
        finally:
            self.zpack = zpack

    def give_away(self, path: pathlib.Path) -> None:
        for directory, names, files in os.walk(path):
            for name in names + files:
                os.chown(os.path.join(directory, name), NOBODY, NOBODY, follow_symlinks=False)
        os.chown(path, NOBODY, NOBODY)

    def check(self, name: str, target: str, out: pathlib.Path, before: dict, done,
              prints: bool) -> None:
        text = done.stderr or b""
        if prints and done.returncode == 0 and name not in ("protect", "report", "page", "against",
                                                 "version") and \
                not target and done.stdout is not None:
            want = self.expected(name)
            self.expect(done.stdout == want, f"'{name}' printed something else", text + b"\n" +
                        (done.stdout[:500] if done.stdout else b""))
        now = snapshot(out)
        tops = {entry.split("/")[0] for entry in now}
        allowed = {"old.zpack", "bad.zpack", "old.git"} | ({target} if target else set())
        if target.endswith(".zpack"):
            allowed |= {f".{target}.zpack-tmp"}
        if name == "protect-beside":
            allowed |= {"old.zpack.zpar"}
        left = tops - allowed
        self.expect(not left, f"'{name}' left {sorted(left)}", text)
        changed = {entry.split("/")[0] for entry in now.keys() | before.keys()
                   if now.get(entry) != before.get(entry)}
        if done.returncode != 0 and name not in ("repack", "repack-copies", "checkout"):
            for entry in changed & {"old.zpack", "bad.zpack", "old.git"}:
                if b"is restored, but" not in text and b"sync" not in text:
                    self.finding(f"'{name}' failed and changed '{entry}'", text)
        path = out / target
        if not target or not path.exists():
            self.expect(done.returncode != 0 or not target, f"'{name}' made nothing", text)
            return
        if target.endswith(".zpack"):
            good = subprocess.run([self.zpack, "verify", path], check=False,
                                  env=self.environment, capture_output=True).returncode == 0
            self.expect(good or (name == "repair" and done.returncode != 0),
                        f"'{name}' left a bad file", text)
        elif target.endswith(".git") or target == "tree":
            checked = subprocess.run(
                ["git", "-C", path, "-c", "safe.directory=*", "fsck", "--full"], check=False,
                env=self.environment, capture_output=True)
            self.expect(checked.returncode == 0, f"'{name}' left a broken repository",
                        text + checked.stderr)
        elif target.endswith(".bundle"):
            self.expect(done.returncode == 0, f"'{name}' left a file", text)
            checked = subprocess.run(["git", "bundle", "verify", path], cwd=self.new,
                                     check=False, env=self.environment, capture_output=True)
            self.expect(checked.returncode == 0, "a bad bundle", checked.stderr)
        elif target.endswith(".zst"):
            self.expect(done.returncode == 0, f"'{name}' left a file", text)

    # Attacks.

    def memory(self, chance: random.Random) -> None:
        if self.least > 1 << 32:
            return
        more = chance.choice((2, 16, 64, 256, 1024))
        self.try_command(chance, self.limit(
            resource.RLIMIT_AS, self.least + chance.randrange(more << 20)))

    def stack(self, chance: random.Random) -> None:
        self.try_command(chance, self.limit(
            resource.RLIMIT_STACK, chance.choice((64, 128, 256, 512, 8192, 2**20)) << 10))

    def descriptors(self, chance: random.Random) -> None:
        self.try_command(chance, self.limit(resource.RLIMIT_NOFILE, chance.randrange(4, 40)),
                         codes=(0, 1, 127, 128))

    def file_size(self, chance: random.Random) -> None:
        self.try_command(chance, self.limit(
            resource.RLIMIT_FSIZE, chance.randrange(chance.choice((10, 1000, 30_000, 200_000)))))

    def processes(self, chance: random.Random) -> None:
        if self.root:
            self.try_command(chance, prefix=["setpriv", f"--reuid={NOBODY}", "--clear-groups",
                                             "prlimit", f"--nproc={chance.randrange(1, 12)}"],
                             codes=(0, 1, 126, 128), sentences=(0, 1, 2, 3))

    def streams(self, chance: random.Random) -> None:
        closed = [number for number in (0, 1, 2) if chance.randrange(2)]
        full = chance.randrange(3) == 0

        def prepare() -> None:
            for number in closed:
                os.close(number)
        with open("/dev/full", "wb") as device:
            options = {"stdout": device, "stderr": subprocess.PIPE} if full else {}
            if 1 in closed or 2 in closed or full:
                options.setdefault("stdout", subprocess.PIPE)
                options["stderr"] = subprocess.PIPE
            self.try_command(chance, prepare, names=[
                name for name in COMMANDS if name != "checkout"], sentences=(0, 1),
                prints=1 not in closed, **options)

    def pipes(self, chance: random.Random) -> None:
        """A reader of the output that goes away."""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            self.try_command(chance, codes=(0, 1, 128, -signal.SIGPIPE), stdout=writing,
                             stderr=subprocess.PIPE)
        finally:
            os.close(writing)

    def rights(self, chance: random.Random) -> None:
        """Another user, and files that this user may not read or write."""
        if not self.root:
            return
        out = self.work / "out"
        out.mkdir()
        source = self.made / "new.git"
        closed = chance.choice((source / "objects", source / "refs", source / "config", source,
                                source / "HEAD", source / "packed-refs", self.made / "new.zpack",
                                source / "objects/pack", None, None))
        mode = closed.stat().st_mode & 0o777 if closed and closed.exists() else None
        try:
            if mode is not None:
                closed.chmod(chance.choice((0, 0o100, 0o400)))
            self.work.chmod(0o755)
            self.try_command(chance, prefix=["setpriv", f"--reuid={NOBODY}", "--clear-groups"],
                             sentences=(1, 2))
        finally:
            if mode is not None:
                closed.chmod(mode)

    def full_disk(self, chance: random.Random) -> None:
        if not self.root:
            return
        out = self.work / "out"
        out.mkdir()
        size = chance.choice((200, 260, 300, 400, 600))
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k,mode=755", "raid",
                               out], check=False, capture_output=True)
        if done.returncode != 0:
            return
        try:
            self.try_command(chance, sentences=(1, 2))
        except OSError:
            pass  # not even room for what the command starts from
        finally:
            subprocess.run(["umount", out], check=True)

    def no_proc(self, chance: random.Random) -> None:
        if self.root:
            self.try_command(chance, prefix=[
                "unshare", "-m", "sh", "-c",
                'mount -t tmpfs none /proc && exec "$@"', "sh"], codes=(0, 1, 128))

    def surroundings(self, chance: random.Random) -> None:
        """Environment, umask, ignored signals, and a current directory that is gone."""
        environment = dict(self.environment)
        for name in ("HOME", "PATH", "LC_ALL", "XDG_CACHE_HOME"):
            if chance.randrange(3) == 0:
                environment.pop(name)
        environment |= chance.choice((
            {"TMPDIR": "/missing"}, {"HOME": "/missing"}, {"PATH": ""}, {"LC_ALL": "xx_YY"},
            {"HOME": ""}, {"COLUMNS": "-1"}, {"GIT_DIR": "/missing"}, {"TZ": "\x1b[2J"},
            {"GIT_CONFIG_COUNT": "x"}, {"GIT_CONFIG_PARAMETERS": "'"},
            {"GIT_OBJECT_DIRECTORY": "/missing"}, {"GIT_ALTERNATE_OBJECT_DIRECTORIES": ":::"}))
        gone = self.work / "gone"
        gone.mkdir()
        mask = chance.choice((0o022, 0, 0o777, 0o477))
        leave = chance.randrange(2)

        def prepare() -> None:
            os.umask(mask)
            if leave:
                os.chdir(gone)
                os.rmdir(gone)
            for number in (signal.SIGPIPE, signal.SIGCHLD, signal.SIGTERM):
                if mask:
                    signal.signal(number, signal.SIG_IGN)
        self.try_command(chance, prepare, env=environment, sentences=(1, 2))

    def attacks(self):
        return [self.memory, self.descriptors, self.file_size, self.streams, self.rights,
                self.full_disk, self.stack, self.processes, self.no_proc, self.pipes,
                self.surroundings, self.memory]


def make(options, directory: pathlib.Path) -> Raid:
    raid = LimitsRaid("limits", options, directory)
    raid.prepare()
    return raid
