# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Forged parity: packets with right checksums and hostile numbers, sets that are mixed,
exchanged or made for damaged content, and other things in place of a .zpar file.

What must hold: 'verify' says 0 only of the undamaged bytes, and a repair makes the
undamaged bytes or nothing."""

import dataclasses
import hashlib
import os
import pathlib
import random
import shutil
import struct
import zlib

from raids.common import Raid, random_history, xxh3

PARAMETERS, CHECKSUMS, SHARD = 1, 2, 3
NUMBERS = (0, 1, 2, 15, 16, 255, 2**16, 2**31, 2**32 - 1, 2**32, 2**44, 2**62, 2**63 - 1,
           2**63, 2**64 - 4096, 2**64 - 1)


@dataclasses.dataclass
class Packet:
    """A packet of a parity set (FORMAT.md, "Parity")."""
    kind: int
    owner: bytes
    index: int
    payload: bytes

    def encode(self) -> bytes:
        text = b"ZPAR" + struct.pack(">B3x8sII", self.kind % 256, self.owner,
                                     self.index % 2**32, len(self.payload)) + self.payload
        return text + xxh3(text).to_bytes(8, "big")


def split(data: bytes) -> list[Packet]:
    packets = []
    at = 0
    while at + 32 <= len(data) and data[at:at + 4] == b"ZPAR":
        kind, owner, index, size = struct.unpack_from(">B3x8sII", data, at + 4)
        packets.append(Packet(kind, owner, index, data[at + 24:at + 24 + size]))
        at += 32 + size
    return packets


def join(packets: list[Packet]) -> bytes:
    return b"".join(packet.encode() for packet in packets)


def owner_of(parameters: bytes) -> bytes:
    return hashlib.sha256(parameters).digest()[:8]


def any_number(chance: random.Random, near: int) -> int:
    if chance.randrange(3) == 0:
        return near + chance.choice((-4096, -1, 1, 2, 16, 512, 4096))
    return chance.choice(NUMBERS) if chance.randrange(3) else chance.randrange(2**64)


def edit_parameters(chance: random.Random, parameters: bytes) -> bytes:
    fields = list(struct.unpack(">HHIQQII32s", parameters))
    sizes = (16, 16, 32, 64, 64, 32, 32)
    for _ in range(chance.choice((1, 1, 2, 3))):
        which = chance.randrange(8)
        if which == 7:
            fields[7] = chance.randbytes(32)
        elif which == 2 and chance.randrange(2):
            fields[2] = 512 << chance.randrange(4)
        else:
            fields[which] = any_number(chance, fields[which]) % 2**sizes[which]
    if chance.randrange(2):
        fields[4] = fields[3]  # as in a file of its own
    return struct.pack(">HHIQQII32s", *fields)


def relabel(packets: list[Packet], parameters: bytes) -> None:
    for packet in packets:
        packet.owner = owner_of(parameters)
        if packet.kind == PARAMETERS:
            packet.payload = parameters


def damage(chance: random.Random, data: bytes) -> bytes:
    kind = chance.randrange(6)
    at = chance.randrange(len(data))
    size = chance.choice((1, 16, 512, 700, 2048))
    edited = bytearray(data)
    if kind == 0:
        edited[at] ^= 1 << chance.randrange(8)
    elif kind == 1:
        edited[at:at + size] = bytes(len(edited[at:at + size]))
    elif kind == 2:
        del edited[at:at + size]
    elif kind == 3:
        edited[at:at] = chance.randbytes(size)
    elif kind == 4:
        del edited[-size:]
    else:
        edited[:size] = chance.randbytes(size)
    return bytes(edited)


class ParityRaid(Raid):
    def prepare(self) -> None:
        made = self.made
        size = random.Random(self.seed).choice((12, 60, 250))
        old = random_history(self, made / "old.git", size, self.seed)
        new = random_history(self, made / "new.git", size + 6, self.seed)
        other = random_history(self, made / "other.git", 10, self.seed + 1)
        self.files: dict[str, bytes] = {}
        for name, repository in (("old", old), ("new", new), ("other", other)):
            path = made / f"{name}.zpack"
            self.must("convert", "-q", "--level", "1", repository, path)
            for kind in ("plain", "inside"):
                target = made / f"{name}-{kind}.zpack"
                shutil.copyfile(path, target)
                beside = ["--beside"] if kind == "plain" else []
                self.must("protect", "-q", "--redundancy", "20%", *beside, target)
                self.files[f"{name}-{kind}"] = target.read_bytes()
            self.files[f"{name}-parity"] = (
                made / f"{name}-plain.zpack.zpar").read_bytes()
        packets = split(self.files["new-parity"])
        if join(packets) != self.files["new-parity"]:
            raise ValueError("the packets are not understood")

    # What is done to a set.

    def forge(self, chance: random.Random, packets: list[Packet], name: str) -> list[Packet]:
        kinds = [self.edit_fields, self.mix, self.swap, self.of_damaged, self.of_other,
                 self.lose, self.repeat_packets, self.edit_packet]
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            packets = chance.choice(kinds)(chance, packets, name)
            if not packets:
                break
        return packets

    @staticmethod
    def edit_fields(chance, packets, name):
        parameters = next((p.payload for p in packets if p.kind == PARAMETERS), None)
        if parameters is None or len(parameters) != 64:
            return packets
        edited = edit_parameters(chance, parameters)
        chosen = packets if chance.randrange(6) else packets[:chance.randrange(len(packets))]
        relabel(chosen, edited)
        return packets

    def mix(self, chance, packets, name):
        """Two sets in one file, as they are or under one name."""
        others = split(self.files[chance.choice(("old", "other", "new")) + "-parity"])
        if chance.randrange(2):
            for packet in others:
                packet.owner = packets[0].owner
            if chance.randrange(2):
                others = [p for p in others if p.kind != PARAMETERS]
        how = chance.randrange(3)
        if how == 0:
            return others + packets
        if how == 1:
            return packets + others
        both = packets + others
        chance.shuffle(both)
        return both

    @staticmethod
    def swap(chance, packets, name):
        """Right packets with the content of others of their kind."""
        for _ in range(chance.choice((1, 2, 10))):
            a, b = chance.choice(packets), chance.choice(packets)
            if a.kind == b.kind:
                a.payload, b.payload = b.payload, a.payload
        return packets

    def of_damaged(self, chance, packets, name):
        """Checksums and hash of damaged content."""
        content = damage(chance, self.files[name])
        parameters = bytearray(next(
            (p.payload for p in packets if p.kind == PARAMETERS), bytes(64)))
        if len(parameters) != 64:
            return packets
        size = struct.unpack_from(">I", parameters, 4)[0]
        if size not in (512, 1024, 2048, 4096):
            return packets
        if chance.randrange(2):
            parameters[32:] = hashlib.sha256(content).digest()
        if chance.randrange(2):
            struct.pack_into(">QQ", parameters, 8, len(content), len(content))
        shards = [content[i:i + size].ljust(size, b"\0")
                  for i in range(0, len(content), size)]
        relabel(packets, bytes(parameters))
        for packet in packets:
            if packet.kind == CHECKSUMS:
                part = shards[64 * packet.index:64 * packet.index + 64]
                packet.payload = b"".join(
                    struct.pack(">I", zlib.crc32(shard)) for shard in part).ljust(256, b"\0")
        return packets

    def of_other(self, chance, packets, name):
        """Of another version or file, whole, and said to be of this file."""
        others = split(self.files[chance.choice(("old", "other")) + "-parity"])
        if chance.randrange(2):
            parameters = bytearray(others[0].payload)
            size = len(self.files[name])
            struct.pack_into(">QQ", parameters, 8, size, size)
            if chance.randrange(2):
                parameters[32:] = hashlib.sha256(self.files[name]).digest()
            relabel(others, bytes(parameters))
        return others

    @staticmethod
    def lose(chance, packets, name):
        share = chance.choice((2, 3, 10, 50))
        return [p for p in packets if chance.randrange(share)]

    @staticmethod
    def repeat_packets(chance, packets, name):
        return packets * chance.choice((2, 3)) if chance.randrange(2) else \
            packets + [chance.choice(packets)] * chance.choice((1, 100, 1000))

    @staticmethod
    def edit_packet(chance, packets, name):
        packet = chance.choice(packets)
        which = chance.randrange(4)
        if which == 0:
            packet.index = any_number(chance, packet.index)
        elif which == 1:
            packet.kind = chance.randrange(6)
        elif which == 2:
            packet.owner = chance.randbytes(8)
        else:
            packet.payload = packet.payload[:chance.randrange(len(packet.payload) + 1)] + \
                chance.randbytes(chance.choice((0, 1, 512)))
        return packets

    # Attacks.

    def beside(self, chance: random.Random) -> None:
        """A forged .zpar file, beside a file that is whole or damaged."""
        packets = self.forge(chance, split(self.files["new-parity"]), "new-plain")
        parity = join(packets)
        if chance.randrange(6) == 0:
            parity = damage(chance, parity) if parity else parity
        if chance.randrange(8) == 0:
            parity = chance.randbytes(chance.choice((1, 100, 5000))) + parity
        (self.work / "x.zpack.zpar").write_bytes(parity)
        self.check("new-plain", chance)

    def inside(self, chance: random.Random) -> None:
        """A forged set in the file, whose checksums are right."""
        data = self.files["new-inside"]
        begin = data.index(b"ZPAR") - 16
        size = struct.unpack_from(">Q", data, begin + 8)[0]
        head, payload = data[begin:begin + 16], data[begin + 16:begin + 16 + size]
        forged = join(self.forge(chance, split(payload), "new-plain"))
        if chance.randrange(4):
            forged = forged[:size].ljust(size, chance.choice((b"\0", b"Z")))
        else:
            head = head[:8] + struct.pack(">Q", len(forged))
        chunk = head + forged
        if len(chunk) > 240:
            chunk += xxh3(chunk).to_bytes(8, "big")
        header = struct.unpack_from(">I", data, 24)[0]
        rest = data[begin + 24 + size:-32]
        body = data[header:begin] + chunk + rest
        whole = data[:header] + body + hashlib.sha256(body + data[:header]).digest()
        self.files["forged-inside"] = whole
        self.check("forged-inside", chance, data)

    def links(self, chance: random.Random) -> None:
        """Something else in place of the parity."""
        path = self.work / "x.zpack.zpar"
        kind = chance.randrange(9)
        targets = [None, "x.zpack.zpar", "/dev/zero", os.fspath(self.outside / "file"),
                   "x.zpack", "missing", "/proc/self/mem", os.fspath(self.outside)]
        if kind == 0:
            os.mkfifo(path)
        elif kind == 8:
            path.mkdir()
        else:
            path.symlink_to(targets[kind])
        self.check("new-plain", chance)

    def copies(self, chance: random.Random) -> None:
        """Parity of several versions where --parity looks, with damage."""
        name = chance.choice(("old", "new", "other"))
        parity = b"".join(self.files[f"{chance.choice(('old', 'new', 'other'))}-parity"]
                          for _ in range(chance.choice((1, 2, 3))))
        (self.work / "x.zpack.zpar").write_bytes(parity)
        self.check(f"{name}-plain", chance)

    def check(self, name: str, chance: random.Random, also: bytes | None = None) -> None:
        whole = self.files[name]
        path = self.work / "x.zpack"
        damaged = chance.randrange(4) != 0
        content = whole
        if damaged:
            for _ in range(chance.choice((1, 1, 2, 4))):
                content = damage(chance, content)
        path.write_bytes(content)
        good = {whole, self.files["old-plain"], self.files["new-plain"]} | \
            ({also} if also else set())
        options = chance.choice(([], ["--level", "checksums"], ["--json"]))
        done = self.run("verify", *options, path)
        if done.returncode == 0 and content != whole:
            self.finding("'verify' calls damaged bytes intact", done.stderr)
        text = done.stdout + done.stderr
        if not damaged and name != "forged-inside" and done.returncode == 1 and \
                (b"parity is damaged" not in text or text.count(b"error: ") > 1):
            self.finding("'verify' calls a whole file damaged", text)
        out = self.work / "out.zpack"
        done = self.run("repair", "-o", out, path)
        self.expect(path.read_bytes() == content, "'repair -o' changed its input")
        if out.exists():
            self.expect(done.returncode == 0, "left an output in spite of an error")
            result = out.read_bytes()
            if result != whole:
                again = self.run("verify", out)
                if result not in good or again.returncode != 0 or \
                        (name.endswith("plain") and content[:100] == whole[:100]):
                    self.finding("'repair' made other content", done.stderr)
        link = (self.work / "x.zpack.zpar").is_symlink()
        if not link and chance.randrange(2):
            self.run("repair", "--in-place", path)
            result = path.read_bytes()
            self.expect(result == content or result in good,
                        "'repair --in-place' made other content")
            path.write_bytes(content)
        if chance.randrange(2):
            options = ["--beside"] if chance.randrange(2) else \
                ["--output", os.fspath(self.work / "safe.zpack")]
            force = ["--force"] if chance.randrange(4) == 0 and not link else []
            done = self.run("protect", *force, *options, path, codes=(0, 128))
            if done.returncode == 0 and content != whole:
                self.finding("'protect' took damaged bytes", done.stderr)
            self.expect(path.read_bytes() == content, "'protect' changed its input")
        left = [entry for entry in os.listdir(self.work) if "zpack-tmp" in entry]
        self.expect(not left, f"left {left}")

    def attacks(self):
        return [self.beside, self.inside, self.copies, self.beside, self.links]


def make(options, directory: pathlib.Path) -> Raid:
    raid = ParityRaid("parity", options, directory)
    raid.prepare()
    return raid
