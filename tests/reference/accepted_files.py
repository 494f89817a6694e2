# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files that no writer of this project makes and that every reader accepts, since
FORMAT.md allows what is unusual in them: the name, the bytes, and the number of
objects."""

import hashlib

import zstandard

from refused_objects import (blobs, commit_file, delta_file, long_list, many_objects, one_ref, refs_payload,
                             segment_file, tree_file)
from refused_parts import file_row, files_draft, remote
from zpack_draft import BLOB, COMMIT, TAG, TREE, Block, Draft, Stream, golden, signed, string, varint, varints

REF = b"refs/heads/main"


def header():
    draft = golden("history")
    draft.edit_fields = lambda fields: fields | {"unused": 0xff}
    yield "header/unused-byte", draft.build()
    for name, required, optional in [
            ("optional-feature", [b"deltas"], [b"parity", b"x-2.0"]),
            ("features-order", [b"trees", b"deltas", b"commits", b"deltas"], []),
            ("features-without-use", [b"commits", b"deltas", b"trees"], [b"a" * 255])]:
        draft = golden("history")
        draft.required = required
        draft.optional = optional
        yield f"header/{name}", draft.build()
    yield "header/size-4096", sized(golden("history"), 4096).build()


def sized(draft, size):
    """Optional features up to a header of that size."""
    left = size - 64 - sum(1 + len(name) for name in draft.required)
    while left > 512:
        draft.optional.append(b"a" * 255)
        left -= 256
    draft.optional += [b"b" * (left // 2 - 1), b"c" * (left - left // 2 - 1)]
    return draft


def chunks():
    draft = golden("history")
    draft.extra = [(b"NEWX", b"what a later version says", 0), (b"!~()", b"", 0xfffe), (b"FILL", b"not zero", 0)]
    yield "chunks/unknown", draft.build()
    draft = golden("history")
    draft.flags = {b"REFS": 0, b"BTAB": 0, b"OIDP": 0xfffe, b"ONBP": 0}
    draft.blocks[0].flags = 1
    draft.extra = [(b"FILL", b"", 1), (b"LOST", b"\1" + 20 * b"\1" + b"\2", 1)]
    yield "chunks/bit-0-and-unused-bits", draft.build()
    draft = golden("history")
    draft.with_copy = False
    yield "chunks/no-copy", draft.build()
    draft = files_draft(file_row(b"a", b"text"), content=b"text")
    draft.extra.reverse()
    yield "chunks/order", draft.build()


def refs():
    for name, payload in [
            ("detached-and-missing", refs_payload(head=b"\2" + bytes(20))),
            ("symbolic", refs_payload(one_ref(b"refs/a", 3, string(REF)), one_ref(b"refs/b", 3, string(b"refs/a")))),
            ("symbolic-to-itself", refs_payload(one_ref(REF, 3, string(REF)))),
            ("shallow", refs_payload(shallow=b"\2" + bytes([1]) * 20 + bytes([2]) * 20)),
            ("names", refs_payload(*(one_ref(name) for name in sorted([
                b"refs/@", b"refs/a@b", b"refs/a{", b"refs/-", b"refs/a.b", b"refs/\xff", b"refs/a.lock-",
                b"refs/heads/HEAD", b"refs" + 2045 * b"/a" + b"a", b"refs/" + 256 * b"b"])))),
            ("tag-without-target", refs_payload(one_ref(b"refs/tags/a")))]:
        draft = Draft()
        draft.refs = payload
        yield f"refs/{name}", draft.build()
    empty_tree = Draft().hash(TREE, b"")
    tag = b"object %s\ntype tree\ntag a\n" % empty_tree.hex().encode()
    draft = Draft().add(Block(1, TAG, {"sizes": varint(len(tag)), "contents": tag}), [tag])
    draft.refs = refs_payload(b"\2" + string(b"refs/tags/a") + draft.ids[0] + empty_tree)
    yield "refs/tag-of-the-empty-tree", draft.build()


def blocks():
    draft = golden("columns")
    for block in draft.blocks:
        block.streams = [Stream(stream.kind, stream.raw) for stream in reversed(block.streams)]
    yield "blocks/stored-in-another-order", draft.build()
    for name, options in [("with-checksum", {"write_checksum": True}),
                          ("without-content-size", {"write_content_size": False}),
                          ("level-19", {"level": 19})]:
        draft = golden("columns")
        for block in draft.blocks:
            block.streams = [Stream(stream.kind, stream.raw, zstandard.ZstdCompressor(**options).compress(stream.raw))
                             for stream in block.streams]
        yield f"zstd/{name}", draft.build()
    window = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    raw = b"one\ntwo\n"
    stream = zstandard.ZstdCompressor(compression_params=window).compressobj()
    draft = blobs()
    draft.blocks[0].streams[1] = Stream("contents", raw, stream.compress(raw) + stream.flush())
    yield "zstd/window-of-128-mib", draft.build()
    draft = blobs()
    draft.blocks[0].streams[1] = Stream("contents", raw, b"\x28\xb5\x2f\xfd\0\x58" + b"".join(
        (size << 3 | kind << 1 | last).to_bytes(3, "little") + part for last, kind, size, part in [
            (0, 0, 4, b"one\n"), (0, 0, 0, b""), (1, 0, 4, b"two\n")]))
    yield "zstd/blocks", draft.build()
    for name, frame in [("empty", b"\x20\0\1\0\0"), ("dictionary-id-0", b"\x21\0\0\1\0\0")]:
        draft = blobs(b"")
        draft.blocks[0].streams[1] = Stream("contents", b"", b"\x28\xb5\x2f\xfd" + frame)
        yield f"zstd/{name}", draft.build()
    yield "objects/empty", blobs(b"", b"one\n").build()


def segments():
    yield "segments/one", segment_file((0, b"one two\n")).build()
    yield "segments/of-one-byte", segment_file(*((i, b"one two\n"[i:i + 1]) for i in range(8)),
                                               types=(BLOB,) * 8).build()


def deltas():
    yield "deltas/copy-with-length", delta_file(copy_lengths=b"\4\6", copy_offsets=signed(0, 2)).build()
    yield "deltas/copies-in-pieces", delta_file(literal_lengths=b"\0\0\1\0", copy_lengths=b"\2\2\3\3",
                                                copy_offsets=signed(0, 0, 2, 0)).build()
    yield "deltas/all-literals", delta_file(literal_lengths=b"\x0b", copy_lengths=b"", copy_offsets=b"",
                                            literals=b"one two threeone 2 three").build()
    draft = Draft()
    contents = [b"one\n", b"", b"two\n", b"one\n\n"]
    yield "deltas/empty-and-backwards", draft.add(Block(3, BLOB, {
        "sizes": varint(4) + signed(-4) + signed(4) + signed(1), "bases": b"\0\1\1\3",
        "literal_lengths": b"\4\0\0", "copy_lengths": b"\4\0", "copy_offsets": signed(0, 0),
        "literals": b"one\ntwo\n"}, 4), contents).build()


def trees():
    yield "trees/other-codes", tree_file(outside=bytes([9]) * 20).build()
    draft = blobs(b"one\n", b"two\n")
    entry = b"100644 a\0" + draft.ids[1]
    verbatim = [entry, b"100664 a\0" + draft.ids[1], b"not a tree"]
    sizes = varints(*map(len, verbatim))
    draft.add(Block(4, TREE, {"sizes": sizes, "bases": b"\0\0\0", "edit_counts": b"\0\0\0",
                              "literals": b"".join(verbatim)}, 3), verbatim)
    yield "trees/verbatim", draft.build()
    for name, count in (("without-edits", b"\2"), ("new-lineage-without-edits", b"\1")):
        draft = Draft().add(Block(4, TREE, {"sizes": b"\0", "bases": b"\0", "edit_counts": count}), [b""])
        yield f"trees/{name}", draft.build()
    # Two names with one text; the second has no child yet, so code 0 is `other`.
    draft = blobs(b"one\n", b"two\n")
    contents = [b"100644 a\0" + draft.ids[0], b"100755 a\0" + draft.ids[1]]
    yield "trees/equal-names", draft.add(Block(4, TREE, {
        "sizes": varints(29, 29), "bases": b"\0\0", "edit_counts": b"\3\4", "edit_runs": b"\0\0", "edit_kinds": b"\2\2",
        "names": b"\0\0", "modes": b"\0\1", "children": b"\0\0", "name_texts": b"a\0a\0"}, 2), contents).build()
    yield "trees/list-of-64", long_list(63).build()


def commits():
    yield "commits/parts-empty", commit_file(b">", b"", b"", b"").build()
    yield "commits/header-without-line-feed", commit_file(headers=b"x y", message=b"").build()
    yield "commits/outside-id-unused", commit_file(
        outside_ids=Draft().hash(TREE, b"") + bytes([9]) * 20).build()
    yield "commits/texts-twice", commit_file(
        identities=b"\0\0", identity_texts=b"A <a>\0+0\0A <a>\0+0\0", time_zones=b"\0\0").build()
    tree = Draft().hash(TREE, b"").hex().encode()
    content = b"tree %s\nauthor A <a> 0 +0\ncommitter A <a> 0 +0\n\nm\n" % tree
    draft = Draft()
    for text in (content, b"not a commit"):
        streams = {"parent_counts": b"\0", "message_sizes": varint(len(text)), "messages": text}
        draft.add(Block(5, COMMIT, streams), [text])
    yield "commits/verbatim", draft.build()
    first, last = -1 << 63, (1 << 63) - 1
    text = b"tree %s\nauthor A <a> %d +0\ncommitter A <a> %d +0\n\nm\n" % (tree, last, first)
    draft = commit_file(times=signed(first) + signed(1))
    draft.ids = [draft.hash(COMMIT, text)]
    yield "commits/times-wrap-around", draft.build()


def object_index():
    yield "object-index/no-object", Draft().build()
    yield "object-index/one-object", blobs(b"one\n").build()
    yield "object-index/sha256", golden("sha256").build()
    yield "object-index/65536-objects", many_objects().build()


def files():
    draft = files_draft(left_out=b"\x09\1\2\3\4\5\6\7\x08\x09")
    yield "files/no-file", draft.build()
    digest = hashlib.sha256(b"").hexdigest().encode()
    names = [
        (9, b"HEADS/a"), (9, b"a"), (9, b"a.Archived"), (9, b"a\xff"), (9, b"commondir2"), (6, b"config"),
        (2, b"description"), (4, b"hooks/" + 246 * b"b"), (4, b"hooks/a.sample2"), (9, b"info/sparse-checkout"),
        (5, b"lfs/objects/%s/%s/%s" % (digest[:2], digest[2:4], digest)), (1, b"logs/HEAD"),
        (1, b"logs/refs/heads/a"), (8, b"objects/info/alternates"), (7, b"worktrees/a/logs/HEAD")]
    rows, last = [], b""
    for group, name in sorted(names, key=lambda found: found[1]):
        shared = next((i for i, (a, b) in enumerate(zip(name, last)) if a != b), min(len(name), len(last)))
        rows.append(file_row(name[shared:], group=group, flags=1, shared=shared))
        last = name
    yield "files/names", files_draft(*rows).build()
    content = bytes((4 << 20) + 1)
    pieces = [zstandard.ZstdCompressor().compress(part) for part in (content[:-1], content[-1:])]
    draft = files_draft(file_row(b"a", content), content=content, pieces=varints(2, *map(len, pieces)))
    draft.extra[0] = (b"FDAT", b"".join(pieces), 0)
    yield "files/two-pieces", draft.build()


def promised_objects():
    draft = blobs()
    draft.required.append(b"promised")
    draft.extra = [(b"PROM", b"\2" + remote(b"a", b"", b"tree:0") + remote(b"origin", b"../x.z")
                    + b"\1" + Draft().hash(TREE, b""), 1)]
    yield "promised-objects/two-remotes", draft.build()


def accepted():
    for section in (header, chunks, refs, blocks, segments, deltas, trees, commits, object_index, files,
                    promised_objects):
        yield from section()
