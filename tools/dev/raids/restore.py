# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Restores of hostile files, and to hostile places: trees that no checkout may follow,
names that lead out of the destination, damage, and a destination that changes while
the program runs.

What must hold: nothing outside of the destination changes, nothing comes back active
that was not asked for, what is there without --force stays, and what comes back is
what was in the file."""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import time

from raids.common import STUCK, Raid, random_history, snapshot, xxh3

# Names of tree entries that Git refuses to check out, and some that it takes.
TREE_NAMES = [
    b".git", b".GIT", b"..", b".", b"a/b", b"../outside/x", b"/outside", b"git~1", b"GIT~1",
    b".git ", b".git.", b".g\xe2\x80\x8cit", b".git::$INDEX_ALLOCATION", b"a\\..\\..\\b",
    b".git\\config", b".gitmodules", b".gitattributes", b".gitignore", b"", b"\n", b"-rf",
    b"con", b"x" * 255, b"x" * 300, b"\xff\xfe", b"hooks", b"objects", b"HEAD", b"config",
    b".git/hooks/post-checkout", b"\x1b[2J"]
# Names that no file of a repository may have, and some that it may have.
FILE_NAMES = [
    "../escaped", "../../escaped", "/tmp/zpack-escaped", "a/../../escaped", "./config", "a//b",
    "a/", ".git/config", "config", "CONFIG", "Config.lock", "HEAD", "head", "objects/pack/x",
    "objects/info/alternates", "refs/heads/x", "packed-refs", "hooks/post-update",
    "HOOKS/post-update", "commondir", "gitdir", "CommonDir", "reftable/x", "shallow",
    "worktrees/../x", "a\0b", "a\nb", "x.archived", "x.Archived/y", "logs/../../x",
    "lfs/objects/../../x", "info/attributes", "config.worktree", "..", ".", "a/..", "modules/x",
    "HEAD.lock", "index", ".zpack-tmp", "sequencer/x", "remotes/origin", "\x7f", "a\x1b[2J"]


class RestoreRaid(Raid):
    def prepare(self) -> None:
        made = self.made
        sizes = random.Random(self.seed).choice(((20, 10), (80, 40)))
        self.repository = random_history(self, made / "new.git", sizes[0], self.seed)
        self.old = random_history(self, made / "old.git", sizes[1], self.seed + 7)
        for name in ("new", "old"):
            self.must("convert", "-q", "--level", "1", "--block-size", "16k",
                      made / f"{name}.git", made / f"{name}.zpack")
        self.objects = set(self.listing(self.repository))
        self.refs = self.git("-C", self.repository, "for-each-ref").decode()

    def listing(self, repository: pathlib.Path) -> list[str]:
        return self.git("-C", repository, "cat-file", "--batch-all-objects",
                        "--batch-check").decode().splitlines()

    def whole(self, repository: pathlib.Path) -> bool:
        """Whether a repository holds what new.zpack does."""
        try:
            self.git("-C", repository, "fsck", "--full", "--no-dangling")
            return set(self.listing(repository)) == self.objects and \
                self.git("-C", repository, "for-each-ref").decode() == self.refs
        except (subprocess.CalledProcessError, OSError):
            return False

    # Attacks.

    def trees(self, chance: random.Random) -> None:
        """A checkout of trees that no checkout may follow."""
        source = self.work / "source"
        self.git("init", "-q", source)
        blob = self.write(source, "blob", b"#!/bin/sh\ntouch %s/hooked\n" %
                          os.fsencode(self.outside))
        link = self.write(source, "blob", chance.choice((
            os.fsencode(self.outside), b"../outside", b".git", b".git/hooks", b"/", b".")))
        bad = self.write(source, "blob", b"[core]\n\tfsmonitor = touch %s/run\n* filter=x\n" %
                         os.fsencode(self.outside))
        def entry(mode: bytes, name: bytes, value: str) -> tuple[bytes, bytes]:
            return name + (b"/" if mode == b"40000" else b""), \
                mode + b" " + name + b"\0" + bytes.fromhex(value)
        def tree(entries: list[tuple[bytes, bytes]]) -> str:
            if chance.randrange(4):
                entries.sort()
            return self.write(source, "tree", b"".join(part for _, part in entries))
        def names() -> list[bytes]:
            return chance.sample(TREE_NAMES, chance.choice((1, 1, 2, 4)))
        leaf = tree([entry(chance.choice((b"100755", b"100644", b"120000")), name, blob)
                     for name in [*names(), b"post-checkout", b"pre-commit"]])
        entries = [entry(b"100644", b"good", blob)]
        for name in names():
            kind = chance.randrange(6)
            if kind == 0:  # a link, and files below it
                entries += [entry(b"120000", name, link), entry(b"40000", name, leaf)]
            elif kind == 1:
                entries += [entry(b"120000", b"a", link),
                            entry(b"40000", chance.choice((b"a", b"A", b"a/hooks")), leaf)]
            elif kind == 2:
                entries.append(entry(b"40000", name, leaf))
            elif kind == 3:
                entries.append(entry(b"120000", name, link))
            elif kind == 4:
                entries.append(entry(chance.choice((b"160000", b"100666", b"40755", b"0")),
                                     name, blob))
            else:
                entries.append(entry(b"100644", name, bad))
        commit = self.write(source, "commit", b"tree " + tree(entries).encode() + b"\nauthor A "
                            b"<a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nm\n")
        (source / ".git/refs/heads/main").write_text(commit + "\n")
        (source / ".git/HEAD").write_text("ref: refs/heads/main\n")
        for name in ("post-checkout", "reference-transaction", "post-index-change"):
            hook = source / ".git/hooks" / name
            hook.write_text(f"#!/bin/sh\ntouch {self.outside}/hooked\n")
            hook.chmod(0o755)
        file, target = self.work / "x.zpack", self.work / "target"
        done = self.run("convert", "-q", source, file, codes=(0, 128))
        if done.returncode != 0:
            return
        self.run("verify", "--level", "connectivity", file)
        self.run("archive", "-o", self.work / "x.tar", file, "HEAD", codes=(0, 128))
        # Git says first why it refuses to check a tree out.
        done = self.run("restore", "-q", "--checkout", file, target, codes=(0, 128),
                        sentences=(1, 2))
        plain = self.work / "plain.git"
        self.run("restore", "-q", file, plain, codes=(0, 128))
        if not (target / ".git").is_dir():
            return
        for name, value in snapshot(target / ".git").items():
            if name in ("config", "index", "logs", "ORIG_HEAD") or name.startswith("logs/"):
                continue
            if snapshot(plain).get(name) != value:
                self.finding(f"the checkout made '{name}' in .git", done.stderr)

    def write(self, repository: pathlib.Path, kind: str, content: bytes) -> str:
        return self.git("-C", repository, "hash-object", "--literally", "-w", "-t", kind,
                        "--stdin", input=content).decode().strip()

    def names(self, chance: random.Random) -> None:
        """Names of files that lead out of the git directory, in a table whose checksums
        are right."""
        source = self.work / "source.git"
        shutil.copytree(self.old, source)
        name = chance.choice(FILE_NAMES).encode()
        form = chance.choice(("other", "hooks", "worktrees", "logs"))
        letter = "z" if form == "other" else "y"
        if len(name) > 200:
            return
        stand_in = letter * len(name)
        if form == "other":
            path, extra = source / stand_in, ["--with", stand_in]
        else:
            extra = []
            path = {"hooks": source / "hooks" / stand_in,
                    "logs": source / "logs/refs/heads" / stand_in,
                    "worktrees": source / "worktrees" / stand_in / "gitdir"}[form]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{self.outside}/x/.git\n")
        path.chmod(0o755)
        if form == "worktrees":
            (path.parent / "HEAD").write_text("ref: refs/heads/main\n")
        file = self.work / "x.zpack"
        done = self.run("convert", "-q", *extra, source, file, codes=(0, 128))
        if done.returncode != 0:
            return
        data = self.replace_name(file.read_bytes(), stand_in.encode(), name)
        if data is None:
            return
        file.write_bytes(data)
        self.run("verify", file)
        self.run("list-files", file, codes=(0, 128))
        target = self.work / "target"
        options = chance.choice(([], ["--trust"], ["--keep-going"], ["--keep-going", "--trust"]))
        self.run("restore", "-q", *options, file, target)
        self.run("salvage", "-q", file, self.work / "saved")
        before = {"source.git", "x.zpack", "target", "saved"}
        self.expect(set(os.listdir(self.work)) <= before,
                    f"'{name!r}' as {form} left {sorted(os.listdir(self.work))}")
        if options != [] or not target.is_dir():
            return
        active = [entry for entry in os.listdir(target / "hooks")
                  if not entry.endswith(".archived")]
        self.expect(not active, f"active hooks {active}")

    @staticmethod
    def replace_name(data: bytes, old: bytes, new: bytes) -> bytes | None:
        """The file with another name of the same length in its table of files."""
        at = data.rfind(b"FTAB\0\0\0\0")
        while at > 0:
            size = struct.unpack_from(">Q", data, at + 8)[0]
            if at + 24 + size <= len(data) and \
                    xxh3(data[at:at + 16 + size]) == struct.unpack_from(
                        ">Q", data, at + 16 + size)[0]:
                break
            at = data.rfind(b"FTAB\0\0\0\0", 0, at)
        if at <= 0:
            return None
        chunk = data[at:at + 16 + size]
        if old not in chunk:
            return None
        chunk = chunk.replace(old, new)
        header = struct.unpack_from(">I", data, 24)[0]
        body = data[header:at] + chunk + xxh3(chunk).to_bytes(8, "big") + \
            data[at + 24 + size:-32]
        return data[:header] + body + hashlib.sha256(body + data[:header]).digest()

    def damaged(self, chance: random.Random) -> None:
        """restore --keep-going and salvage of a damaged file."""
        data = bytearray((self.made / "new.zpack").read_bytes())
        for _ in range(chance.choice((1, 2, 8))):
            at = chance.randrange(len(data))
            size = chance.choice((1, 30, 512))
            kind = chance.randrange(3)
            if kind == 0:
                data[at:at + size] = chance.randbytes(size)
            elif kind == 1:
                del data[at:at + size]
            else:
                data[at] ^= 1 << chance.randrange(8)
        file = self.work / "x.zpack"
        file.write_bytes(data)
        command = chance.choice((["restore", "--keep-going"], ["salvage"],
                                 ["restore", "--keep-going", "--trust"], ["restore"]))
        target = self.work / "target.git"
        done = self.run(*command, "-q", file, target)
        self.expect(done.returncode == 128 or target.is_dir(), "no repository", done.stderr)
        if not target.is_dir():
            return
        self.expect(done.returncode != 128, "a repository in spite of an error", done.stderr)
        found = set(self.listing(target))
        self.expect(found <= self.objects, "objects that never were")
        checked = subprocess.run(["git", "-C", target, "fsck", "--full"], check=False,
                                 env=self.environment, capture_output=True)
        for word in (b"mismatch", b"corrupt", b"hash", b"badly"):
            self.expect(word not in checked.stderr, "a damaged object", checked.stderr)
        if done.returncode == 0 and not self.whole(target):
            self.finding("exit code 0 without everything", done.stderr)

    def changing(self, chance: random.Random) -> None:
        """The destination changes while the program runs."""
        target = self.work / "target.git"
        force = chance.randrange(2)
        before = chance.choice(("nothing", "empty", "repository"))
        if before == "empty":
            target.mkdir()
        elif before == "repository":
            shutil.copytree(self.old, target)
        old = target.stat().st_ino if target.exists() else 0
        options = ["--force"] if force else []
        process = subprocess.Popen(
            [self.zpack, "restore", "-q", *options, "--threads", "1",
             self.made / "new.zpack", target], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(chance.random() * chance.choice((0.01, 0.05, 0.2)))
        # The signal may reach the program a moment later, or after its end.
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        finished = (target / "HEAD").exists() and \
            (before != "repository" or target.stat().st_ino != old)
        # Before that, the program has not looked at the destination.
        started = any(place.exists() for place in self.stagings(target))
        changes = [self.plant_link, self.plant_file, self.replace_target, self.move_staging,
                   self.link_staging, self.link_inside]
        change = chance.choice(changes)
        kept = change(chance, target)
        process.send_signal(signal.SIGCONT)
        try:
            out, text = process.communicate(timeout=STUCK)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.finding("hangs")
            return
        row = self.rows[self.attack]
        row.runs += 1
        row.codes[process.returncode] += 1
        self.expect(process.returncode in (0, 128), f"exit code {process.returncode}", text)
        self.expect(process.returncode == 0 or text.count(b"fatal: ") == 1, "no sentence", text)
        # What was finished may have been moved away since.
        away = self.work / "away.git"
        place = away if finished and away.exists() else target
        if process.returncode == 0 and (finished or kept is None) and \
                not self.whole(place) and place.exists():
            self.finding(f"done, but not whole: {change.__name__} {options} {before}", text)
        if kept is None:
            return
        place, content = kept
        if started and snapshot(place) != content and not self.whole(place):
            self.finding(f"lost '{place.name}', which another process made ({options}, {before})",
                         text)
        elif snapshot(place) != content and started and not finished:
            self.finding(f"replaced what another process made ({options}, {before})", text)

    def stagings(self, target):
        return self.work / ".target.git.zpack-tmp", target / ".zpack-tmp"

    def plant_link(self, chance, target):
        if target.exists():
            target.rename(self.work / "away.git")
        target.symlink_to(self.outside)

    def plant_file(self, chance, target):
        if target.is_dir():
            (target / "notes").write_text("mine\n")
            return None
        target.write_text("mine\n")
        return None

    def replace_target(self, chance, target):
        """Another repository gets the name."""
        if target.exists():
            target.rename(self.work / "away.git")
        shutil.copytree(self.old, target)
        (target / "description").write_text("of another process\n")
        return target, snapshot(target)

    def move_staging(self, chance, target):
        for staging in self.stagings(target):
            if staging.is_dir():
                staging.rename(self.work / "moved")

    def link_staging(self, chance, target):
        for staging in self.stagings(target):
            if staging.is_dir():
                staging.rename(self.work / "moved")
                staging.symlink_to(self.outside)

    def link_inside(self, chance, target):
        """A directory of the unfinished repository becomes a link."""
        for staging in self.stagings(target):
            inner = staging / chance.choice(("refs", "info", "hooks", "logs"))
            if inner.is_dir() and not inner.is_symlink():
                inner.rename(self.work / "moved")
                inner.symlink_to(self.work / "moved")

    def bundles(self, chance: random.Random) -> None:
        """The name of a bundle is taken, or is taken while the program runs."""
        target = self.work / "x.bundle"
        force = ["--force"] if chance.randrange(3) == 0 else []
        kind = chance.randrange(5)
        if kind == 0:
            target.write_text("mine\n")
        elif kind == 1:
            target.symlink_to(self.outside / "file")
            force = []
        elif kind == 2:
            target.mkdir()
        process = subprocess.Popen(
            [self.zpack, "restore", "-q", *force, "--bundle", target, "--threads", "1",
             self.made / "new.zpack"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        appears = kind >= 3
        finished = False
        if appears:
            time.sleep(chance.random() * chance.choice((0.01, 0.05, 0.1)))
            process.send_signal(signal.SIGSTOP)
            # Before that, the program has not looked at the name.
            appears = any(".new-" in name for name in os.listdir(self.work))
            finished = target.exists()
            if not finished:
                target.write_text("mine\n")
            process.send_signal(signal.SIGCONT)
        _, text = process.communicate(timeout=STUCK)
        row = self.rows[self.attack]
        row.runs += 1
        row.codes[process.returncode] += 1
        self.expect(process.returncode in (0, 128), f"exit code {process.returncode}", text)
        left = set(os.listdir(self.work)) - {"x.bundle"}
        self.expect(not left, f"left {left}")
        mine = target.is_file() and target.read_bytes() == b"mine\n"
        if ((kind == 0 and not force) or (appears and not finished)) and not mine:
            self.finding(f"replaced what was there ({force}, appeared while it ran: {appears})",
                         text)
        if process.returncode == 0:
            self.git("clone", "-q", "--mirror", target, self.work / "clone.git")
            reachable = self.git("-C", self.work / "clone.git", "for-each-ref").decode()
            self.expect(reachable == self.refs, "another bundle")

    def withs(self, chance: random.Random) -> None:
        """Files that --with and the groups must not take from outside."""
        source = self.work / "source.git"
        shutil.copytree(self.old, source)
        victim = chance.choice(("svn", "a/b", "annex", "modules", "hooks", "info", "logs",
                                "lfs", "worktrees", "objects/info", "description", "config"))
        path = source / victim
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = chance.randrange(5)
        if kind == 0:
            path.symlink_to(self.outside)
        elif kind == 1:
            path.symlink_to(self.outside / "file")
        elif kind == 2:
            path.mkdir()
            (path / "file").symlink_to(self.outside / "file")
            (path / "down").symlink_to(self.outside)
        elif kind == 3:
            os.mkfifo(path)
        else:
            path.mkdir()
            os.mkfifo(path / "file")
        asked = chance.choice((victim, "../outside", os.fspath(self.outside), victim + "/file",
                               "./" + victim, victim + "/", "svn/../../outside", "..", ".", "",
                               victim + "/down/file", "refs", "objects"))
        file = self.work / "x.zpack"
        options = ["--with", asked] if chance.randrange(2) else []
        done = self.run("convert", "-q", *options, source, file, codes=(0, 128, 129))
        if done.returncode != 0:
            self.expect(not file.exists(), "left a file")
            return
        target = self.work / "target.git"
        self.run("restore", "-q", "--trust", file, target, codes=(0,))
        for directory, _, files in os.walk(target):
            for name in files:
                if b"precious" in pathlib.Path(directory, name).read_bytes():
                    self.finding(f"took along what is outside: {victim} {kind} --with {asked}")

    def attacks(self):
        return [self.trees, self.names, self.damaged, self.changing, self.changing,
                self.bundles, self.withs]


def make(options, directory: pathlib.Path) -> Raid:
    raid = RestoreRaid("restore", options, directory)
    raid.prepare()
    return raid
