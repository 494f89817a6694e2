# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""FORMAT.md, all sections but "Blocks", "Parity" and "Erasure code", in its order."""

import hashlib
import os
import re
import struct
from types import SimpleNamespace

import zstandard

from xxh3 import xxh3

CHUNKS = (b"REFS", b"BTAB", b"OIDP", b"ONBP", b"OIDH", b"FDAT", b"FTAB", b"PROM", b"LOST", b"COPY", b"FILL",
          b"PARI")
COMPONENT = rb"(?!\.\.?(?:/|\Z))[^\0-\x1f/\x7f]{1,246}"
# Names by group; of reflogs and other files, this is not the whole rule.
NAMES = {1: rb"logs/(HEAD|(?!refs/(heads|tags)\Z)refs/.*)", 2: rb"description",
         3: rb"info/(attributes|exclude|grafts)", 4: rb"hooks/(?!\.)[^\0- /\x7f]{1,246}(?<!\.sample)(?<!\.archived)",
         5: rb"lfs/objects/([0-9a-f]{2})/([0-9a-f]{2})/\1\2[0-9a-f]{60}", 6: rb"config",
         7: rb"worktrees/(?!\.)" + COMPONENT + rb"/(HEAD|gitdir|locked|logs/HEAD)",
         8: rb"objects/info/alternates", 9: rb"(?!.*\.archived(/|\Z))%s(/%s)*" % (COMPONENT, COMPONENT)}
NOT_OTHER = (rb"(commondir|config|description|gitdir|head|hooks|logs|objects|packed-refs|refs|reftable|shallow"
             rb"|worktrees)(/|\Z)|lfs/objects/|info/(attributes|exclude|grafts)\Z")


class Refused(Exception):
    """The file breaks a rule, is of a later version or is above a limit."""


def require(condition, message):
    if not condition:
        raise Refused(message)


def varint(value):
    """A varint for a value below 2^64."""
    low = bytes([value & 0x7f | (0x80 if value > 0x7f else 0)])
    return low + varint(value >> 7) if value > 0x7f else low


class Cursor:
    """"Conventions": reads one part from its start to its end."""

    def __init__(self, data, what):
        self.data, self.what, self.at = data, what, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        require(size <= self.left(), f"{self.what} ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                require(value < 1 << 64 and (byte or not shift), f"{self.what}: bad varint")
                return value
        raise Refused(f"{self.what}: bad varint")

    def signed(self):
        value = self.varint()
        return -(value >> 1) - 1 if value & 1 else value >> 1

    def string(self):
        return self.take(self.varint())

    def text(self):
        end = self.data.find(b"\0", self.at)
        require(end >= 0, f"{self.what}: a text without its zero byte")
        return self.take(end + 1 - self.at)[:-1]

    def ascending_ids(self, id_width):
        count = self.varint()
        require(count * id_width <= self.left(), f"{self.what} ends too early")
        ids = [self.take(id_width) for _ in range(count)]
        require(all(a < b for a, b in zip(ids, ids[1:])), f"{self.what}: ids do not ascend")
        return ids


def zstd(stored, raw_size):
    """Codec 1: one frame without a dictionary, and nothing else, of raw_size bytes."""
    try:
        frame, at, last = zstandard.get_frame_parameters(stored), zstandard.frame_header_size(stored), 0
        while not last:  # the blocks of the frame: last, type and size in three bytes
            block_header = int.from_bytes(stored[at:at + 3], "little")
            last = block_header & 1
            at += 3 + (1 if block_header >> 1 & 3 == 1 else block_header >> 3)
            require(at <= len(stored) and block_header >> 1 != 2, "a frame of zstd ends too early")
        require(at + 4 * frame.has_checksum == len(stored) and not frame.dict_id, "more than one frame of zstd")
        require(frame.content_size in (raw_size, zstandard.CONTENTSIZE_UNKNOWN), "wrong raw size")
        raw = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(stored).read(raw_size + 1)
    except zstandard.ZstdError as error:
        raise Refused(f"zstd: {error}") from error
    require(len(raw) == raw_size, "wrong raw size")
    return raw


def header(data):
    require(len(data) >= 64, "too short for a .zpack file")
    (pack, version, count, signature, major, minor, size, object_format, id_width, _, reserved,
     contents_offset, file_size, r, o) = struct.unpack(">4s4sI8sHHI4sBBHQQHH", data[:56])
    right = (version == b"ZPAK") + (signature == b"\x89ZPK\r\n\x1a\n")
    require(right, "not a .zpack file")
    require(right == 2 and pack == b"PACK", "wrong signature")
    require(64 <= size <= min(4096, len(data)), "wrong header size")
    require(xxh3(data[:size - 8]) == data[size - 8:size], "wrong checksum of the header")
    require((major, minor) == (1, 0), f"version {major}.{minor} needs a newer git-zpack")
    fields = Cursor(data[56:size - 8], "the features")
    names = [fields.take(fields.u8()) for _ in range(r + o)]
    require(not fields.left(), f"{fields.what}: bytes are left over")
    require(all(re.fullmatch(rb"[a-z0-9.-]+", name) for name in names), "bad name of a feature")
    for name in set(names[:r]) - {b"deltas", b"trees", b"commits", b"far-bases", b"backing", b"groups", b"derived-ids",
                                   b"promised"}:
        raise Refused(f"required feature '{name.decode()}' needs a newer git-zpack")
    require(object_format in (b"sha1", b"s256"), f"object format {object_format!r} needs a newer git-zpack")
    require(reserved == 0, "reserved bits in the header")
    require(id_width == (20 if object_format == b"sha1" else 32), "wrong id width")
    require(file_size == len(data), "wrong file size")
    return size, count, id_width, names[:r], contents_offset


def chunk(data, offset, end, expected):
    """The payload of the chunk that takes the bytes from offset to end."""
    require(0 <= offset <= end - 24 <= len(data) - 24, f"chunk {expected!r} is out of bounds")
    found, flags, size = struct.unpack(">4sIQ", data[offset:offset + 16])
    require(found == expected and size == end - offset - 24, f"chunk {expected!r} is not where it should be")
    require(xxh3(data[offset:end - 8]) == data[end - 8:end], f"wrong checksum of chunk {expected!r}")
    require(flags >> 16 == 0, f"reserved flags of chunk {expected!r}")
    return data[offset + 16:end - 8]


def ref_name(name):
    return (len(name) <= 4095 and re.fullmatch(rb"refs(/[^\0- ~^:?*\[\\\x7f/]+)+", name)
            and not re.search(rb"/\.|\.\.|@\{|\.lock(/|\Z)|\.\Z", name))


def are_files(names):
    """No name is a directory of another one."""
    parents = {name[:slash.start()] for name in names for slash in re.finditer(b"/", name)}
    return not parents & set(names)


def file_below(fields):
    """Object count, hash of the ids, file hash and name."""
    count, ids, file_hash, name = (*struct.unpack(">I32s32s", fields.take(68)), fields.string())
    require(re.fullmatch(rb"[^\0-\x1f/\x7f]{1,255}", name) and name not in (b".", b".."), "bad name of a file below")
    return count, ids, file_hash, name


def head_of(fields, id_width):
    kind = fields.u8()
    require(kind in (1, 2), "unknown kind of HEAD")
    head = SimpleNamespace(name=b"HEAD", symbolic=kind == 1)
    head.target = fields.string() if head.symbolic else fields.take(id_width)
    return head


def encoded(ref):
    """A ref as REFS stores it."""
    kind = 3 if ref.symbolic else 2 if ref.peeled else 1
    texts = (ref.name, ref.target) if ref.symbolic else (ref.name,)
    ids = b"" if ref.symbolic else ref.target + (ref.peeled or b"")
    return bytes([kind]) + b"".join(varint(len(text)) + text for text in texts) + ids


def changed_refs(fields, id_width, below):
    """What refs returns, for a file with a file below."""
    head = head_of(fields, id_width)
    removed = [fields.string() for _ in range(fields.varint())]
    known = {ref.name: ref for ref in below}
    require(removed == sorted(set(removed) & set(known)), "removed refs that are not there, or do not ascend")
    _, found, shallow = refs(fields, id_width, head)
    known = {name: ref for name, ref in known.items() if name not in removed} | {ref.name: ref for ref in found}
    known = [known[name] for name in sorted(known)]
    target = varint(len(head.target)) + head.target if head.symbolic else head.target
    whole = [bytes([1 if head.symbolic else 2]) + target, varint(len(known)), *map(encoded, known),
             varint(len(shallow)), *shallow]
    require(fields.take(32) == hashlib.sha256(b"".join(whole)).digest(), "refs that their hash does not state")
    require(not fields.left(), f"{fields.what}: bytes are left over")
    return head, known, shallow


def refs(fields, id_width, given_head=None):
    head = given_head or head_of(fields, id_width)
    found = []
    for _ in range(fields.varint()):
        kind = fields.u8()
        require(kind in (1, 2, 3), "unknown kind of ref")
        ref = SimpleNamespace(symbolic=kind == 3, name=fields.string())
        ref.target = fields.string() if ref.symbolic else fields.take(id_width)
        ref.peeled = fields.take(id_width) if kind == 2 else None
        require(not ref.symbolic or max(map(len, ref.name.split(b"/"))) <= 255, "long name of a symbolic ref")
        require(not found or found[-1].name < ref.name, "refs do not ascend")
        found.append(ref)
    names = [ref.name for ref in found]
    targets = [ref.target for ref in (head, *found) if ref.symbolic]
    require(all(map(ref_name, names + targets)), "bad name of a ref")
    require(are_files(names) and not {b"refs/heads", b"refs/tags"} & set(names), "a ref is a directory")
    shallow = fields.ascending_ids(id_width)
    require(given_head or not fields.left(), f"{fields.what}: bytes are left over")
    return head, found, shallow


def block_table(payload, first_object, end_object, start, end):
    """Offset and first object of each block, and the last row."""
    require(payload and len(payload) % 12 == 0, "wrong size of BTAB")
    rows = list(struct.iter_unpack(">QI", payload))
    require(rows[0] == (start, first_object) and rows[-1] == (end, end_object), "BTAB disagrees with the file")
    require(len(rows) == 1 or rows[-2][1] < end_object, "the last block has no object")
    for (offset, first), (next_offset, next_first) in zip(rows, rows[1:]):
        require(next_offset >= offset + 24 and next_first >= first, "BTAB does not ascend")
    for (_, first), (_, second), (_, third) in zip(rows, rows[1:], rows[2:]):
        require(first < second or third <= second + 1, "segments of several objects")
    return rows


def object_ids(payload, count, id_width, below):
    fields = Cursor(payload, "OIDP")
    if below and count < 65536:
        require(fields.take(2) == bytes(2) and fields.left() == count * id_width, "wrong p, w or size of OIDP")
        ids = [fields.take(id_width) for _ in range(count)]
        require(all(a < b for a, b in zip(ids, ids[1:])), "ids do not ascend")
        return ids
    left_out, width, *fan_out = struct.unpack(">BB256I", fields.take(1026))
    require(fan_out == sorted(fan_out) and fan_out[-1] == count, "wrong fan-out")
    counts = [high - low for low, high in zip([0, *fan_out], fan_out)]
    require((left_out, width) in ([(1, 0)] if count < 65536 else [(2, 1), (2, 2), (2, 4)]), "wrong p or w in OIDP")
    if left_out == 2:
        pairs = struct.unpack(">65536" + {1: "B", 2: "H", 4: "I"}[width], fields.take(65536 * width))
        require(counts == [sum(pairs[i:i + 256]) for i in range(0, 65536, 256)], "wrong counts of buckets")
        require(width == next(w for w in (1, 2, 4) if max(pairs) < 1 << 8 * w), "wrong w in OIDP")
        counts = pairs
    ids = [i.to_bytes(left_out, "big") + fields.take(id_width - left_out)
           for i, n in enumerate(counts) for _ in range(n)]
    require(not fields.left(), f"{fields.what}: bytes are left over")
    require(all(a < b for a, b in zip(ids, ids[1:])), "ids do not ascend")
    return ids


def object_numbers(payload, count):
    width = max(count - 1, 0).bit_length()
    require(len(payload) == (count * width + 7) // 8, "wrong size of ONBP")
    bits = "".join(f"{byte:08b}" for byte in payload)
    numbers = [int(bits[i * width:i * width + width] or "0", 2) for i in range(count)]
    require("1" not in bits[count * width:] and sorted(numbers) == list(range(count)), "ONBP: bad number")
    return numbers


def file_name(group, name):
    fits = re.fullmatch(NAMES[group], name, re.DOTALL)
    if group == 1 and name != b"logs/HEAD":
        return fits and ref_name(name[5:]) and max(map(len, name.split(b"/"))) <= 255
    return fits and (group != 9 or (len(name) <= 4086 and not re.match(NOT_OTHER, name.lower())))


def files(table, contents, most, below):
    """FTAB and FDAT: the files, with their contents. `below` are those of the file below, None without one."""
    if table is None:
        return []
    fields, found, name = Cursor(table, "FTAB"), [], b""
    left_out = list(fields.take(fields.varint()))
    known = {file.name: file for file in below or []}
    removed = [fields.string() for _ in range(fields.varint())] if below is not None else []
    require(removed == sorted(set(removed) & set(known)), "removed files that are not there, or do not ascend")
    require(left_out == sorted(set(left_out) & set(NAMES)), "wrong groups that were left out")
    for _ in range(fields.varint()):
        group, flags, shared, last = fields.u8(), fields.u8(), fields.varint(), name
        name = last[:shared] + fields.string()
        require(group in NAMES and flags <= (1 if below is None else 3) and file_name(group, name), f"bad group, flags or name: {name!r}")
        require(shared <= len(last) and name > last, "names of files do not ascend")
        require(name[:shared + 1] != last[:shared + 1], "the shared prefix is not the longest")
        found.append(SimpleNamespace(group=group, flags=flags, name=name, size=fields.varint(), sha256=fields.take(32)))
    require(are_files([file.name for file in found]), "the name of a file is a directory")
    sizes = [fields.varint() for _ in range(fields.varint())]
    digest = None if below is None else fields.take(32)
    require(not fields.left(), f"{fields.what}: bytes are left over")
    total = sum(file.size for file in found)
    require(total <= most, "the files have more content than the size of the file allows")
    require(len(sizes) == -(-total // (4 << 20)) and sum(sizes) == len(contents), "the pieces do not fill FDAT")
    stored = Cursor(contents, "FDAT")
    pieces = [zstd(stored.take(size), min(4 << 20, total - (i << 22))) for i, size in enumerate(sizes)]
    raw = Cursor(b"".join(pieces), "FDAT")
    for file in found:
        require(file.flags < 2 or file.name in known, "a file goes on that is not there")
        file.content = (known[file.name].content if file.flags & 2 else b"") + raw.take(file.size)
        require(hashlib.sha256(file.content).digest() == file.sha256, f"wrong hash of {file.name!r}")
        require(file.group != 5 or file.name[-64:] == file.sha256.hex().encode(), "wrong name of an LFS object")
    if below is None:
        return found
    known = {name: file for name, file in known.items() if name not in removed} | {file.name: file for file in found}
    found, before, rows = [known[name] for name in sorted(known)], b"", []
    for file in found:
        shared, size = len(os.path.commonprefix([before, file.name])), len(file.content)
        rest, before = file.name[shared:], file.name
        rows.append(bytes([file.group, file.flags & 1]) + varint(shared) + varint(len(rest)) + rest + varint(size)
                    + file.sha256)
    whole = varint(len(left_out)) + bytes(left_out) + varint(len(found)) + b"".join(rows)
    require(hashlib.sha256(whole).digest() == digest, "files that their hash does not state")
    return found


def promised_objects(payload, id_width, ids):
    """Remotes (name, URL, filter) and ids."""
    fields, remotes = Cursor(payload, "PROM"), []
    count = fields.varint()
    for _ in range(count):
        remotes.append((fields.string(), fields.string(), fields.string()))
        name, *texts = remotes[-1]
        require(ref_name(b"refs/remotes/" + name) and name[:1] != b"-", "bad name of a remote")
        require(all(re.fullmatch(rb"[^\0-\x1f\x7f]{0,4095}", text) for text in texts), "bad URL or filter")
    require(len({name for name, *_ in remotes}) == count and 1 <= count <= 256, "wrong number of remotes")
    promised = fields.ascending_ids(id_width)
    require(not fields.left(), f"{fields.what}: bytes are left over")
    require(promised and any(promised[0]), "no promised object, or the null id")
    require(not set(promised) & set(ids), "an object is both promised and in the file")
    return remotes, promised


def table_of_contents(data, header_size, contents_offset, features):
    """Offset and end of each chunk except the blocks and TOCC."""
    payload = chunk(data, contents_offset, len(data) - 72, b"TOCC")
    require(contents_offset >= header_size and len(payload) % 24 == 0, "wrong place or size of TOCC")
    chunks, at = {}, header_size
    for name, flags, offset, size in struct.iter_unpack(">4sIQQ", payload):
        require(re.fullmatch(rb"[!-~]{4}", name) and flags >> 16 == 0, "bad row of TOCC")
        require(name not in (b"OIDS", b"ONUM"), f"chunk {name!r} is of a draft of the format")
        require(name not in (b"BLCK", b"TOCC", *chunks), f"chunk {name!r} twice")
        require(not flags & 1 or name in CHUNKS, f"required chunk {name!r} needs a newer git-zpack")
        require((name == b"REFS") == (not chunks), "REFS is not the first chunk")
        require(offset == at or (len(chunks) == 1 and offset > at), f"gap before chunk {name!r}")
        chunks[name], at = (offset, offset + size + 24), offset + size + 24
    require(at == contents_offset, "gap before TOCC")
    index = {b"OIDH"} if b"derived-ids" in features else {b"OIDP", b"ONBP"}
    require({b"BTAB", *index} <= set(chunks), "a chunk is missing")
    require(set(chunks) & {b"OIDP", b"ONBP", b"OIDH"} == index, "OIDH without its feature, or an index with it")
    require((b"PROM" in chunks) == (b"promised" in features), "PROM without its feature, or the reverse")
    require((b"FDAT" in chunks) == (b"FTAB" in chunks), "FDAT without FTAB, or the reverse")
    return chunks


def trailer(data):
    """Content digest and file hash."""
    require(data[-72:-64] == b"ZEND" + bytes(4), "wrong trailer")
    return data[-64:-32], data[-32:]
