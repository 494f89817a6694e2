# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile files while they are served. A client of a damaged file gets what
the undamaged file gives, or an error. A client of a hostile file, whose checksums are
right, gets a pack in which every object has the content of its id, or an error."""

import os
import pathlib
import random
import shutil
import signal

from .harness import FLUSH, Done, Running, Table, Target, fetch_v2, line

PACK = b"PACK"


def packets(data: bytes) -> list[bytes | None]:
    """The packets of an answer; None for those without content. Stops at what is not a
    packet."""
    found: list[bytes | None] = []
    at = 0
    while at + 4 <= len(data):
        try:
            size = int(data[at:at + 4], 16)
        except ValueError:
            break
        if size < 4:
            found.append(None)
            at += 4
            continue
        found.append(data[at + 4:at + size])
        at += size
    return found


def pack_of(answer: bytes, banded: bool) -> bytes:
    """The pack in an answer; what the other side sent of it."""
    if not banded:
        at = answer.find(PACK)
        return answer[at:] if at >= 0 else b""
    bands = [packet[1:] for packet in packets(answer)
             if packet is not None and packet[:1] == b"\1"]
    return b"".join(bands)


def said_error(answer: bytes) -> bool:
    return any(packet is not None and packet[:1] == b"\3" or
               packet is not None and packet.startswith(b"ERR ")
               for packet in packets(answer))


class Served:
    """A good file, its repository, and what is asked of it."""

    def __init__(self, target: Target, name: str, commits: int, *options: str):
        self.repository = target.make_repository(f"{name}.git", commits)
        self.file = target.directory / f"{name}.zpack"
        target.convert(self.repository, self.file, *options)
        self.bytes = self.file.read_bytes()
        self.ids = target.ids(self.repository)
        self.tip = target.git("-C", self.repository, "rev-parse", "HEAD").decode().strip()


class Files:
    def __init__(self, target: Target, table: Table):
        self.target = target
        self.table = table
        self.served = [Served(target, "blocks", 25, "--block-size", "4k"),
                       Served(target, "plain", 60)]
        self.live = Served(target, "live", 400, "--block-size", "16k")
        self.other = Served(target, "other", 390, "--block-size", "16k")
        self.bad = target.directory / "bad.zpack"
        self.answers: dict[tuple, Done] = {}

    def run(self) -> None:
        first = self.target.options.first
        number = first
        while self.target.more(number - first):
            kinds = [("damaged", self.damaged), ("replaced", self.replaced)]
            if self.target.options.editor:
                kinds.append(("hostile", self.hostile))
            for name, kind in kinds:
                if self.target.options.only in ("", name):
                    kind(number)
            number += 1

    # Requests.

    def ask(self, chance: random.Random, served: Served) -> tuple[int, bool, bytes]:
        """A request: its protocol, whether its answer has bands, and its bytes."""
        wants = [served.tip]
        if chance.random() < 0.5:
            wants = [chance.choice(served.ids) for _ in range(chance.choice([1, 1, 20]))]
        haves = [chance.choice(served.ids) for _ in range(chance.choice([0, 0, 1, 5]))]
        extras = chance.choice([[], [], ["deepen 2"], ["deepen-since 1000001000"],
                                ["deepen-not v10"], ["filter blob:none"],
                                ["filter tree:1"], ["filter blob:limit=100"]])
        flags = chance.sample(["thin-pack", "ofs-delta", "include-tag"], chance.randrange(4))
        protocol = chance.randrange(3)
        if protocol == 2:
            return 2, True, fetch_v2(*(f"want {name}" for name in wants),
                                     *(f"have {name}" for name in haves), *extras, *flags,
                                     "done")
        banded = chance.random() < 0.7
        features = " ".join(["", *flags, "multi_ack_detailed", "filter",
                             *(["side-band-64k"] if banded else [])])
        data = line(f"want {wants[0]}{features}") + \
            b"".join(line(f"want {name}") for name in wants[1:]) + \
            b"".join(line(extra) for extra in extras) + FLUSH + \
            b"".join(line(f"have {name}") for name in haves) + line("done")
        return protocol, banded, data

    def serve(self, path: pathlib.Path, protocol: int, data: bytes, http: bool) -> Done:
        settings = {"GIT_PROTOCOL": f"version={protocol}", "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
                    "GIT_CONFIG_VALUE_0": "true"}
        if not http:
            return self.target.run(self.target.zpack, "upload-pack", "--stateless-rpc", path,
                                   data=data, env=self.target.env(**settings))
        done = self.target.run(
            self.target.zpack, "http-backend", data=data, env=self.target.env(
                REQUEST_METHOD="POST", GIT_PROJECT_ROOT=os.fspath(path.parent),
                PATH_INFO=f"/{path.stem}.git/git-upload-pack",
                CONTENT_TYPE="application/x-git-upload-pack-request", **settings))
        head, _, body = done.out.partition(b"\r\n\r\n")
        if b"\nStatus: " in b"\n" + head:
            done.code = done.code or 128  # refused
            body = b""
        done.out = body
        return done

    def objects(self, pack: bytes, served: Served, number: int) -> set[str] | str:
        """The ids of the objects of a pack that Git accepts, or why it does not. The client
        of a thin pack has all of the repository."""
        place = self.target.directory / "client.git"
        shutil.rmtree(place, ignore_errors=True)
        self.target.git("init", "-q", "--bare", place)
        (place / "objects/info/alternates").write_text(f"{served.repository}/objects\n")
        done = self.target.run("git", "-C", place, "index-pack", "--stdin", "--fix-thin",
                               data=pack)
        if done.code != 0:
            return done.text()
        name = next((place / "objects/pack").glob("*.idx"))
        listed = self.target.git("show-index", data=name.read_bytes()).decode()
        return {row.split()[1] for row in listed.splitlines()}

    def judge(self, kind: str, number: int, served: Served, done: Done, banded: bool,
              files) -> bool:
        """Whether the answer for a bad file is an error or a pack that Git accepts."""
        if not self.table.check(kind, number, done, files):
            return False
        pack = pack_of(done.out, banded)
        if done.code == 0:
            if pack:
                found = self.objects(pack, served, number)
                if isinstance(found, str):
                    self.table.finding(kind, number, f"a pack that Git refuses: {found}", files)
                    return False
            self.table.add(kind, "served" if pack else "served without a pack", done)
            return True
        if done.code != 128 or not done.err.startswith(b"fatal: "):
            self.table.finding(kind, number, f"exit code {done.code}: {done.text()}", files)
            return False
        if pack and banded and not said_error(done.out):
            self.table.finding(kind, number, "the client is not told of the error", files)
            return False
        if pack:
            found = self.objects(pack, served, number)
            if not isinstance(found, str):
                self.table.finding(kind, number, "an error, but the pack is complete", files)
                return False
        self.table.add(kind, "refused halfway" if pack else "refused", done)
        return True

    def clone(self, kind: str, number: int, path: pathlib.Path, served: Served | None,
              files) -> None:
        """Git's own clone, through git-remote-zpack; of a damaged file if `served`."""
        chance = self.target.chance("clone", number)
        place = self.target.directory / "clone.git"
        shutil.rmtree(place, ignore_errors=True)
        options = chance.choice([[], ["--depth=2", "--no-single-branch"],
                                 ["--filter=blob:none"]])
        done = self.target.run(
            "git", "-c", f"protocol.version={chance.randrange(3)}", "clone", "-q",
            *(["--mirror"] if not options else ["--bare"]), *options, f"zpack::{path}", place)
        if not self.table.check(kind, number, done, files):
            return
        # Git may still be writing to the helper that gave up.
        if done.code not in (0, 128, -signal.SIGPIPE):
            self.table.finding(kind, number, f"exit code {done.code}: {done.text()}", files)
        elif done.code == 0:
            fsck = self.target.run("git", "-C", place, "fsck", "--no-dangling",
                                   "--connectivity-only")
            refs = self.target.git("-C", place, "for-each-ref", check=False)
            wanted = self.target.git("-C", served.repository, "for-each-ref") \
                if served is not None else refs
            if served is not None and (fsck.code != 0 or refs != wanted):
                self.table.finding(kind, number, f"a wrong clone: {fsck.text()}", files)
            else:
                self.table.add(kind, "cloned", done)
        elif b"fatal: " not in done.err and b"error: " not in done.err:
            self.table.finding(kind, number, f"no error: {done.text()}", files)
        else:
            self.table.add(kind, "refused", done)

    # Kinds of bad files.

    def damage(self, chance: random.Random, good: bytes) -> bytes:
        data = bytearray(good)
        kind = chance.randrange(7)
        at = chance.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            for _ in range(chance.randrange(2, 30)):
                data[chance.randrange(len(data))] = chance.randrange(256)
        elif kind == 2:
            del data[at:]
        elif kind == 3:  # lost in the middle
            del data[at:at + chance.choice([1, 100, 5000])]
        elif kind == 4:  # two pieces swapped, as by a file system that mixed up sectors
            size = chance.choice([16, 512, 4096])
            to = chance.randrange(len(data))
            one, two = bytes(data[at:at + size]), bytes(data[to:to + size])
            size = min(len(one), len(two))
            data[at:at + size], data[to:to + size] = two[:size], one[:size]
        elif kind == 5:
            data[at:at + 4096] = bytes(len(data[at:at + 4096]))
        else:
            data[at:at] = chance.randbytes(chance.choice([1, 100]))
        return bytes(data)

    def damaged(self, number: int) -> None:
        chance = self.target.chance("damaged", number)
        served = chance.choice(self.served)
        protocol, banded, data = self.ask(chance, served)
        http = chance.random() < 0.3
        bad = self.damage(chance, served.bytes)
        self.bad.write_bytes(bad)
        kind = f"damaged file v{protocol}{' http' if http else ''}"
        files = [self.bad, ("request", data)]
        good = self.serve(served.file, protocol, data, False)
        done = self.serve(self.bad, protocol, data, http)
        if self.judge(kind, number, served, done, banded, files) and done.code == 0 and \
                good.code == 0:
            expected = self.objects(pack_of(good.out, banded), served, number)
            if self.objects(pack_of(done.out, banded), served, number) != expected:
                self.table.finding(kind, number, "other objects than those of the file", files)
        if number % 5 == 0:
            self.clone("damaged file, git clone", number, self.bad, served, files)

    def hostile(self, number: int) -> None:
        chance = self.target.chance("hostile", number)
        served = chance.choice(self.served)
        done = self.target.run(self.target.options.editor, str(chance.randrange(2**31)),
                               served.file, self.bad)
        if done.code != 0:
            raise RuntimeError(f"{self.target.options.editor}: {done.text()}")
        protocol, banded, data = self.ask(chance, served)
        http = chance.random() < 0.3
        files = [self.bad, ("request", data)]
        self.judge(f"hostile file v{protocol}{' http' if http else ''}", number, served,
                   self.serve(self.bad, protocol, data, http), banded, files)
        if number % 5 == 0:
            self.clone("hostile file, git clone", number, self.bad, None, files)

    def replaced(self, number: int) -> None:
        """The file changes while the server waits for a client that does not read."""
        chance = self.target.chance("replaced", number)
        shutil.copyfile(self.live.file, self.bad)
        wants = [self.live.tip] + [chance.choice(self.live.ids) for _ in range(3)]
        data = fetch_v2(*(f"want {name}" for name in wants), "ofs-delta", "done")
        running = Running([self.target.zpack, "upload-pack", "--stateless-rpc", self.bad],
                          env=self.target.env(GIT_PROTOCOL="version=2"))
        cut = chance.choice([0, 20, len(data)])
        start = b""
        running.process.stdin.write(data[:cut])
        running.process.stdin.flush()
        if cut == len(data):  # the answer has begun
            start = os.read(running.process.stdout.fileno(), chance.choice([1, 1000, 60_000]))
        how = chance.choice(["renamed", "removed", "truncated", "overwritten", "emptied",
                             "grown"])
        if how == "renamed":
            other = self.bad.with_suffix(".new")
            shutil.copyfile(self.other.file, other)
            other.rename(self.bad)
        elif how == "removed":
            self.bad.unlink()
        elif how == "truncated":
            os.truncate(self.bad, chance.randrange(len(self.live.bytes)))
        elif how == "emptied":
            os.truncate(self.bad, 0)
        elif how == "grown":
            with open(self.bad, "ab") as file:
                file.write(bytes(1000))
        else:
            with open(self.bad, "r+b") as file:
                at = chance.randrange(len(self.live.bytes))
                file.seek(at)
                file.write(self.other.bytes[at:at + chance.choice([100, 10**6])])
        done = running.wait(data[cut:])
        done.out = start + done.out
        kind = f"file {how} while served"
        whole = self.judge(kind, number, self.live, done, True, [("request", data)])
        # Whoever has opened the file keeps what it was.
        if whole and done.code != 0 and how in ("renamed", "removed") and \
                cut == len(data):
            self.table.finding(kind, number, f"disturbed: {done.text()}")


def attack(target: Target, table: Table) -> None:
    Files(target, table).run()
