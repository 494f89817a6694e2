# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Writes .zpack files of any content, also such as no writer makes: all sizes,
offsets, checksums and hashes are right unless an edit sets them wrong."""

import hashlib
import itertools
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/v1"
sys.path.insert(0, str(ROOT / "tools/reference"))

import blocks  # noqa: E402
import read_zpack  # noqa: E402
from xxh3 import xxh3  # noqa: E402

SIGNATURE = b"\x89ZPK\r\n\x1a\n"
COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4


def varint(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


def varints(*values):
    return b"".join(map(varint, values))


def signed(*values):
    return varints(*(2 * value if value >= 0 else -2 * value - 1 for value in values))


def string(text):
    return varint(len(text)) + text


def frame(name, payload, flags=0):
    """A whole chunk."""
    start = struct.pack(">4sIQ", name, flags, len(payload)) + payload
    return start + xxh3(start)


class Stream:
    """What a row of the directory says, and the bytes that are stored."""

    def __init__(self, kind, raw, stored=None, reserved=0, raw_size=None, codec=None):
        self.kind = blocks.STREAMS.index(kind) + 1 if isinstance(kind, str) else kind
        self.codec = (stored is not None) if codec is None else codec
        self.stored = raw if stored is None else stored
        self.raw, self.reserved = raw, reserved
        self.raw_size = len(raw) if raw_size is None else raw_size


class Block:
    def __init__(self, kind, object_type, streams, count=1, offset=0):
        """`streams`: raw bytes by name, or a list of `Stream`."""
        self.kind, self.type, self.count, self.offset = kind, object_type, count, offset
        self.first = None  # as in BTAB, unless it is set
        if isinstance(streams, dict):
            names = [blocks.STREAMS[number - 1] for number in blocks.KINDS[kind][2]]
            streams = [Stream(name, streams.get(name, b"")) for name in names]
        self.streams, self.after, self.flags = streams, b"", 0

    def stream(self, name):
        return next(s for s in self.streams if s.kind == blocks.STREAMS.index(name) + 1)

    def edit(self, name, raw):
        """Other bytes for a stream, which are stored as they are."""
        self.streams[self.streams.index(self.stream(name))] = Stream(name, raw)

    def payload(self, first):
        rows = b"".join(struct.pack(">BBHQQ", s.kind, s.codec, s.reserved, s.raw_size, len(s.stored))
                        for s in self.streams)
        start = struct.pack(">BBHIIQ", self.kind, self.type, len(self.streams),
                            first if self.first is None else self.first, self.count, self.offset)
        return start + rows + b"".join(s.stored for s in self.streams) + self.after


class Draft:
    def __init__(self, width=20):
        self.width = width
        self.required, self.optional = [b"commits", b"deltas", b"trees"], []
        self.refs = b"\1" + string(b"refs/heads/main") + b"\0\0"
        self.blocks = []  # of Block
        self.first = 0  # objects in the files below
        self.firsts = []  # first object of each, of those of the file
        self.ids = []  # by object number
        self.ids_below = []
        self.extra = []  # (name, payload, flags) of chunks after ONBP
        self.index = []  # chunks of the index, unless they are as the features say
        self.with_copy = True
        self.after_copy = []  # (name, payload) of chunks where none may be
        self.flags = {}  # of the chunks that are always there, by id
        # Functions from what is right to what is written.
        self.edit_fields = self.edit_rows = self.edit_contents = self.edit_file = lambda value: value
        self.edit_payload = {}  # by chunk id

    def hash(self, object_type, content):
        algorithm = hashlib.sha1 if self.width == 20 else hashlib.sha256
        return algorithm(b"%s %d\0" % (blocks.TYPES[object_type], len(content)) + content).digest()

    def add(self, block, contents=None, ids=None):
        """A block with objects of these contents or ids; a further segment has neither."""
        if contents is not None:
            ids = [self.hash(block.type, content) for content in contents]
        self.firsts.append(len(self.ids) if ids is not None else self.firsts[-1])
        self.ids += ids or []
        self.blocks.append(block)
        return self

    def add_blobs(self, *contents):
        """A block of kind 1."""
        sizes = varints(*map(len, contents))
        return self.add(Block(1, BLOB, {"sizes": sizes, "contents": b"".join(contents)}, len(contents)),
                        contents)

    def object_ids(self, ids):
        """OIDP. No bucket has more than 255 ids."""
        if self.first:
            return bytes(2) + b"".join(ids)
        left_out = 1 if len(ids) < 65536 else 2
        counts = [0] * 65536
        for found in ids:
            counts[found[0] * 256 + found[1]] += 1
        fan_out = itertools.accumulate(sum(counts[n:n + 256]) for n in range(0, 65536, 256))
        return (bytes([left_out, left_out - 1]) + struct.pack(">256I", *fan_out)
                + bytes(counts if left_out == 2 else []) + b"".join(found[left_out:] for found in ids))

    def object_numbers(self, ids):
        """ONBP."""
        numbers = {found: number for number, found in enumerate(self.ids)}
        width = max(len(ids) - 1, 0).bit_length()
        bits = "".join(f"{numbers[found]:0{width}b}" for found in ids) if width else ""
        bits += "0" * (-len(bits) % 8)
        return int(bits or "0", 2).to_bytes(len(bits) // 8, "big")

    def header(self, size, contents_offset, file_size):
        fields = {"pack": b"PACK", "version": b"ZPAK", "count": len(self.ids), "signature": SIGNATURE,
                  "major": 1, "minor": 0, "size": size, "format": b"sha1" if self.width == 20 else b"s256",
                  "width": self.width, "unused": 0, "reserved": 0, "contents": contents_offset,
                  "file size": file_size, "r": len(self.required), "o": len(self.optional)}
        names = b"".join(bytes([len(name)]) + name for name in self.required + self.optional)
        values = self.edit_fields(fields).values()
        start = struct.pack(">4s4sI8sHHI4sBBHQQHH", *values) + names
        return start + xxh3(start)

    def build(self):
        size = 64 + sum(1 + len(name) for name in self.required + self.optional)
        at, rows, body, places = size, [], b"", {}

        def add(name, payload, flags=0):
            nonlocal body
            payload = self.edit_payload.get(name, lambda value: value)(payload)
            flags = self.flags.get(name, flags)
            chunk = frame(name, payload, flags)
            places[name] = (len(body), len(body) + len(chunk))
            if name not in (b"BLCK", b"TOCC"):
                rows.append((name, flags, size + len(body), len(payload)))
            body += chunk

        add(b"REFS", self.refs, 1)
        table = []
        for block, first in zip(self.blocks, self.firsts):
            table.append((size + len(body), self.first + first))
            add(b"BLCK", block.payload(self.first + first), block.flags)
        table.append((size + len(body), self.first + len(self.ids)))
        add(b"BTAB", b"".join(struct.pack(">QI", *row) for row in self.edit_rows(table)), 1)
        ids = sorted(self.ids)
        index = {b"OIDP": lambda: self.object_ids(ids), b"ONBP": lambda: self.object_numbers(ids),
                 b"OIDH": lambda: hashlib.sha256(b"".join(self.ids)).digest()}
        for name in self.index or ([b"OIDH"] if b"derived-ids" in self.required else [b"OIDP", b"ONBP"]):
            add(name, index[name](), 1)
        for name, payload, flags in self.extra:
            add(name, payload, flags)
        count_of_rows = len(self.edit_contents([*rows, (b"COPY", 0, 0, 0)])) + len(self.after_copy)
        copied = [body[slice(*places[name])] for name in (b"REFS", b"BTAB")]
        copy_size = size + sum(map(len, copied)) + 24 + 24 * count_of_rows if self.with_copy else 0
        copy_at = size + len(body)
        at = copy_at + (24 + copy_size if self.with_copy else 0)
        if self.with_copy:
            rows.append((b"COPY", 0, copy_at, copy_size))
        for name, payload in self.after_copy:
            rows.append((name, 0, at, len(payload)))
            at += 24 + len(payload)
        contents = b"".join(struct.pack(">4sIQQ", *row) for row in self.edit_contents(rows))
        contents = frame(b"TOCC", self.edit_payload.get(b"TOCC", bytes)(contents), 1)
        head = self.header(size, at, at + len(contents) + 72)
        if self.with_copy:
            body += frame(b"COPY", self.edit_payload.get(b"COPY", bytes)(head + b"".join(copied) + contents))
        body += b"".join(frame(name, payload) for name, payload in self.after_copy)
        digest = hashlib.sha256(b"".join(sorted(ids + self.ids_below))).digest()
        body += contents + b"ZEND" + bytes(4) + digest
        return self.edit_file(head + body + hashlib.sha256(body + head).digest())


def golden(name):
    """A golden file, taken apart. Without COPY of its own and parity, which are made again or left out."""
    file = read_zpack.ZpackFile(GOLDEN / f"{name}.zpack")
    file.read_index()
    draft = Draft(file.id_width)
    draft.required = list(file.features)
    draft.refs = file.chunk(b"REFS")
    draft.ids = [file.id_of[number] for number in range(file.count)]
    for (start, first), (end, _) in zip(file.rows, file.rows[1:]):
        payload = file.data[start + 16:end - 8]
        kind, object_type, count_of_streams, _, count, offset = struct.unpack(">BBHIIQ", payload[:20])
        at, streams = 20 + 20 * count_of_streams, []
        for kind_of_stream, codec, _, raw_size, stored_size in struct.iter_unpack(">BBHQQ", payload[20:at]):
            stored = payload[at:at + stored_size]
            at += stored_size
            raw = read_zpack.container.zstd(stored, raw_size) if codec == 1 else stored
            streams.append(Stream(kind_of_stream, raw, stored if codec else None, raw_size=raw_size, codec=codec))
        draft.blocks.append(Block(kind, object_type, streams, count, offset))
        draft.firsts.append(first)
    for name_of_chunk in file.chunks:
        if name_of_chunk in (b"FDAT", b"FTAB", b"PROM"):
            draft.extra.append((name_of_chunk, file.chunk(name_of_chunk), int(name_of_chunk == b"PROM")))
    return draft
