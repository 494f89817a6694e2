# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""FORMAT.md, "Blocks" and "Expansion", in the order of its sections."""

import struct
from types import SimpleNamespace

import zstandard

from container import Cursor, Refused, require, zstd

SEGMENT = 2
TYPES = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
STREAMS = """sizes contents bases literal_lengths copy_lengths copy_offsets literals edit_counts edit_runs
    edit_kinds names modes children child_differences name_texts outside_ids root_trees parent_counts parents
    identities identity_texts times time_zones header_sizes headers message_sizes messages far_bases""".split()
WEIGHTS = {"sizes": 65, "edit_counts": 33, "edit_kinds": 33, "parent_counts": 33, "names": 17,
           "identities": 17, "time_zones": 17, "far_bases": 17, "parents": 5}
SHORT = {(2, "sizes"): 11, **dict.fromkeys([(k, s) for k in (3, 6) for s in STREAMS[3:7]] + [(4, STREAMS[i]) for i in (6, 9)], 1 << 32)}
CONTINUED = (3, "literals"), (5, "messages")
HALF, MODES = 1 << 63, (b"100644", b"100755", b"40000", b"120000", b"160000")


def take_off(limits, **sums):
    """"Expansion": `limits` says what the blocks may still stand for."""
    for name, amount in sums.items():
        limits[name] -= amount
        require(limits[name] >= 0, "the file stands for more content than its size allows")


class Group:
    """"Groups": the frame of the group that was read last, as far as it was read."""
    expected = frame = None

    def take(self, place, kind, first, count, stored, raw_size):
        """The raw bytes of a piece."""
        require(place[0] < 256 and place[1] + raw_size <= 64 << 20, "a group is too large")
        require(place == (0, 0) or self.expected == (*place, kind, first), "its place in the group is wrong")
        if place == (0, 0):
            self.frame = zstandard.ZstdDecompressor(max_window_size=64 << 20).decompressobj()
        try:
            raw = self.frame.decompress(stored)
        except zstandard.ZstdError as error:
            raise Refused(f"a piece of a group: {error}") from error
        require(len(raw) == raw_size and not self.frame.eof, "a piece of a group has another size, or is the end")
        self.expected = place[0] + 1, place[1] + raw_size, kind, first + count
        return raw


def block(payload, features, id_width, limits, group):
    """Header and directory; the streams become members, as cursors."""
    fields = Cursor(payload, "a block")
    kind, object_type, streams, first, count, offset = struct.unpack(">BBHIIQ", fields.take(20))
    require(kind in KINDS, f"unknown block kind {kind}")
    types, feature, streams_of_kind, _ = KINDS[kind]
    require(not feature or feature in features, f"a block of kind {kind} without its required feature")
    require(object_type in types and count > 0, "wrong object type or object count of a block")
    rows = list(struct.iter_unpack(">BBHQQ", fields.take(20 * streams)))
    continued = [row for row in rows if row[1] == 2]
    require(count == 1 if kind == SEGMENT else continued or offset == 0, "wrong object count or segment offset")
    require(not continued or b"groups" in features, "a continued stream without its required feature")
    require(sorted(row[0] for row in rows) == streams_of_kind, "wrong streams of a block")
    found = {}
    for stream, codec, reserved, raw_size, stored_size in rows:
        name, stored = STREAMS[stream - 1], fields.take(stored_size)
        require(codec in (0, 1) or codec == 2 and (kind, name) in CONTINUED, "unknown codec")
        require(reserved == 0, "reserved bits of a stream")
        require(codec != 0 or raw_size == stored_size, "wrong raw size")
        require(raw_size < SHORT.get((kind, name), 1 << 64), "a stream is too large")
        content, decoded = raw_size * (name == "contents"), raw_size * (kind != SEGMENT)
        take_off(limits, content=content, chains=content, decoded=decoded * WEIGHTS.get(name, 1))
        if codec == 2:
            stored = group.take(divmod(offset, 1 << 32), kind, first, count, stored, raw_size)
        found[name] = Cursor(zstd(stored, raw_size) if codec == 1 else stored, name)
    require(not fields.left(), "bytes after the last stream of a block")
    group.expected = group.expected if continued else None
    return SimpleNamespace(kind=kind, type=TYPES[object_type], first=first, count=count, offset=offset,
                           id_width=id_width, limits=limits, chains=[], far=[], blocks=[], streams=found, **found)


def decode(found, object_count, id_of, earlier):
    """The contents of the objects of a block, or the bytes of a segment. `earlier`: what objects() yields, by number."""
    found.earlier = earlier
    contents = KINDS[found.kind][3](found, outside_ids(found, object_count, id_of))
    require(not any(stream.left() for stream in found.streams.values()), "bytes are left over in a stream")
    return contents


def objects(found, _):
    found.object_sizes = [found.sizes.varint() for _ in range(found.count)]
    if found.kind == SEGMENT:
        return [found.contents.take(found.contents.left())]
    return [found.contents.take(size) for size in found.object_sizes]


def base_and_size(found, contents):
    """Position and content of the base (None: there is none, or it is far) and size, for deltas and trees."""
    distance, at = found.bases.varint(), len(contents)
    require(distance <= at + len(found.far), "the base is not in the block")
    base, source, chain, blocks = None, None, 0, 1
    if distance > at:
        source, chain, blocks = far_base(found, *found.far[distance - at - 1])
    elif distance:
        base = at - distance
        source, chain, blocks = contents[base], found.chains[base], found.blocks[base]
    size = found.sizes.varint() if source is None else len(source) + found.sizes.signed()
    require(size >= 0 and blocks <= 64, "a negative size, or an object in more than 64 blocks")
    found.chains.append(size + chain)
    found.blocks.append(blocks)
    take_off(found.limits, content=size, chains=found.chains[-1])
    return base, source, size


def far_base(found, number, size):
    """Content, bytes and number of blocks, with that of the object."""
    require(number in found.earlier, "a far base in segments")
    object_type, content, blocks = found.earlier[number]
    require(object_type == found.type and len(content) == size, "a far base of another type or size")
    return content, size, blocks + 1


def far_deltas(found, _):
    while found.far_bases.left():
        distance, size = found.far_bases.varint(), found.far_bases.varint()
        require(0 < distance <= found.first and len(found.far) < found.count, "a wrong far base")
        found.far.append((found.first - distance, size))
    return deltas(found, _)


def deltas(found, _):
    contents = []
    for _ in range(found.count):
        _, source, size = base_and_size(found, contents)
        blob, expected = b"" if source is not None else found.literals.take(size), 0
        while len(blob) < size:
            literals = found.literal_lengths.varint()
            require(literals <= size - len(blob), "literals beyond the blob")
            blob += found.literals.take(literals)
            if len(blob) == size:
                break
            copied, difference = found.copy_lengths.varint(), found.copy_offsets.signed()
            start = expected + literals + difference
            if copied == 0:
                copied = size - len(blob)
                start = len(source) - copied + difference
            expected = start + copied
            require(start >= 0 and expected <= len(source) and len(blob) + copied <= size, "bad copy")
            blob += source[start:expected]
        contents.append(blob)
    return contents


def outside_ids(found, object_count, id_of):
    """The function from the number of an object or an outside id to the id."""
    stream, width = found.streams.get("outside_ids", Cursor(b"", "")), found.id_width
    outside = stream.take(stream.left())
    count = object_count + len(outside) // width
    require(len(outside) % width == 0 and count < 1 << 32, "wrong size of outside ids")

    def id_of_link(number):
        require(0 <= number < count, f"a link to {number}, which is not there")
        at = width * (number - object_count)
        return id_of(number) if at < 0 else outside[at:at + width]
    return id_of_link


class Lineage:
    """The state behind the codes of children: by name, a list and `next`."""

    def __init__(self):
        self.lists, self.next, self.other = {}, {}, 0

    def take_child(self, found, name):
        code, seen = found.children.varint(), self.lists.setdefault(name, [])
        if code >= 2:
            require(code - 2 < len(seen), "a child that is not in the list")
            seen.insert(0, seen.pop(code - 2))
            return seen[0]
        child = self.next.get(name, self.other) + (found.child_differences.signed() if code else 0)
        if code or name not in self.next:
            self.other = child + 1
        self.next[name] = max(child + 1, self.next.get(name, child + 1))
        seen.insert(0, child)
        del seen[64:]
        return child


def trees(found, id_of_link):
    contents, entries_of, lineage, names = [], [], Lineage(), []
    for _ in range(found.count):
        base, _, size = base_and_size(found, contents)
        edits = found.edit_counts.varint()
        if base is None and edits == 0:  # verbatim
            contents.append(found.literals.take(size))
            entries_of.append(None)
            continue
        left, at, entries = [] if base is None else entries_of[base], 0, []
        require(left is not None, "a base is verbatim")
        if base is None:
            lineage = Lineage() if edits % 2 else lineage
            edits = (edits - 1) // 2
        for _ in range(edits):
            run, kind = found.edit_runs.varint(), found.edit_kinds.u8()
            require(kind <= 2 and at + run + (kind != 2) <= len(left), "unknown edit, or beyond the base")
            entries += left[at:at + run]
            at += run
            if kind == 2:
                back, mode = found.names.varint(), found.modes.u8()
                names += [] if back else [found.name_texts.text()]
                require(back <= len(names) and mode < 5, "no such name or mode")
                name = len(names) - (back or 1)
                entries.append((MODES[mode], name, lineage.take_child(found, name)))
            else:
                if kind == 0:
                    entries.append((*left[at][:2], lineage.take_child(found, left[at][1])))
                at += 1
        entries_of.append(entries + left[at:])
        contents.append(b"".join(mode + b" " + names[name] + b"\0" + id_of_link(child)
                                 for mode, name, child in entries_of[-1]))
        require(len(contents[-1]) == size, "wrong size of a tree")
    return contents


def commits(found, id_of_link):
    contents, expected, texts, time = [], 0, [], 0

    def text(code, from_the_first):
        texts.extend([] if code else [found.identity_texts.text()])
        require(code <= len(texts), "no such text")
        return texts[code - 1 if from_the_first else -(code or 1)]

    for number in range(found.first, found.first + found.count):
        parents = found.parent_counts.varint() - 1
        if parents < 0:  # verbatim
            contents.append(found.messages.take(found.message_sizes.varint()))
            continue
        tree = expected + found.root_trees.signed()
        expected = max(expected, tree + 1)
        require(parents <= found.parents.left(), "more parents than are left")
        lines = [b"tree %s\n" % id_of_link(tree).hex().encode()]
        for _ in range(parents):
            lines.append(b"parent %s\n" % id_of_link(number + 1 + found.parents.signed()).hex().encode())
        time = (time + found.times.signed() + HALF) % (2 * HALF) - HALF  # wraps around at 64 bits
        author_time = (time - found.times.signed() + HALF) % (2 * HALF) - HALF
        for who, when in ((b"author", author_time), (b"committer", time)):
            identity, zone = text(found.identities.varint(), False), text(found.time_zones.varint(), True)
            require(identity[-1:] == b">" and b">" not in zone and b"\n" not in identity + zone, "bad identity")
            lines.append(b"%s %s %d %s\n" % (who, identity, when, zone))
        headers = found.headers.take(found.header_sizes.varint())
        message = found.messages.take(found.message_sizes.varint())
        require(headers[:1] != b"\n" and b"\n\n" not in headers, "bad headers of a commit")
        require(not message or message[:1] == b"\n" and headers[-1:] in (b"", b"\n"), "bad message of a commit")
        contents.append(b"".join([*lines, headers, message]))
    take_off(found.limits, content=sum(map(len, contents)), chains=sum(map(len, contents)))
    return contents


# Object types, required feature, streams and decoder of each block kind.
KINDS = {1: ([1, 2, 3, 4], None, [1, 2], objects), SEGMENT: ([1, 2, 3, 4], None, [1, 2], objects),
         3: ([3], b"deltas", [1, 3, 4, 5, 6, 7], deltas), 4: ([2], b"trees", [1, 3, *range(7, 17)], trees),
         5: ([1], b"commits", [*range(16, 28)], commits),
         6: ([2, 3], b"far-bases", [1, 3, 4, 5, 6, 7, 28], far_deltas)}
