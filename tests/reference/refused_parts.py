# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files that break one rule of FORMAT.md each, from "Files" to "Expansion": the name,
the bytes, and a part of what the reference reader says."""

import hashlib

import zstandard

from zpack_draft import BLOB, Block, Draft, golden, signed, string, varint, varints

LFS = b"lfs/objects/%s/%s/%s"


def file_row(name, content=b"", group=9, flags=0, shared=0, sha256=None):
    return (bytes([group, flags]) + varint(shared) + string(name) + varint(len(content))
            + (sha256 or hashlib.sha256(content).digest()))


def files_draft(*rows, content=b"", left_out=b"\0", pieces=None, after=b""):
    stored = zstandard.ZstdCompressor().compress(content) if content else b""
    if pieces is None:
        pieces = varints(1, len(stored)) if content else b"\0"
    draft = Draft().add_blobs(b"one\n")
    table = left_out + varint(len(rows)) + b"".join(rows) + pieces + after
    draft.extra = [(b"FDAT", stored, 0), (b"FTAB", table, 0)]
    return draft


BAD_NAMES = {
    "reflog": (1, b"logs/a"), "reflog-name": (1, b"logs/refs/a..b"), "reflog-heads": (1, b"logs/refs/heads"),
    "reflog-component": (1, b"logs/refs/" + 256 * b"a"), "description": (2, b"Description"),
    "info": (3, b"info/sparse-checkout"), "hook-dot": (4, b"hooks/.a"), "hook-sample": (4, b"hooks/a.sample"),
    "hook-archived": (4, b"hooks/a.archived"), "hook-slash": (4, b"hooks/a/b"), "hook-space": (4, b"hooks/a b"),
    "hook-empty": (4, b"hooks/"), "hook-long": (4, b"hooks/" + 247 * b"a"), "lfs": (5, b"lfs/objects/ab/cd/abcd"),
    "lfs-directory": (5, LFS % (b"00", b"00", hashlib.sha256(b"").hexdigest().encode())),
    "config": (6, b"config.worktree"), "worktree": (7, b"worktrees/a/index"), "worktree-dot": (7, b"worktrees/.a/HEAD"),
    "worktree-long": (7, b"worktrees/" + 247 * b"a" + b"/HEAD"), "alternates": (8, b"objects/info/http-alternates"),
    "other-parent": (9, b"a/../b"), "other-dot": (9, b"./a"), "other-absolute": (9, b"/a"), "other-slash": (9, b"a//b"),
    "other-control": (9, b"a\nb"), "other-del": (9, b"a\x7f"), "other-component": (9, 247 * b"a"),
    "other-long": (9, b"/".join([245 * b"a"] * 16 + [151 * b"b"])), "other-archived": (9, b"a.archived/b"),
    "other-hooks": (9, b"Hooks/a"), "other-config": (9, b"CONFIG"), "other-lfs": (9, b"lfs/Objects/a"),
    "other-info": (9, b"INFO/grafts"), "other-empty": (9, b"")}


def files():
    for name, (group, bad) in BAD_NAMES.items():
        yield f"name-{name}", files_draft(file_row(bad, group=group)).build(), "bad group, flags or name"
    digest = hashlib.sha256(b"b").hexdigest().encode()
    content = b"some text\n"
    for name, draft, message in [
            ("group", files_draft(file_row(b"a", group=10)), "bad group, flags or name"),
            ("group-zero", files_draft(file_row(b"a", group=0)), "bad group, flags or name"),
            ("flags", files_draft(file_row(b"a", flags=2)), "bad group, flags or name"),
            ("order", files_draft(file_row(b"b"), file_row(b"a")), "names of files do not ascend"),
            ("twice", files_draft(file_row(b"a"), file_row(b"", shared=1)), "names of files do not ascend"),
            ("prefix", files_draft(file_row(b"aa"), file_row(b"ab")), "the shared prefix is not the longest"),
            ("prefix-beyond", files_draft(file_row(b"a"), file_row(b"b", shared=2)), "names of files do not ascend"),
            ("directory", files_draft(file_row(b"a"), file_row(b"-b", shared=1), file_row(b"/b", shared=1)),
             "the name of a file is a directory"),
            ("left-out-order", files_draft(left_out=b"\2\5\1"), "wrong groups that were left out"),
            ("left-out-group", files_draft(left_out=b"\1\x0a"), "wrong groups that were left out"),
            ("pieces", files_draft(file_row(b"a", content), content=content, pieces=b"\2\1\x12"),
             "the pieces do not fill FDAT"),
            ("pieces-size", files_draft(file_row(b"a", content), content=content, pieces=b"\1\1"),
             "the pieces do not fill FDAT"),
            ("no-piece", files_draft(file_row(b"a", content), content=content, pieces=b"\0"),
             "the pieces do not fill FDAT"),
            ("left-over", files_draft(after=b"\0"), "FTAB: bytes are left over"),
            ("cut", files_draft(file_row(b"a")[:-1], pieces=b""), "FTAB ends too early"),
            ("hash", files_draft(file_row(b"a", content, sha256=bytes(32)), content=content), "wrong hash of b'a'"),
            ("size", files_draft(file_row(b"a", content[1:]), content=content), "wrong raw size"),
            ("lfs-hash", files_draft(file_row(LFS % (digest[:2], digest[2:4], digest), b"a", 5), content=b"a"),
             "wrong name of an LFS object"),
            ("content-limit", files_draft(b"\x09\0\0\1a" + varint(1 << 40) + bytes(32), pieces=b"\0"),
             "more content than the size of the file allows")]:
        yield name, draft.build(), message
    draft = files_draft()
    del draft.extra[0]
    yield "without-contents", draft.build(), "FDAT without FTAB"
    draft = files_draft()
    del draft.extra[1]
    yield "without-table", draft.build(), "FDAT without FTAB"


def remote(name=b"origin", url=b"", object_filter=b"", more=b""):
    return string(name) + string(url) + string(object_filter) + more


def promised_objects():
    one = b"\1" + remote() + b"\1" + bytes([7]) * 20
    for name, payload, message in [
            ("no-remote", b"\0" + one[-21:], "wrong number of remotes"),
            ("remotes", varint(257) + b"".join(remote(b"r%d" % n) for n in range(257)) + one[-21:],
             "wrong number of remotes"),
            ("remote-name", b"\1" + remote(b"a..b") + one[-21:], "bad name of a remote"),
            ("remote-dash", b"\1" + remote(b"-a") + one[-21:], "bad name of a remote"),
            ("remote-twice", b"\2" + remote() * 2 + one[-21:], "wrong number of remotes"),
            ("url", b"\1" + remote(url=b"a\nb") + one[-21:], "bad URL or filter"),
            ("url-long", b"\1" + remote(url=4096 * b"a") + one[-21:], "bad URL or filter"),
            ("filter", b"\1" + remote(object_filter=b"\x7f") + one[-21:], "bad URL or filter"),
            ("no-object", b"\1" + remote() + b"\0", "no promised object, or the null id"),
            ("null-id", b"\1" + remote() + b"\1" + bytes(20), "no promised object, or the null id"),
            ("order", b"\1" + remote() + b"\2" + bytes([7]) * 40, "PROM: ids do not ascend"),
            ("count", b"\1" + remote() + b"\2" + bytes([7]) * 20, "PROM ends too early"),
            ("left-over", one + b"\0", "PROM: bytes are left over"),
            ("in-file", one[:-20] + hashlib.sha1(b"blob 4\0one\n").digest(), "both promised and in the file"),
            ("without-feature", one, "PROM without its feature"),
            ("without-chunk", None, "PROM without its feature")]:
        draft = Draft().add_blobs(b"one\n")
        if name != "without-feature":
            draft.required.append(b"promised")
        if payload is not None:
            draft.extra = [(b"PROM", payload, 1)]
        yield name, draft.build(), message


def copies():
    draft = golden("history")
    draft.edit_payload[b"COPY"] = lambda payload: payload[:100] + bytes([payload[100] ^ 1]) + payload[101:]
    yield "differs", draft.build(), "COPY is not last or differs"
    draft = golden("history")
    draft.after_copy = [(b"NEWX", b"x")]
    yield "not-last", draft.build(), "COPY is not last or differs"


def table_of_contents():
    def moved(row, distance):
        return row[0], row[1], row[2] + distance, row[3]

    def extra(name, flags=0):
        draft = golden("history")
        draft.extra.append((name, b"x", flags))
        return draft

    for name, edit, message in [
            ("first", lambda rows: rows[1:], "REFS is not the first chunk"),
            ("order", lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], "gap before chunk"),
            ("gap", lambda rows: [*rows[:2], *rows[3:]], "gap before chunk b'ONBP'"),
            ("overlap", lambda rows: [*rows[:2], moved(rows[2], -1), *rows[3:]], "gap before chunk b'OIDP'"),
            ("first-offset", lambda rows: [moved(rows[0], 1), *rows[1:]], "gap before chunk b'REFS'"),
            ("gap-at-end", lambda rows: rows[:-1], "gap before TOCC"),
            ("twice", lambda rows: [*rows[:3], (b"OIDP", *rows[3][1:]), *rows[4:]], "chunk b'OIDP' twice"),
            ("block", lambda rows: [*rows[:4], (b"BLCK", *rows[4][1:])], "chunk b'BLCK' twice"),
            ("itself", lambda rows: [*rows[:4], (b"TOCC", *rows[4][1:])], "chunk b'TOCC' twice"),
            ("missing", lambda rows: [*rows[:3], (b"ONBQ", 0, *rows[3][2:]), rows[4]], "a chunk is missing"),
            ("printable", lambda rows: [*rows[:4], (b"CO Y", *rows[4][1:])], "bad row of TOCC"),
            ("reserved-flags", lambda rows: [*rows[:4], (b"COPY", 1 << 31, *rows[4][2:])], "bad row of TOCC"),
            ("size", lambda rows: [*rows[:4], (*rows[4][:3], rows[4][3] + 1)], "gap before TOCC"),
            ("offset-64-bits", lambda rows: [*rows[:4], (b"COPY", 0, (1 << 64) - 1, 1)], "gap before chunk b'COPY'")]:
        draft = golden("history")
        draft.edit_contents = edit
        yield name, draft.build(), message
    draft = Draft()
    draft.with_copy = False
    draft.edit_payload[b"TOCC"] = lambda payload: payload + b"\0"
    yield "part-of-row", draft.build(), "wrong place or size of TOCC"
    yield "unknown-required", extra(b"NEWX", 1).build(), "required chunk b'NEWX' needs a newer git-zpack"
    for draft_chunk in (b"OIDS", b"ONUM"):
        yield f"draft-{draft_chunk.decode().lower()}", extra(draft_chunk).build(), "is of a draft of the format"


def trailer():
    for name, at, new, message in [("signature", -72, b"ZEN\0", "wrong trailer"),
                                   ("reserved", -65, b"\1", "wrong trailer"),
                                   ("content-digest", -64, bytes(32), "wrong digest or file hash"),
                                   ("file-hash", -32, bytes(32), "wrong digest or file hash")]:
        data = golden("history").build()
        data = data[:at] + new + data[len(data) + at + len(new):]
        if name != "file-hash":
            size = int.from_bytes(data[24:28], "big")
            data = data[:-32] + hashlib.sha256(data[size:-32] + data[:size]).digest()
        yield name, data, message


def zeros(size, byte=0):
    return zstandard.ZstdCompressor(level=1).compress(bytes([byte]) * size)


def expansion():
    mib = 1 << 20
    # Blobs of 4 MiB that are all but the first four bytes of the first one.
    count = 65
    draft = Draft()
    draft.add(Block(3, BLOB, {
        "sizes": varint(4 * mib) + signed(0) * (count - 1), "bases": b"\0" + varints(*range(1, count)),
        "literal_lengths": b"\4" * (count - 1), "copy_lengths": b"\0" * (count - 1),
        "copy_offsets": signed(0) * (count - 1)}, count), ids=made_up_ids(count))
    add_literals(draft, 4 * mib, count)
    yield "content", draft.build(), "stands for more content"
    count = 134
    draft = Draft()
    draft.add(Block(3, BLOB, {
        "sizes": varint(mib) + signed(0) * (count - 1), "bases": b"\0" + b"\1" * (count - 1),
        "literal_lengths": b"\4" * (count - 1), "copy_lengths": b"\0" * (count - 1),
        "copy_offsets": signed(0) * (count - 1)}, count), ids=made_up_ids(count))
    add_literals(draft, mib, count)
    yield "chains", draft.build(), "stands for more content"
    draft = Draft()
    size = 81 * mib
    for byte in (1, 2):
        draft.add(Block(3, BLOB, {"sizes": varint(size), "bases": b"\0"}), [bytes([byte]) * size])
        literals = draft.blocks[-1].stream("literals")
        literals.raw_size, literals.stored, literals.codec = size, zeros(size, byte), 1
    yield "decoded-size", draft.build(), "stands for more content"


def made_up_ids(count):
    return [hashlib.sha1(b"%d" % number).digest() for number in range(count)]


def add_literals(draft, size, count):
    raw = bytes(size) + b"".join(number.to_bytes(4, "big") for number in range(1, count))
    literals = draft.blocks[0].stream("literals")
    literals.raw_size, literals.stored, literals.codec = len(raw), zstandard.ZstdCompressor().compress(raw), 1


SECTIONS = (files, promised_objects, copies, table_of_contents, trailer, expansion)
