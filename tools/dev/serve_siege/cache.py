# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Poisoned caches: of pages of remote files, and of the repositories of exec. Whatever is in
the cache, a command prints what it prints without one, or refuses; it runs nothing that
was planted, and changes nothing outside of the cache."""

import http.server
import os
import pathlib
import random
import shutil
import stat
import subprocess
import threading
import time

from .harness import Done, Running, Table, Target

OTHER_USER = 65534


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves ranges of two files of the same size classes, with entity tags."""
    protocol_version = "HTTP/1.1"
    files: dict[str, bytes] = {}

    def do_GET(self) -> None:
        data = self.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        begin, end, status = 0, len(data), 200
        wanted = self.headers.get("Range", "")
        if wanted.startswith("bytes="):
            first, _, last = wanted[6:].partition("-")
            status = 206
            begin = int(first) if first else max(0, len(data) - int(last))
            end = min(int(last) + 1, len(data)) if first and last else len(data)
        self.send_response(status)
        self.send_header("ETag", f'"{self.path}"')
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - begin))
        self.end_headers()
        self.wfile.write(data[begin:end])

    def log_message(self, *_arguments) -> None:
        pass


class Cache:
    def __init__(self, target: Target, table: Table):
        self.target = target
        self.table = table
        self.work = target.directory / "work"
        self.cache = self.work / "cache"
        self.outside = target.directory / "outside"
        self.files = []
        self.names = []
        for name in ("one", "two"):
            repository = target.make_repository(f"{name}.git", 500)
            file = target.directory / f"{name}.zpack"
            target.convert(repository, file, "--block-size", "4k", "--level", "1")
            Handler.files[f"/{name}.zpack"] = file.read_bytes()
            self.files.append(file)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.commands = [["list-refs"], ["cat-file", "-p", "{}", "HEAD"],
                         ["rev-list", "--objects", "--all"], ["verify"]]
        self.expected: dict[tuple, bytes] = {}
        self.can_mount = os.geteuid() == 0 and self.mount(64)
        if self.can_mount:
            self.unmount()

    def run(self) -> None:
        first = self.target.options.first
        number = first
        while self.target.more(number - first):
            for name, kind in (("pages", self.pages), ("exec", self.repositories)):
                if self.target.options.only in ("", name):
                    kind(number)
            number += 1

    # Places.

    def mount(self, kilobytes: int) -> bool:
        self.fresh()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none",
                               self.cache], check=False, capture_output=True)
        return done.returncode == 0

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", self.cache], check=False, capture_output=True)

    def fresh(self) -> None:
        for directory in (self.work, self.outside):
            subprocess.run(["chmod", "-R", "u+rwX", directory], check=False,
                           capture_output=True)
            shutil.rmtree(directory, ignore_errors=True)
        self.cache.mkdir(parents=True)
        self.outside.mkdir()
        (self.outside / "precious").write_bytes(b"precious")

    def env(self) -> dict[str, str]:
        return self.target.env(XDG_CACHE_HOME=os.fspath(self.cache))

    def command(self, words: list[str], source: str) -> list[str]:
        return [os.fspath(self.target.zpack),
                *([word.format(source) for word in words] if "{}" in words
                  else [*words, source])]

    def outside_state(self) -> tuple:
        state = []
        for path in sorted(self.outside.rglob("*")):
            status = path.lstat()
            # Not all of a file that was grown through a hard link: Linux counts this
            # process's memory for the programs that it starts.
            content = b""
            if stat.S_ISREG(status.st_mode):
                with open(path, "rb") as file:
                    content = file.read(1 << 20)
            state.append((os.fspath(path), status.st_mode, status.st_size, content))
        return tuple(state)

    # What may go wrong with a file, a directory.

    def spoil_file(self, chance: random.Random, path: pathlib.Path) -> str:
        data = path.read_bytes() if path.is_file() else b""
        how = chance.choice(["flipped", "truncated", "removed", "link", "FIFO", "directory",
                             "no access", "grown", "hard link", "random"])
        if how == "flipped" and data:
            at = chance.randrange(len(data))
            os.chmod(path, 0o600)
            path.write_bytes(data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) +
                             data[at + 1:])
            return how
        if how == "truncated" and data:
            os.truncate(path, chance.randrange(len(data)))
            return how
        if how == "grown":
            os.truncate(path, len(data) + (1 << chance.randrange(40)))
            return how
        if how == "no access":
            path.chmod(chance.choice([0o000, 0o400, 0o200]))
            return how
        path.unlink()
        if how == "link":
            path.symlink_to(self.outside / "precious")
        elif how == "FIFO":
            os.mkfifo(path)
        elif how == "directory":
            path.mkdir()
        elif how == "hard link":
            os.link(self.outside / "precious", path)
        elif how == "random":
            path.write_bytes(chance.randbytes(max(len(data), 10)))
        return how

    def spoil_directory(self, chance: random.Random, path: pathlib.Path) -> str:
        how = chance.choice(["link out", "file", "read-only", "open to all",
                             *(["other owner"] * 2 if os.geteuid() == 0 else [])])
        if how == "link out":
            shutil.rmtree(path, ignore_errors=True)
            path.symlink_to(self.outside)
        elif how == "file":
            shutil.rmtree(path, ignore_errors=True)
            path.write_bytes(b"x")
        elif how == "read-only":
            path.chmod(0o500)
        elif how == "open to all":
            path.chmod(0o777)
        else:
            for entry in [path, *path.rglob("*")]:
                os.chown(entry, OTHER_USER, OTHER_USER, follow_symlinks=False)
        return how

    # Pages of remote files.

    def wanted(self, words: list[str], source: str) -> bytes:
        key = (*words, source)
        if key not in self.expected:
            env = self.target.env(XDG_CACHE_HOME="relative")  # none
            env.pop("HOME")
            done = self.target.run(*self.command(words, source), env=env)
            if done.code != 0:
                raise RuntimeError(f"{key}: {done.text()}")
            self.expected[key] = done.out
        return self.expected[key]

    def pages(self, number: int) -> None:
        chance = self.target.chance("pages", number)
        how = "full disk" if self.can_mount and chance.random() < 0.15 else ""
        if how:
            self.mount(chance.choice([4, 8, 16, 32, 64]))
        else:
            self.fresh()
        sources = [f"{self.url}/{file.name}" for file in self.files]
        directory = self.cache / "git-zpack"
        for source in sources:
            self.target.run(*self.command(["rev-list", "--objects", "--all"], source),
                            env=self.env())
        if not how:
            files = sorted(directory.iterdir())
            maps = [file for file in files if file.suffix == ".map"]
            what = chance.random()
            if what < 0.2:
                how = f"directory: {self.spoil_directory(chance, directory)}"
            elif what < 0.4 and len(maps) == 2:  # the entry of another file
                for suffix in chance.choice([(".map", ".pages"), (".map",), (".pages",)]):
                    shutil.copyfile(maps[0].with_suffix(suffix), maps[1].with_suffix(suffix))
                how = "entry of another file"
            elif what < 0.5:
                file = chance.choice([file for file in files if file.suffix == ".pages"])
                data = bytearray(file.read_bytes())
                half = len(data) // 2
                file.write_bytes(data[half:] + data[:half])
                how = "pages swapped"
            else:
                how = self.spoil_file(chance, chance.choice(files))
                others = [file for file in files if file.is_file() and not file.is_symlink()]
                if others and chance.random() < 0.5:
                    self.spoil_file(chance, chance.choice(others))
        before = self.outside_state()
        runs = []
        for _ in range(chance.choice([1, 2, 4])):
            words, source = chance.choice(self.commands), chance.choice(sources)
            runs.append((words, source, Running(self.command(words, source),
                                                env=self.env())))
        kind = f"cache of pages: {how}"
        for words, source, running in runs:
            done = running.wait(b"")
            if not self.table.check(kind, number, done):
                continue
            if done.code != 0 or done.out != self.wanted(words, source):
                self.table.finding(kind, number, f"{words} exit {done.code}: {done.text()}")
            else:
                self.table.add(kind, "right", done)
        if not set(before) <= set(self.outside_state()):
            self.table.finding(kind, number, "something outside was changed")
        if how == "full disk":
            self.unmount()

    # Repositories of exec.

    def plant(self, repository: pathlib.Path) -> None:
        """What another user would put into a repository that this user will use."""
        marker = self.outside / "ran"
        script = f"#!/bin/sh\ntouch {marker}\n"
        for name in ("hooks/post-checkout", "hooks/reference-transaction", "evil"):
            path = repository / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(script)
            path.chmod(0o755)
        with open(repository / "packed-refs", "a", encoding="utf-8") as file:
            file.write(f"{'1' * 40} refs/zzz\n")
        settings = f"[core]\n\tfsmonitor = {repository}/evil\n\tpager = {repository}/evil\n" \
            f"[alias]\n\tx = !{repository}/evil\n[remote \"origin\"]\n" \
            f"\tuploadpack = {repository}/evil\n\turl = ext::{repository}/evil\n"
        for name in ("config", "config.worktree"):
            with open(repository / name, "a", encoding="utf-8") as file:
                file.write(settings)

    def exec_once(self, source: str, words: list[str]) -> Running:
        return Running([self.target.zpack, "exec", source, *words], env=self.env(),
                       cwd=self.work)

    def repositories(self, number: int) -> None:
        chance = self.target.chance("repositories", number)
        source = os.fspath(self.files[0])
        words = chance.choice([["git", "rev-parse", "HEAD"], ["git", "log", "--format=%H %s"],
                               ["git", "for-each-ref"], ["git", "show", "--stat", "HEAD"],
                               ["git", "update-ref", "refs/x/y", "HEAD"]])
        key = ("exec", *words)
        if key not in self.expected:
            self.fresh()
            self.expected[key] = self.exec_once(source, words).wait(b"").out
        how = "full disk" if self.can_mount and chance.random() < 0.15 else ""
        if how:
            self.mount(chance.choice([16, 64, 100, 200, 400]))
        else:
            self.fresh()
            how = self.spoil_repository(chance, source)
        before = self.outside_state()
        count = 1 if "update-ref" in words else chance.choice([1, 1, 4])
        running = [self.exec_once(source, words) for _ in range(count)]
        kind = f"cache of exec: {how}"
        for one in running:
            done = one.wait(b"")
            if not self.table.check(kind, number, done):
                continue
            self.judge(kind, number, done, self.expected[key])
        after = self.outside_state()
        # A link of this user may lead to another disk.
        if not set(before) <= set(after) or "link" not in kind and after != before:
            self.table.finding(kind, number, "something outside was run or changed")
        if how == "full disk":
            self.unmount()
            return
        left = [path.name for path in (self.cache / "git-zpack/exec").glob(".new-*")] \
            if (self.cache / "git-zpack/exec").is_dir() and how != "killed" else []
        if left:
            self.table.finding(kind, number, f"left {left}")

    def judge(self, kind: str, number: int, done: Done, expected: bytes) -> None:
        refuses = ("full disk", "other owner", "file", "read-only", "link out", "open to all",
                   "spoiled")
        if done.code == 0 and done.out == expected:
            self.table.add(kind, "right", done)
        elif done.code == 0:
            self.table.finding(kind, number, f"other output: {done.out[:100]!r}")
        elif kind.endswith(refuses) and done.err:
            self.table.add(kind, "refused", done)
        else:
            self.table.finding(kind, number, f"exit code {done.code}: {done.text()}")

    def spoil_repository(self, chance: random.Random, source: str) -> str:
        """Prepares the cache, and spoils it; returns how."""
        how = chance.choice(["none", "at once", "killed", "cut off", "other entry", "spoiled",
                             "directory", "planted"])
        directory = self.cache / "git-zpack/exec"
        if how in ("none", "at once"):
            return "empty"
        if how == "killed":
            running = self.exec_once(source, ["git", "rev-parse", "HEAD"])
            time.sleep(chance.random() * 0.3)
            running.kill()
            running.wait(b"")
            return how
        self.exec_once(source, ["git", "rev-parse", "HEAD"]).wait(b"")
        repository = next(path for path in directory.iterdir())
        files = sorted(path for path in repository.rglob("*") if path.is_file())
        if how == "cut off":  # as after a power cut
            for path in chance.sample(files, chance.randrange(1, 4)):
                path.chmod(0o600)
                os.truncate(path, chance.choice([0, path.stat().st_size // 2]))
        elif how == "other entry":
            self.exec_once(os.fspath(self.files[1]), ["git", "rev-parse", "HEAD"]).wait(b"")
            other = next(path for path in directory.iterdir() if path != repository)
            shutil.rmtree(repository)
            other.rename(repository)
        elif how == "spoiled":
            self.spoil_file(chance, chance.choice(files))
        elif how == "directory":
            path = chance.choice([self.cache / "git-zpack", directory, repository])
            return f"directory: {self.spoil_directory(chance, path)}"
        elif os.geteuid() == 0:
            self.plant(repository)
            for path in [repository, *repository.rglob("*")]:
                os.chown(path, OTHER_USER, OTHER_USER, follow_symlinks=False)
            return "planted, other owner"
        return how


def attack(target: Target, table: Table) -> None:
    cache = Cache(target, table)
    try:
        cache.run()
    finally:
        cache.server.shutdown()
        cache.unmount()
        cache.fresh()
