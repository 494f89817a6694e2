# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""git-zpack-fleet: several commands at once, commands that are killed, repositories that
change, come and go, hostile names, links and lists, forged manifests and stores.

What must hold: every command ends, with a documented exit code and a sentence; the
manifest is whole and names only archives that are in the store and right; after one more
'archive', every repository is safe and is restored as it is; nothing is written outside
of the store and the destination."""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

from raids.fleet_session import FleetSession

NAMES = (b"..x.git", b"-x.git", b"--to", b"a b.git", b"new\nline.git", b"\xff\xfe.git",
         b"\x1b[2J.git", b"'quote\".git", b"back\\slash.git", b"n" * 250 + b".git",
         b"deep/" * 40 + b"x.git", b"*.git", b"[a-z].git", b"%s{}.git", b"caf\xc3\xa9.git",
         b"\xe2\x80\xae.git", b"~", b"$(x)", b"objects", b"refs", b"HEAD", b".git/x.git",
         b"manifest.sqlite", b"\t.git", b"\r\n")
FORGED_NAMES = (b"../outside/x", b"/{outside}/x", b"a/../../outside/x", b"", b".", b"..", b"a//b",
                b"a\0b", b"a/.", b"x.git/..", b"x/" * 3000, "text", 7, None, 1.5, b"./x", b"/",
                b"{outside}/file")
FORGED_HASHES = ("../../outside/file", "0" * 64, "", "A" * 64, "0" * 63 + "\n", "../" * 20, None, 5,
                 b"0" * 64, "{outside}/file", "00/" * 22)
NUMBERS = (0, 1, -1, 2**31, 2**62, -2**63, 2**63 - 1, 1.5, "x", None, b"\xff")


class FleetRaid(FleetSession):
    # Attacks.

    def together(self, chance: random.Random) -> None:
        """Several commands at once."""
        root = self.copy()
        if chance.randrange(2):
            self.fleet(self.archive(root), statuses=(0,))
            self.grow(root / "small1.git", chance)
        others = (["verify", self.store], ["status", self.store], ["prune", self.store],
                  ["prune", self.store, "--keep", "1", "--keep-lost", "0s", "--grace", "0s"],
                  ["report", self.store, "-o", self.work / "out.html"],
                  ["export", self.store, self.work / "out.csv"],
                  ["restore", self.store, "--to", self.work / "back9"])
        commands = [self.archive(root), self.archive(root)]
        commands += chance.sample(others, chance.randrange(3))
        chance.shuffle(commands)
        self.fleet(*commands, processes=chance.randrange(6) == 0)
        self.check_all(root)

    def killed(self, chance: random.Random) -> None:
        """A command that is killed, once or more, and run again."""
        root = self.copy()
        if chance.randrange(3) == 0:
            self.fleet(self.archive(root), statuses=(0,))
            for name in ("small0", "small3"):
                self.grow(root / f"{name}.git", chance)
        for _ in range(chance.choice((1, 2, 4))):
            command = chance.choice((self.archive(root), self.archive(root), [
                "verify", self.store], ["prune", self.store, "--grace", "0s"], [
                    "restore", self.store, "--to", self.work / "back0"],
                ["separate", self.store, "group/*"]))
            number = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
            processes = chance.randrange(5) == 0
            delay = chance.uniform(0, 2.5 if processes else 0.8)
            self.fleet(command, kills=([delay, int(number)],), processes=processes)
        self.check_all(root)

    def names(self, chance: random.Random) -> None:
        """Names that no sane person gives."""
        root = self.copy()
        for name in chance.sample(NAMES, chance.choice((2, 4, 8))):
            target = os.path.join(os.fsencode(root), name)
            source = os.fsencode(root / f"small{chance.choice((1, 2, 3))}.git")
            if not os.path.lexists(target):
                with contextlib.suppress(OSError):  # too long, or inside another one
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    shutil.copytree(source, target)
        self.check_all(root)

    def links(self, chance: random.Random) -> None:
        """Links, '.git' files and odd entries in the tree."""
        root = self.copy()
        outside = self.outside / "file"
        for _ in range(chance.choice((1, 2, 4))):
            name = root / f"odd{chance.randrange(10**6)}"
            kind = chance.randrange(9)
            if kind == 0:
                name.symlink_to(chance.choice(("/", "..", ".", name.name, self.outside, "missing",
                                               root / "small1.git")))
            elif kind == 1:
                name.mkdir()
                (name / ".git").symlink_to(chance.choice((self.outside, self.made / "source",
                                                          "../small1.git", ".git", "/")))
            elif kind == 2:
                name.mkdir()
                (name / ".git").write_bytes(chance.choice((
                    b"gitdir: ../small1.git\n", b"gitdir: /\n", b"gitdir: " + b"x" * 70000,
                    b"gitdir: ../../../outside\n", b"", b"gitdir: \0\n", b"gitdir: .\n")))
            elif kind == 3:
                os.mkfifo(name)
            elif kind == 4:
                name.mkdir()
                os.mkfifo(name / ".git")
            elif kind == 5:
                name.mkdir()
                for part in chance.sample(("HEAD", "objects", "refs"), 2):
                    (name / part).mkdir()
            elif kind == 6:
                repository = root / f"small{chance.randrange(1, 4)}.git"
                with contextlib.suppress(FileExistsError):
                    (repository / "modules").symlink_to(chance.choice(("..", "/", self.outside)))
            elif kind == 7:
                repository = root / f"small{chance.randrange(1, 4)}.git"
                (repository / "refs/odd").mkdir(exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    (repository / "refs/odd/x").symlink_to(outside)
            else:
                (root / "small3.git/objects/info/alternates").write_text(chance.choice((
                    "../../small3.git/objects\n", "/\n", "x\n" * 5000, f"{self.outside}\n")))
        answers = self.fleet(self.archive(root))
        self.fleet(self.archive(root), ["status", self.store])
        if answers[0]["status"] != 128:
            self.check_store()
            self.fleet(["restore", self.store, "--to", self.work / "back0"], statuses=(0, 1))
        self.check_outside()

    def changing(self, chance: random.Random) -> None:
        """Repositories that change, come and go meanwhile."""
        root = self.copy()
        end = threading.Event()

        def change() -> None:
            number = 0
            while not end.is_set():
                number += 1
                name = root / f"small{chance.randrange(1, 4)}.git"
                kind = chance.randrange(7)
                with contextlib.suppress(OSError, subprocess.SubprocessError):
                    if kind < 3:
                        self.grow(name, chance)
                    elif kind == 3:
                        self.git("-C", name, "gc", "-q", "--prune=now")
                    elif kind == 4:
                        shutil.copytree(name, root / f"new{number % 4}.git")
                    elif kind == 5:
                        shutil.rmtree(root / f"new{chance.randrange(4)}.git")
                    else:
                        name.rename(root / "moved.git")
                        time.sleep(0.1)
                        (root / "moved.git").rename(name)
                time.sleep(chance.uniform(0, 0.3))
        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(chance.choice((1, 2))):
                self.fleet(self.archive(root), *([self.archive(root)] * chance.randrange(2)))
        finally:
            end.set()
            thread.join()
        self.check_all(root, gone=True)

    def forged_manifest(self, chance: random.Random) -> None:
        root = self.copy()
        self.fleet(self.archive(root), statuses=(0,))
        path = self.store / "manifest.sqlite"
        if chance.randrange(4) == 0:
            data = bytearray(path.read_bytes())
            for _ in range(chance.choice((1, 4, 50))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data[:chance.choice((len(data), 100, 4096, 0))])
        else:
            with contextlib.closing(sqlite3.connect(path)) as database:
                for _ in range(chance.choice((1, 2, 5))):
                    self.forge_row(chance, database)
                database.commit()
        target = self.work / "back0"
        commands = [["restore", self.store, "--to", target], ["verify", self.store],
                    ["status", self.store], ["status", "--json", self.store],
                    ["report", self.store, "-o", self.work / "out.html"],
                    ["export", self.store, self.work / "out.csv"], ["prune", self.store],
                    ["separate", self.store, "*"],
                    self.archive(root)]
        for command in commands[:1] + chance.sample(commands[1:], 3):
            self.fleet(command)
        self.check_outside()

    def forge_row(self, chance: random.Random, database: sqlite3.Connection) -> None:
        outside = os.fsencode(self.outside)

        def filled(value):
            if isinstance(value, bytes):
                return value.replace(b"{outside}", outside)
            return value.replace("{outside}", os.fspath(self.outside)) if isinstance(
                value, str) else value
        table, column, values = chance.choice((
            ("repositories", "name", FORGED_NAMES), ("repositories", "name", FORGED_NAMES),
            ("repositories", "name", [b"small1.git", b"small1.git/refs", b"small1.git/x/y"]),
            ("repositories", "path", FORGED_NAMES), ("archives", "hash", FORGED_HASHES),
            ("archives", "hash", FORGED_HASHES), ("archives", "size", NUMBERS),
            ("archives", "repository", NUMBERS), ("archives", "recorded", NUMBERS),
            ("archives", "base", FORGED_HASHES), ("archives", "digest", FORGED_HASHES),
            ("files", "onto", FORGED_HASHES), ("files", "onto", FORGED_HASHES),
            ("files", "size", NUMBERS), ("files", "hash", FORGED_HASHES),
            ("files", "damage", ["\x1b[2J", b"\xff", 9]), ("sketches", "content", FORGED_HASHES),
            ("sketches", "commits", NUMBERS), ("apart", "repository", NUMBERS),
            ("repositories", "archive", NUMBERS), ("repositories", "bytes", NUMBERS),
            ("repositories", "failure", ["x\x1b[2J", 5, "<script>"]),
            ("repositories", "message", ["<script>alert(1)</script>\x1b[2J", None, b"\xff"]),
            ("archives", "damage", ["\x1b[2J", "<b>", b"\xff", 9]), ("runs", "pid", NUMBERS),
            ("runs", "born", FORGED_HASHES), ("runs", "host", ["x", None, b"\0"]),
            ("runs", "ended", (None,)), ("runs", "command", ["prune", "x\x1b[2J", 5])))
        try:
            if chance.randrange(12) == 0:
                database.execute(chance.choice((
                    "DROP TABLE leases", "DROP TABLE archives", "PRAGMA user_version=99",
                    "PRAGMA user_version=-1", "ALTER TABLE archives DROP COLUMN refs",
                    "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM repositories; END",
                    "INSERT INTO leases VALUES(1, 'x'), (2, 'y')")))
            else:
                database.execute(
                    f"UPDATE {table} SET {column} = ? WHERE rowid = "
                    f"(SELECT rowid FROM {table} ORDER BY random() LIMIT 1)",
                    (filled(chance.choice(list(values))),))
        except sqlite3.Error:
            pass  # the schema forbids it

    def forged_store(self, chance: random.Random) -> None:
        """Archives, receipts and scratch files that are not what was written."""
        root = self.copy()
        self.fleet(self.archive(root), statuses=(0,))
        files = sorted((self.store / "objects").rglob("*.zpack"))
        receipts = sorted((self.store / "receipts").iterdir())
        for _ in range(chance.choice((1, 2, 3))):
            self.forge_file(chance, chance.choice(files), files)
            self.forge_file(chance, chance.choice(receipts), receipts)
            scratch = self.store / "scratch"
            name = chance.choice(receipts).stem  # also the name of files in the scratch directory
            with contextlib.suppress(OSError):
                (scratch / (name + chance.choice((".zpack", ".json", ".lock", ".base")))
                 ).write_bytes(chance.choice((b"", b"{}", b"\0" * 99, files[0].read_bytes())))
                (scratch / "space.json").write_bytes(chance.choice((
                    b"", b"{", b"[" * 9999, b'{"1 1": [4611686018427387904, "x"]}')))
        self.fleet(["restore", self.store, "--to", self.work / "back0"])
        for name, path in self.repositories(self.work / "back0").items():
            if (root / os.fsdecode(name)).exists():
                self.expect(self.content(path) == self.content(os.path.join(
                    os.fsencode(root), name)), f"{name!r} is restored as something else")
        damaged = any(not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest()
                      != path.stem for path in files)
        self.fleet(["verify", self.store], statuses=(1,) if damaged else (0,))
        self.check_outside()
        for path in files + receipts:
            if path.is_dir() and not path.is_symlink():
                path.rmdir()  # only a person can have made it, and has to remove it
        self.fleet(["verify", self.store])
        for name in ("small1.git", "small2.git"):
            self.grow(root / name, chance)
        self.fleet(self.archive(root), statuses=(0,))
        shutil.rmtree(self.work / "back0", ignore_errors=True)
        self.check_all(root)

    def forge_file(self, chance: random.Random, path: pathlib.Path, others: list) -> None:
        if not path.is_file() or path.is_symlink():
            return
        data = bytearray(path.read_bytes())
        kind = chance.randrange(9)
        path.unlink()
        if kind == 0:
            os.mkfifo(path)
        elif kind == 1:
            path.symlink_to(self.outside / "file")
        elif kind == 2:
            path.mkdir()
        elif kind == 3:
            shutil.copyfile(chance.choice([one for one in others if one.is_file()] or
                                          [self.outside / "file"]), path)
        elif kind == 4:
            path.write_bytes(data[:chance.randrange(len(data))])
        elif kind == 5:
            path.write_bytes(b"[" * 100_000)
        elif kind == 6:
            path.symlink_to(path.name)
        elif kind > 6:
            data[chance.randrange(len(data))] ^= 1
            path.write_bytes(data)

    def restores(self, chance: random.Random) -> None:
        """Two restores to one place at once, one of which may be killed."""
        root = self.copy()
        self.fleet(self.archive(root), statuses=(0,))
        target = self.work / "back0"
        restore = ["restore", self.store, "--to", target]
        if chance.randrange(3) == 0:
            restore.append(chance.choice(("small*", "group/*", "*", "tree")))
        kills = ([chance.uniform(0, 0.8), int(signal.SIGKILL)],) if chance.randrange(2) else ()
        self.fleet(restore, restore, *([restore] * chance.randrange(2)), kills=kills)
        self.fleet(restore[:4], statuses=(0,))
        self.compare(root, target)

    def lists(self, chance: random.Random) -> None:
        """Lists of paths, and manifests of grokmirror."""
        root = self.copy()
        base = os.fsencode(root)
        entries = [b"/small1.git", b"/group/fork.git", b"/../outside", b"/../../etc",
                   b"//small2.git", b"/small1.git/../small3.git", b"/missing.git",
                   b"/x\xff.git", b"/", b".", b"..",
                   b"/\x1b[2J", b"/" + b"x" * 5000, b"/" + b"a/" * 3000, b"/small1.git/", b"/tree"]
        chosen = chance.sample(entries, chance.choice((1, 3, 8)))
        if chance.randrange(2):
            separator = chance.choice((b"\0", b"\n"))
            text = separator.join(base + entry for entry in chosen)
            self.fleet(["archive", "--stdin", "--to", self.store], stdin=text)
        else:
            names = [entry.decode("utf-8", "surrogateescape") for entry in chosen]
            content = json.dumps({name: chance.choice((
                {}, {"forkgroup": "g"}, {"reference": names[0]}, {"forkgroup": 7}, 5))
                for name in names})
            if chance.randrange(3) == 0:
                content = chance.choice((json.dumps(names), "[" * 99999, "", "\x1f\x8b",
                                         "{\"a\\u0000\": 1}"))
            content = content.encode("utf-8", "surrogateescape")
            (self.work / "list").write_bytes(content)
            self.fleet([*self.archive(root), "--grokmirror", self.work / "list"])
        if (self.store / "manifest.sqlite").exists():
            self.check_store()
            self.fleet(["restore", self.store, "--to", self.work / "back0"])
        self.check_outside()

    def attacks(self):
        return [self.together, self.killed, self.names, self.links, self.changing,
                self.forged_manifest, self.forged_store, self.restores, self.lists, self.killed]


def make(options, directory: pathlib.Path) -> FleetSession | None:
    raid = FleetRaid("fleet", options, directory)
    if not raid.prepare():
        print("raid: fleet is left out: no Python has the packages distributed and fsspec")
        return None
    return raid
