# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files for "Files below": those that every reader accepts, and those that it refuses.
All depend on the golden file BASE, which has to be beside them."""

import functools
import hashlib
import struct

from refused_parts import file_row
from zpack_draft import BLOB, GOLDEN, TREE, Block, Draft, read_zpack, signed, string, varint

BASE = "far-deltas.zpack"
HEAD = b"\1" + string(b"refs/heads/main")
ONE = b"one\n"
ANOTHER = "the file below is another one"


@functools.cache
def base():
    file = read_zpack.ZpackFile(GOLDEN / BASE)
    list(file.verify())
    return file


def refs_payload(**other):
    """REFS: the refs of the base and one more, unless a field is another one."""
    file = base()
    main, = file.refs
    new = b"\1" + string(b"refs/heads/new") + main.target
    ids = b"".join(file.id_of[number] for number in range(file.end))
    whole = HEAD + b"\2" + b"\1" + string(main.name) + main.target + new + b"\0"
    fields = {"n": struct.pack(">I", file.end), "ids": hashlib.sha256(ids).digest(), "hash": file.data[-32:],
              "name": string(BASE.encode()), "head": HEAD, "removed": b"\0", "changed": b"\1" + new, "shallow": b"\0",
              "whole": hashlib.sha256(whole).digest(), "after": b""}
    assert not set(other) - set(fields)
    return b"".join((fields | other).values())


def above(contents=(ONE,), **other):
    """A file with these blobs."""
    draft = Draft()
    draft.required = [b"backing", b"commits", b"deltas", b"trees"]
    draft.first, draft.ids_below, draft.refs = base().end, base().ids, refs_payload(**other)
    return draft.add_blobs(*contents) if contents else draft


def with_files(*rows, removed=b"\0", digest=None):
    """A file with changed files. Without rows, it has those of the base."""
    before = b""
    whole = [b"\0", varint(len(base().files))]
    for file in base().files:
        shared = next(n for n in range(len(before), -1, -1) if file.name.startswith(before[:n]))
        whole.append(file_row(file.name[shared:], file.content, file.group, file.flags & 1, shared))
        before = file.name
    draft = above()
    table = b"\0" + removed + varint(len(rows)) + b"".join(rows) + b"\0"
    draft.extra = [(b"FDAT", b"", 0),
                   (b"FTAB", table + (digest or hashlib.sha256(b"".join(whole)).digest()), 0)]
    return draft


def accepted():
    yield "files-below/one-more", above().build()
    # It was protected since, and has another name.
    yield "files-below/another-file-hash", above(hash=bytes(32)).build()
    yield "files-below/no-object", above(()).build()
    yield "files-below/files-of-the-base", with_files().build()


def bad_refs():
    main, = base().refs
    known = b"\1" + string(b"refs/heads/new") + main.target
    for name, message, field in [
            ("name-empty", "bad name of a file below", {"name": b"\0"}),
            ("name-dots", "bad name of a file below", {"name": b"\2.."}),
            ("name-slash", "bad name of a file below", {"name": string(b"./" + BASE.encode())}),
            ("name-control", "bad name of a file below", {"name": b"\2a\n"}),
            ("name-256", "bad name of a file below", {"name": string(256 * b"a")}),
            ("removed-unknown", "removed refs that are not there", {"removed": b"\1" + string(b"refs/heads/none")}),
            ("removed-twice", "removed refs that are not there", {"removed": b"\2" + 2 * string(main.name)}),
            ("changed-order", "refs do not ascend", {"changed": b"\2" + 2 * known}),
            ("refs-hash", "refs that their hash does not state", {"whole": bytes(32)}),
            ("head", "refs that their hash does not state", {"head": b"\1" + string(b"refs/heads/new")}),
            ("left-over", "REFS: bytes are left over", {"after": b"\0"})]:
        yield name, above(**field), message


def bad_places():
    """Numbers that do not go on, and ids of the file below."""
    n = base().end
    draft = above()
    draft.edit_rows = lambda rows: [(offset, first - n) for offset, first in rows]
    yield "rows-from-0", draft, "BTAB disagrees with the file"
    draft = above()
    draft.blocks[0].first = 0
    yield "block-from-0", draft, "a block disagrees with BTAB"
    draft = above()
    draft.edit_payload[b"OIDP"] = lambda ids: Draft.object_ids(Draft(), [ids[2:]])
    yield "ids-with-fan-out", draft, "wrong p, w or size of OIDP"
    draft = above((ONE, b"two\n"))
    draft.edit_payload[b"ONBP"] = lambda _: n.to_bytes(4, "big")
    yield "numbers-from-n", draft, "wrong size of ONBP"
    content = next(content for _, head, content in base().objects() if head.startswith(b"blob"))
    yield "object-twice", above((content,)), "an object is in two files"
    # A tree whose only entry is the object after the last one.
    entry = b"100644 a\0" + bytes(20)
    tree = Block(4, TREE, {
        "sizes": varint(len(entry)), "bases": b"\0", "edit_counts": b"\3", "edit_runs": b"\0", "edit_kinds": b"\2",
        "names": b"\0", "modes": b"\0", "children": b"\1", "child_differences": signed(n + 1), "name_texts": b"a\0"})
    yield "child-beyond", above(()).add(tree, [entry]), f"a link to {n + 1}, which is not there"


def bad_files():
    name, absent = base().files[0].name, b"description"
    for what, draft, message in [
            ("removed-unknown", with_files(removed=b"\1" + string(absent)), "removed files that are not there"),
            ("removed-twice", with_files(removed=b"\2" + 2 * string(name)), "removed files that are not there"),
            ("flags", with_files(file_row(absent, group=2, flags=4)), "bad group, flags or name"),
            ("continued-unknown", with_files(file_row(absent, group=2, flags=2)), "a file goes on that is not there"),
            ("hash", with_files(digest=bytes(32)), "files that their hash does not state")]:
        yield f"files-{what}", draft, message


def files_below():
    for part in (bad_refs, bad_places, bad_files):
        for name, draft, message in part():
            yield name, draft.build(), message
    both = above()
    both.required.append(b"derived-ids")
    yield "with-derived-ids", both.build(), "both backing and derived-ids"
    without = above()
    del without.required[0]
    yield "without-feature", without.build(), "unknown kind of HEAD"
    yield "another-file", above(hash=bytes(32), ids=bytes(32)).build(), ANOTHER
    counted = above(n=struct.pack(">I", base().end + 1))
    counted.first += 1
    yield "another-count", counted.build(), ANOTHER


SECTIONS = (files_below,)
