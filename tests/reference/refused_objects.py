# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files that break one rule of FORMAT.md each, from "Header" to "Object index": the
name, the bytes, and a part of what the reference reader says."""

import hashlib
import struct

import zstandard

from zpack_draft import (BLOB, COMMIT, TAG, TREE, Block, Draft, Stream, golden, signed, string, varint,
                         varints, xxh3)

REF = b"refs/heads/main"


def with_checksum(data, at, new):
    """A header of `data` with these bytes at `at`, and a right checksum."""
    size = int.from_bytes(data[24:28], "big")
    start = data[:at] + new + data[at + len(new):size - 8]
    return start + xxh3(start) + data[size:]


def header():
    data = golden("history").build()
    for name, at, new, message in [
            ("pack-signature", 0, b"KCAP", "wrong signature"),
            ("pack-version", 4, b"\0\0\0\2", "wrong signature"),
            ("signature", 14, b"\r\n\r\n", "wrong signature"),
            ("size-small", 24, b"\0\0\0\x3f", "wrong header size"),
            ("size-large", 24, b"\0\0\x10\1", "wrong header size"),
            ("checksum", 8, b"\0\0\0\0", "wrong checksum of the header")]:
        yield name, data[:at] + new + data[at + len(new):], message
    yield "both-signatures", data[:4] + bytes(16) + data[20:], "not a .zpack file"
    for name, at, new, message in [
            ("object-count", 8, b"\0\0\0\1", "BTAB disagrees with the file"),
            ("major", 20, b"\0\2", "version 2.0 needs a newer git-zpack"),
            ("minor", 22, b"\0\1", "version 1.1 needs a newer git-zpack"),
            ("object-format", 28, b"sha5", "object format b'sha5' needs a newer git-zpack"),
            ("id-width", 32, b"\x20", "wrong id width"),
            ("reserved", 35, b"\1", "reserved bits in the header"),
            ("feature-count", 52, b"\0\2", "the features")]:
        yield name, with_checksum(data, at, new), message
    yield "file-size", data + b"\0", "wrong file size"
    yield "truncated", data[:-1], "wrong file size"
    yield "short", data[:63], "too short for a .zpack file"
    yield "contents-offset", with_checksum(data, 36, bytes(8)), "chunk b'TOCC' is not where it should be"
    yield "contents-offset-64-bits", with_checksum(data, 36, b"\xff" * 8), "chunk b'TOCC' is out of bounds"
    three = golden("columns").build()  # required features
    yield "feature-left-over", with_checksum(three, 52, b"\0\2"), "the features: bytes are left over"
    for name, feature, message in [
            ("feature-unknown", b"delta-9", "required feature 'delta-9' needs a newer git-zpack"),
            ("feature-empty", b"", "bad name of a feature"),
            ("feature-upper-case", b"Deltas", "bad name of a feature")]:
        draft = golden("history")
        draft.required.append(feature)
        yield name, draft.build(), message


def chunks():
    for name, old, new, message in [
            ("id", b"OIDP", b"OIDQ", "chunk b'OIDP' is not where it should be"),
            ("reserved-flags", b"OIDP\0\0\0\1", b"OIDP\0\1\0\1", "reserved flags of chunk b'OIDP'")]:
        data = golden("history").build()
        at = data.index(old)
        end = at + 24 + int.from_bytes(data[at + 8:at + 16], "big")
        start = new + data[at + len(new):end - 8]
        yield name, data[:at] + start + xxh3(start) + data[end:], message
    data = golden("history").build()
    yield "checksum", data.replace(b"ONBP\0\0\0\1", b"ONBP\0\0\0\0", 1), "wrong checksum of chunk b'ONBP'"


def one_ref(name, kind=1, target=bytes(20)):
    return bytes([kind]) + string(name) + target


def refs_payload(*found, head=b"\1" + string(REF), shallow=b"\0", count=None):
    return head + varint(len(found) if count is None else count) + b"".join(found) + shallow


def refs():
    for name, payload, message in bad_refs():
        draft = Draft()
        draft.refs = payload
        yield name, draft.build(), message


def bad_refs():
    for name, bad in [
            ("one-level", b"refs"), ("outside-refs", b"HEAD"), ("empty-component", b"refs//a"), ("slash", b"refs/a/"),
            ("dot", b"refs/.a"), ("lock", b"refs/a.lock/b"), ("two-dots", b"refs/a..b"), ("at-brace", b"refs/a@{b"),
            ("control", b"refs/a\x1fb"), ("space", b"refs/a b"), ("del", b"refs/a\x7f"), ("tilde", b"refs/a~b"),
            ("caret", b"refs/a^b"), ("colon", b"refs/a:b"), ("question-mark", b"refs/a?"), ("asterisk", b"refs/a*"),
            ("bracket", b"refs/a[b"), ("backslash", b"refs/a\\b"), ("last-dot", b"refs/a."),
            ("long", b"refs" + 2046 * b"/a")]:
        yield f"name-{name}", refs_payload(one_ref(bad)), "bad name of a ref"
    yield "head-name", refs_payload(head=b"\1" + string(b"main")), "bad name of a ref"
    yield "symbolic-target", refs_payload(one_ref(b"refs/a", 3, string(b"HEAD"))), "bad name of a ref"
    long_name = b"refs/" + 256 * b"a"
    yield "symbolic-component", refs_payload(one_ref(long_name, 3, string(REF))), "long name of a symbolic ref"
    yield "head-kind", refs_payload(head=b"\3" + string(REF)), "unknown kind of HEAD"
    yield "kind", refs_payload(one_ref(REF, 4)), "unknown kind of ref"
    yield "order", refs_payload(one_ref(b"refs/b"), one_ref(b"refs/a")), "refs do not ascend"
    yield "twice", refs_payload(one_ref(b"refs/a"), one_ref(b"refs/a")), "refs do not ascend"
    yield "heads", refs_payload(one_ref(b"refs/heads")), "a ref is a directory"
    between = one_ref(b"refs/a-b")
    yield "directory", refs_payload(one_ref(b"refs/a"), between, one_ref(b"refs/a/b")), "a ref is a directory"
    yield "count", refs_payload(one_ref(REF), count=2), "unknown kind of ref"
    yield "shallow-order", refs_payload(shallow=b"\2" + bytes(40)), "REFS: ids do not ascend"
    yield "left-over", refs_payload() + b"\0", "REFS: bytes are left over"


def blobs(*contents):
    return Draft().add_blobs(*(contents or (b"one\n", b"two\n")))


def many_objects():
    return blobs(*(b"%x" % number for number in range(65536)))


def edited_block(draft, edit):
    edit(draft.blocks[0])
    return draft.build()


def compressed(raw, **options):
    return zstandard.ZstdCompressor(**options).compress(raw)


def blocks():
    def attribute(name, value):
        return lambda block: setattr(block, name, value)

    for name, edit, message in [
            ("kind", attribute("kind", 7), "unknown block kind 7"),
            ("type", attribute("type", 5), "wrong object type or object count"),
            ("no-objects", attribute("count", 0), "wrong object type or object count"),
            ("count", attribute("count", 1), "disagrees with BTAB"),
            ("first-object", attribute("first", 1), "disagrees with BTAB"),
            ("segment-offset", attribute("offset", 1), "wrong object count or segment offset"),
            ("left-over", attribute("after", b"\0"), "bytes after the last stream"),
            ("flags", attribute("flags", 1 << 16), "reserved flags of chunk b'BLCK'"),
            ("stream-missing", lambda block: block.streams.pop(), "wrong streams"),
            ("stream-twice", lambda block: block.streams.append(block.streams[0]), "wrong streams"),
            ("stream-of-other-kind", lambda block: block.streams.append(Stream("bases", b"")), "wrong streams"),
            ("stream-unknown", lambda block: block.streams.append(Stream(28, b"")), "wrong streams"),
            ("codec", lambda block: setattr(block.streams[1], "codec", 3), "unknown codec"),
            ("stream-reserved", lambda block: setattr(block.streams[1], "reserved", 1), "reserved bits of a stream"),
            ("raw-size", lambda block: setattr(block.streams[1], "raw_size", 7), "wrong raw size")]:
        yield name, edited_block(blobs(), edit), message
    for kind, feature in ((3, b"deltas"), (4, b"trees"), (5, b"commits")):
        draft = golden("columns")
        draft.required.remove(feature)
        yield f"without-{feature.decode()}", draft.build(), f"a block of kind {kind} without its required feature"
    draft = golden("columns")
    next(block for block in draft.blocks if block.kind == 3).type = TREE
    yield "type-of-kind", draft.build(), "wrong object type or object count"


def zstd():
    raw = b"one\ntwo\n"
    one, empty, skippable = compressed(raw), compressed(b""), b"\x50\x2a\x4d\x18\1\0\0\0a"
    with_id = bytearray(one)  # as if a dictionary with the id 7 was used
    with_id[4] |= 1
    with_id.insert(5, 7)
    for name, stored, raw_size, message in [
            ("two-frames", compressed(raw[:4]) + compressed(raw[4:]), 8, "more than one frame of zstd"),
            ("empty-frame-after", one + empty, 8, "more than one frame of zstd"),
            ("skippable-before", skippable + one, 8, "zstd"),
            ("skippable-after", one + skippable, 8, "more than one frame of zstd"),
            ("left-over", one + b"\0", 8, "more than one frame of zstd"),
            ("cut", one[:-1], 8, "a frame of zstd ends too early"),
            ("raw-size-small", one, 7, "wrong raw size"),
            ("raw-size-large", one, 9, "wrong raw size"),
            ("raw-size-small-without-content-size", compressed(raw, write_content_size=False), 7, "wrong raw size"),
            ("raw-size-large-without-content-size", compressed(raw, write_content_size=False), 9, "wrong raw size"),
            ("dictionary", bytes(with_id), 8, "more than one frame of zstd"),
            ("magic", b"\0" + one[1:], 8, "zstd")]:
        draft = blobs()
        draft.blocks[0].streams[1] = Stream("contents", raw, stored, raw_size=raw_size)
        yield name, draft.build(), message
    for name, frame in [("empty-with-content", b"\x20\0\x2b\0\0a"),  # the frame says that it has no content
                        ("empty-with-unknown-block", b"\x20\0\7\0\0"),
                        ("empty-with-compressed-block-of-no-bytes", b"\0\0\5\0\0")]:
        draft = blobs(b"")
        draft.blocks[0].streams[1] = Stream("contents", b"", b"\x28\xb5\x2f\xfd" + frame)
        yield name, draft.build(), "zstd"


def objects():
    for name, sizes, message in [("sum-small", varints(4, 3), "left over in a stream"),
                                 ("sum-large", varints(4, 5), "contents ends too early"),
                                 ("left-over", varints(4, 4, 0), "left over in a stream"),
                                 ("sizes-cut", varints(8), "sizes ends too early"),
                                 ("varint-long", b"\x84\0\4", "sizes: bad varint"),
                                 ("varint-65-bits", b"\4" + b"\x84" + 8 * b"\x80" + b"\2", "sizes: bad varint"),
                                 ("varint-11-bytes", b"\4" + b"\x84" + 9 * b"\x80" + b"\1", "sizes: bad varint")]:
        draft = blobs()
        draft.blocks[0].edit("sizes", sizes)
        yield name, draft.build(), message
    draft = blobs()
    draft.blocks[0].edit("contents", b"one\nTwo\n")
    yield "content", draft.build(), "wrong content"


def segment_file(*segments, size=8, types=(BLOB, BLOB), sizes=None):
    """Segments (offset, bytes) of the blob 'one two\\n'."""
    draft, content = Draft(), b"one two\n"
    for i, (offset, part) in enumerate(segments):
        of_whole = varint(size if sizes is None else sizes[i])
        block = Block(2, types[i], {"sizes": of_whole, "contents": part}, 1, offset)
        draft.add(block, ids=[draft.hash(BLOB, content)] if i == 0 else None)
    return draft


def segments():
    one, two = (0, b"one "), (4, b"two\n")
    draft = segment_file(one, two)
    draft.blocks[0].count = 2
    yield "count", draft.build(), "wrong object count or segment offset"
    for name, found, message in [
            ("first-offset", segment_file((1, b"ne "), two), "a gap between segments"),
            ("gap", segment_file(one, (5, b"wo\n")), "a gap between segments"),
            ("overlap", segment_file(one, (3, b" two\n")), "a gap between segments"),
            ("order", segment_file(two, one), "a gap between segments"),
            ("missing", segment_file(one), "segments do not make up the object"),
            ("beyond", segment_file(one, (4, b"two\n\n")), "segments do not make up the object"),
            ("empty", segment_file((0, b""), (0, b"one two\n")), "segments that do not fit"),
            ("types", segment_file(one, two, types=(BLOB, TAG)), "segments that do not fit"),
            ("sizes", segment_file(one, two, sizes=(9, 8)), "segments that do not fit"),
            ("first-object", segment_file(one, two), "disagrees with BTAB")]:
        if name == "first-object":
            found.blocks[1].first = 1
        yield name, found.build(), message
    draft = segment_file(one, two)
    draft.blocks[1] = Block(1, BLOB, {"sizes": varint(4), "contents": b"two\n"})
    yield "other-kind", draft.build(), "several blocks of one object"


def delta_file(**streams):
    """The example of "Deltas"."""
    right = {"sizes": b"\x0d\x03", "bases": b"\0\1", "literal_lengths": b"\0\1", "copy_lengths": b"\4\0",
             "copy_offsets": b"\0\0", "literals": b"one two three2"}
    return Draft().add(Block(3, BLOB, right | streams, 2), [b"one two three", b"one 2 three"])


def deltas():
    for name, message, streams in [
            ("base", "the base is not in the block", {"bases": b"\0\2"}),
            ("base-of-first", "the base is not in the block", {"bases": b"\1\1"}),
            ("negative-size", "a negative size", {"sizes": b"\x0d" + signed(-14)}),
            ("literals-beyond", "literals beyond the blob", {"literal_lengths": b"\0\x08"}),
            ("literals-cut", "literals ends too early", {"literals": b"one two three"}),
            ("copy-beyond", "bad copy", {"copy_lengths": varints(4, 7)}),
            ("copy-before-base", "bad copy", {"copy_offsets": signed(-1, 0)}),
            ("copy-after-base", "bad copy", {"copy_offsets": signed(0, 1)}),
            ("copy-cut", "copy_lengths ends too early", {"copy_lengths": b"\4"}),
            ("content", "wrong content", {"copy_offsets": signed(1, 0)})]:
        yield name, delta_file(**streams).build(), message
    for stream in ("sizes", "bases", "literal_lengths", "copy_lengths", "copy_offsets", "literals"):
        draft = delta_file()
        draft.blocks[0].edit(stream, draft.blocks[0].stream(stream).raw + b"\0")
        yield f"left-over-{stream.replace('_', '-')}", draft.build(), "left over in a stream"


def tree_file(outside=b"", first=None, **streams):
    """Trees of two blobs: the first has one entry `a`, the second changes its child."""
    draft = blobs(b"one\n", b"two\n")
    right = {"sizes": b"\x1d\0", "bases": b"\0\1", "edit_counts": b"\3\1", "edit_runs": b"\0\0",
             "edit_kinds": b"\2\0", "names": b"\0", "modes": b"\0", "children": b"\1\1",
             "child_differences": signed(1, -2), "name_texts": b"a\0", "outside_ids": outside}
    contents = [first or b"100644 a\0" + draft.ids[1], b"100644 a\0" + draft.ids[0]]
    return draft.add(Block(4, TREE, right | streams, 2), contents)


def trees():
    for name, message, streams in [
            ("base", "the base is not in the block", {"bases": b"\0\2"}),
            ("edit-kind", "unknown edit, or beyond the base", {"edit_kinds": b"\2\3"}),
            ("run-beyond", "unknown edit, or beyond the base", {"edit_runs": b"\0\2"}),
            ("change-beyond", "unknown edit, or beyond the base", {"edit_runs": b"\0\1"}),
            ("run-of-whole-tree", "unknown edit, or beyond the base", {"edit_runs": b"\1\0"}),
            ("mode", "no such name or mode", {"modes": b"\5"}),
            ("name-back", "no such name or mode", {"names": b"\1"}),
            ("name-missing", "name_texts: a text without its zero byte", {"name_texts": b""}),
            ("name-without-zero", "name_texts: a text without its zero byte", {"name_texts": b"a"}),
            ("child-not-in-list", "a child that is not in the list", {"children": b"\1\3"}),
            ("child-negative", "a link to -1, which is not there", {"child_differences": signed(1, -3)}),
            ("child-beyond", "a link to 4, which is not there", {"child_differences": signed(4, -5)}),
            ("outside-ids", "wrong size of outside ids", {"outside_ids": bytes(19)}),
            ("size", "wrong size of a tree", {"sizes": b"\x1d\2"}),
            ("negative-size", "a negative size", {"sizes": b"\x1d" + signed(-30)}),
            ("content", "wrong content", {"child_differences": signed(1, -1)})]:
        yield name, tree_file(**streams).build(), message
    for stream in ("sizes", "bases", "literals", "edit_counts", "edit_runs", "edit_kinds", "names", "modes",
                   "children", "child_differences", "name_texts"):
        draft = tree_file()
        draft.blocks[1].edit(stream, draft.blocks[1].stream(stream).raw + b"\0")
        yield f"left-over-{stream.replace('_', '-')}", draft.build(), "left over in a stream"
    yield "list-of-64", long_list(64).build(), "a child that is not in the list"
    draft = tree_file()
    verbatim = b"100664 a\0" + draft.ids[1]
    yield "base-verbatim", tree_file(first=verbatim, literals=verbatim, edit_counts=b"\0\1", edit_runs=b"\0",
                                     edit_kinds=b"\0", names=b"", modes=b"", children=b"\1",
                                     child_differences=b"\0", name_texts=b"").build(), "a base is verbatim"


def long_list(position):
    """A tree of 69 entries of one name. A list keeps 64 children: 2 is the last one of them."""
    draft = Draft().add_blobs(*(b"%d\n" % number for number in range(66)))
    order = [*range(66), 65, 2, 2]
    content = b"".join(b"100644 a\0" + draft.ids[child] for child in order)
    return draft.add(Block(4, TREE, {
        "sizes": varint(len(content)), "bases": b"\0", "edit_counts": varint(2 * len(order) + 1),
        "edit_runs": bytes(len(order)), "edit_kinds": b"\2" * len(order),
        "names": b"\0" + b"\1" * (len(order) - 1), "modes": bytes(len(order)),
        "children": varints(*[0] * 66, 2, 2 + position, 2), "name_texts": b"a\0"}), [content])


def commit_file(identity=b"A <a>", zone=b"+0", headers=b"", message=b"\nm\n", **streams):
    """One commit of the empty tree, an outside id."""
    draft = Draft()
    tree = draft.hash(TREE, b"")
    content = b"tree %s\nauthor %s 0 %s\ncommitter %s 0 %s\n%s%s" % (
        tree.hex().encode(), identity, zone, identity, zone, headers, message)
    right = {"outside_ids": tree, "root_trees": signed(1), "parent_counts": b"\1", "identities": b"\0\2",
             "identity_texts": identity + b"\0" + zone + b"\0", "times": b"\0\0", "time_zones": b"\0\2",
             "header_sizes": varint(len(headers)), "headers": headers, "message_sizes": varint(len(message)),
             "messages": message}
    return draft.add(Block(5, COMMIT, right | streams), [content])


def commits():
    for name, message, form in [
            ("identity-end", "bad identity", {"identity": b"A <a> "}),
            ("identity-line-feed", "bad identity", {"identity": b"A\n<a>"}),
            ("zone-bracket", "bad identity", {"zone": b"> 5 +0"}),
            ("zone-line-feed", "bad identity", {"zone": b"+0\nx"}),
            ("headers-empty-line-first", "bad headers of a commit", {"headers": b"\nx y\n", "message": b""}),
            ("headers-empty-line", "bad headers of a commit", {"headers": b"x y\n\nz\n", "message": b""}),
            ("headers-end", "bad message of a commit", {"headers": b"x y"}),
            ("message-begin", "bad message of a commit", {"message": b"m\n"}),
            ("tree-beyond", "a link to 2, which is not there", {"root_trees": signed(2)}),
            ("tree-negative", "a link to -1, which is not there", {"root_trees": signed(-1)}),
            ("parent-beyond", "a link to 2, which is not there", {"parent_counts": b"\2", "parents": signed(1)}),
            ("parents", "more parents than are left", {"parent_counts": b"\3", "parents": signed(0)}),
            ("text-missing", "identity_texts: a text without its zero byte", {"identity_texts": b"A <a>\0"}),
            ("identity-back", "no such text", {"identities": b"\0\3"}),
            ("zone-number", "no such text", {"time_zones": b"\0\3"}),
            ("outside-ids", "wrong size of outside ids", {"outside_ids": bytes(21)}),
            ("content", "wrong content", {"times": b"\0\2"})]:
        yield name, commit_file(**form).build(), message
    for stream in ("root_trees", "parent_counts", "parents", "identities", "identity_texts", "times",
                   "time_zones", "header_sizes", "headers", "message_sizes", "messages"):
        draft = commit_file()
        draft.blocks[0].edit(stream, draft.blocks[0].stream(stream).raw + b"\0")
        yield f"left-over-{stream.replace('_', '-')}", draft.build(), "left over in a stream"


def block_table():
    def last(rows, offset=0, first=0):
        return [*rows[:-1], (rows[-1][0] + offset, rows[-1][1] + first)]

    for name, edit, message in [
            ("first-offset", lambda rows: [(rows[0][0] + 1, 0), *rows[1:]], "BTAB disagrees with the file"),
            ("first-object", lambda rows: [(rows[0][0], 1), *rows[1:]], "BTAB disagrees with the file"),
            ("last-offset", lambda rows: last(rows, offset=1), "BTAB disagrees with the file"),
            ("last-count", lambda rows: last(rows, first=1), "BTAB disagrees with the file"),
            ("offsets", lambda rows: [rows[0], rows[2], rows[1], rows[3]], "BTAB does not ascend"),
            ("objects", lambda rows: [rows[0], (rows[1][0], 5), (rows[2][0], 4), rows[3]], "BTAB does not ascend"),
            ("close", lambda rows: [rows[0], (rows[0][0] + 23, 2), *rows[2:]], "BTAB does not ascend"),
            ("between", lambda rows: [rows[0], (rows[1][0] + 1, 2), *rows[2:]], "chunk b'BLCK' is not where it should"),
            ("empty", lambda rows: [], "wrong size of BTAB"),
            ("no-object", lambda rows: [*rows[:2], (rows[2][0], 6), rows[3]], "the last block has no object"),
            ("segments", lambda rows: [rows[0], (rows[1][0], 0), *rows[2:]], "segments of several objects")]:
        draft = Draft()
        for pair in ((b"1", b"2"), (b"3", b"4"), (b"5", b"6")):
            draft.add_blobs(*pair)
        draft.edit_rows = edit
        yield name, draft.build(), message
    draft = blobs()
    draft.edit_payload[b"BTAB"] = lambda payload: payload + b"\0"
    yield "size", draft.build(), "wrong size of BTAB"


def object_index():
    def fan_out(payload, entry, value):
        return payload[:2 + 4 * entry] + struct.pack(">I", value) + payload[6 + 4 * entry:]

    for name, chunk, edit, message in [
            ("p", b"OIDP", lambda payload: b"\2" + payload[1:], "wrong p or w in OIDP"),
            ("w", b"OIDP", lambda payload: b"\1\1" + payload[2:], "wrong p or w in OIDP"),
            ("fan-out", b"OIDP", lambda payload: fan_out(payload, 0, 3), "wrong fan-out"),
            ("fan-out-count", b"OIDP", lambda payload: fan_out(payload, 255, 3), "wrong fan-out"),
            ("ids-cut", b"OIDP", lambda payload: payload[:-1], "OIDP ends too early"),
            ("ids-left-over", b"OIDP", lambda payload: payload + b"\0", "OIDP: bytes are left over"),
            ("numbers-size", b"ONBP", lambda payload: payload + b"\0", "wrong size of ONBP"),
            ("number-twice", b"ONBP", lambda payload: b"\0", "ONBP: bad number"),
            ("number-bits", b"ONBP", lambda payload: bytes([payload[0] | 1]), "ONBP: bad number")]:
        draft = blobs()
        draft.edit_payload[chunk] = edit
        yield name, draft.build(), message
    # Two ids with the same first byte, so that only their order is wrong.
    first = hashlib.sha1(b"blob 1\0a").digest()
    twins = next(n for n in range(10000) if hashlib.sha1(b"blob %d\0%d" % (len(str(n)), n)).digest()[0] == first[0])
    for name, edit in [("order", lambda payload: payload[:1026] + payload[1045:] + payload[1026:1045]),
                       ("twice", lambda payload: payload[:1026] + 2 * payload[1026:1045])]:
        draft = blobs(b"a", b"%d" % twins)
        draft.edit_payload[b"OIDP"] = edit
        yield f"ids-{name}", draft.build(), "ids do not ascend"
    for name, edit, message in [
            ("w", lambda payload: b"\2\2" + payload[2:1026] + b"".join(
                b"\0%c" % count for count in payload[1026:1026 + 65536]) + payload[1026 + 65536:], "wrong w in OIDP"),
            ("counts", lambda payload: payload[:1026] + payload[1282:1282 + 256] + payload[1026:1282]
             + payload[1538:], "wrong counts of buckets")]:
        draft = many_objects()
        draft.edit_payload[b"OIDP"] = edit
        yield f"65536-{name}", draft.build(), message
    draft = blobs()
    numbers = draft.object_numbers(sorted(draft.ids))
    draft.edit_payload[b"ONBP"] = lambda payload: bytes([numbers[0] ^ 0xc0])
    yield "numbers-swapped", draft.build(), "wrong content"


SECTIONS = (header, chunks, refs, blocks, zstd, objects, segments, deltas, trees, commits, block_table, object_index)
