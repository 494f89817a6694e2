# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Repositories and commands of the raid 'fleet', and what must hold after them."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys

from raids.common import CRASH, Raid, children_seconds, random_history

TOOLS = pathlib.Path(__file__).resolve().parents[2]
RUNNER = pathlib.Path(__file__).with_name("fleet_run.py")
PACKAGE = TOOLS / "fleet"
PYTHONS = (sys.executable, "/usr/bin/python3")
STATUSES = (0, 1, 128)
KILLED = (130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)


class FleetSession(Raid):
    def prepare(self) -> bool:
        """Returns false if no Python has what the fleet needs."""
        for python in PYTHONS:
            done = subprocess.run([python, "-c", "import distributed, fsspec"], check=False,
                                  capture_output=True)
            if done.returncode == 0:
                self.python = python
                break
        else:
            return False
        self.policies = random.Random(self.seed)
        self.policy: list = []
        self.source = self.made / "source"
        self.source.mkdir()
        for number in range(4):
            random_history(self, self.source / f"small{number}.git", 3, self.seed + number)
        self.add_blob(self.source / "small0.git", 3_000_000)
        shutil.copytree(self.source / "small1.git", self.source / "group/fork.git")
        alternates = self.source / "group/fork.git/objects/info/alternates"
        alternates.write_text("../../../small0.git/objects\n")
        self.git("clone", "-q", self.source / "small2.git", self.source / "tree")
        self.grow(self.source / "group/fork.git", random.Random(self.seed))
        self.program = self.made / "git-zpack"
        self.program.symlink_to(self.zpack)
        return True

    # Repositories.

    def add_blob(self, repository: pathlib.Path, size: int) -> None:
        blob = self.git("-C", repository, "hash-object", "-w", "--stdin",
                        input=random.Random(self.seed).randbytes(size)).decode().strip()
        self.git("-C", repository, "tag", "blob", blob)

    def grow(self, repository: pathlib.Path, chance: random.Random) -> None:
        """One more commit."""
        tree = self.git("-C", repository, "rev-parse", "main^{tree}").decode().strip()
        commit = self.git("-C", repository, "commit-tree", tree, "-p", "main", "-m",
                          str(chance.random())).decode().strip()
        self.git("-C", repository, "update-ref", "refs/heads/main", commit)

    @staticmethod
    def repositories(root: pathlib.Path) -> dict[bytes, bytes]:
        """Names below the root, and paths."""
        found = {}
        base = os.fsencode(root)
        for directory, names, files in os.walk(base):
            if "HEAD" in map(os.fsdecode, files) and b"objects" in names and b"refs" in names:
                path = directory.removesuffix(b"/.git")
                found[os.path.relpath(path, base)] = path
                names.clear()
        return found

    def content(self, path: bytes) -> bytes:
        """All refs, and the ids of what they reach."""
        refs = subprocess.run(["git", "-C", path, "show-ref"], check=False,
                              env=self.environment, capture_output=True).stdout
        ids = self.git("-C", path, "rev-list", "--objects", "--no-object-names", "--all")
        return refs + b"\n".join(sorted(ids.splitlines()))

    # Commands.

    def fleet(self, *commands: list, kills: tuple = (), stdin: bytes | None = None,
              statuses: tuple = STATUSES, processes: bool = False) -> list[dict]:
        """Runs commands at once, and checks what holds of any."""
        requests = []
        for number, command in enumerate(commands):
            words = [os.fsdecode(word) for word in command]
            if words[0] in ("archive", "verify", "restore", "separate"):
                words += ["--program", os.fspath(self.program), "--memory", "64m",
                          "--no-progress", "--retry-delay", "0.1"]
            requests.append({"arguments": words,
                             "kill": kills[number] if number < len(kills) else None})
            if stdin is not None:
                (self.work / "stdin").write_bytes(stdin)
                requests[-1]["stdin"] = os.fspath(self.work / "stdin")
        path = self.work / "request"
        path.write_text(json.dumps({"package": os.fspath(PACKAGE), "commands": requests,
                                    "threads": not processes}))
        row = self.rows[self.attack]
        before = children_seconds()
        done = subprocess.run([self.python, RUNNER, path], check=False, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=1200)
        row.seconds += children_seconds() - before
        if done.returncode != 0:
            raise subprocess.SubprocessError(done.stderr.decode(errors="replace")[-1500:])
        answers = json.loads((self.work / "request.answer").read_text())
        for request, answer in zip(requests, answers):
            row.runs += 1
            row.codes[answer["status"]] += 1
            self.check_end(request, answer, statuses)
        return answers

    def check_end(self, request: dict, answer: dict, statuses: tuple) -> None:
        command = request["arguments"][:-7]
        text = answer["err"] + answer["out"]
        allowed = (*statuses, *(KILLED if request["kill"] else ()))
        self.expect(not answer["hangs"], f"{command} hangs", text)
        self.expect(not answer["left"], f"{command} left processes", text)
        self.expect(answer["status"] in allowed, f"{command} ended with {answer['status']}", text)
        self.expect(request["kill"] is not None or not CRASH.search(
            text.encode(errors="surrogateescape")), f"{command} crashes", text)
        if answer["status"] == 128:
            fatal = len(re.findall("^fatal: ", answer["err"], re.MULTILINE))
            self.expect(fatal == 1, f"{command}: {fatal} lines that say why", text)
        self.expect(not re.search("[\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]", text),
                    f"{command}: control characters", text)

    def copy(self) -> pathlib.Path:
        """The repositories of an attack, and how it archives them."""
        self.policy = self.policies.choice((
            [], [], ["--increments"], ["--families"], ["--families", "--consolidate", "2"],
            ["--families", "--consolidate", "never"], ["--increments", "--cold-after", "0s"]))
        subprocess.run(["cp", "-a", self.source, self.work / "source"], check=True)
        return self.work / "source"

    @property
    def store(self) -> pathlib.Path:
        return self.work / "store"

    def archive(self, root: pathlib.Path) -> list:
        return ["archive", root, "--to", self.store, *self.policy]

    # What must hold at the end.

    def check_store(self) -> None:
        """The manifest is whole, and its archives are there."""
        with contextlib.closing(sqlite3.connect(self.store / "manifest.sqlite")) as database:
            whole = database.execute("PRAGMA integrity_check").fetchall()
            self.expect(whole == [("ok",)], f"the manifest: {whole[:3]}")
            for name, size in database.execute(
                    "SELECT hash, size FROM archives WHERE damage IS NULL"):
                path = self.store / f"objects/{name[:2]}/{name}.zpack"
                if not path.exists():
                    self.finding(f"the archive {name} is lost")
                    continue
                content = path.read_bytes()
                self.expect(len(content) == size and hashlib.sha256(
                    content).hexdigest() == name, f"the archive {name} is another file")
            leases = database.execute("SELECT count(*) FROM leases").fetchone()[0]
            self.expect(leases == 0, f"{leases} leases are left")
        left = [path.name for path in (self.store / "objects").rglob("*") if path.is_file()
                and not re.fullmatch(r"[0-9a-f]{64}\.zpack|\.[0-9a-f]{32}\.part", path.name)]
        self.expect(not left, f"the store has {left[:5]}")

    def check_all(self, root: pathlib.Path, *, gone: bool = False) -> None:
        """After one more run, all is safe and is restored as it is, but for what is gone."""
        self.fleet(self.archive(root), statuses=(0,))
        self.check_store()
        self.fleet(["status", self.store], statuses=(0, 1) if gone else (0,))
        target = self.work / "back"
        self.fleet(["restore", self.store, "--to", target], statuses=(0, 1) if gone else (0,))
        self.compare(root, target)

    def compare(self, root: pathlib.Path, target: pathlib.Path) -> None:
        for name, path in self.repositories(root).items():
            back = os.path.join(os.fsencode(target), name)
            if not os.path.exists(back):
                self.finding(f"{name!r} is not restored")
            else:
                self.expect(self.content(back) == self.content(path),
                            f"{name!r} is restored as something else")
        back = list(self.repositories(target).values())
        left = [path for directory, _, files in os.walk(os.fsencode(target))
                for path in (os.path.join(directory, file) for file in files)
                if not any(path.startswith(one + b"/") for one in back)]
        self.expect(not left, f"besides repositories, restore left {left[:5]}")
        self.check_outside()

    def check_outside(self) -> None:
        known = {"source", "store", "request", "stdin", "list", "moved", "out.html", "out.csv"}
        left = [path.name for path in self.work.iterdir() if path.name not in known
                and not re.match(r"back\d?|request\.", path.name)]
        self.expect(not left, f"written outside: {left}")
