# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files for "Far deltas": those that every reader accepts, and those that it refuses."""

from zpack_draft import BLOB, TREE, Block, Draft, signed, varint, varints

BASE = b"one two three\n"


def far_draft():
    draft = Draft()
    draft.required = [b"commits", b"deltas", b"far-bases", b"trees"]
    return draft.add_blobs(BASE, b"another\n")


def far_block(draft, content, base, number, object_type=BLOB):
    """A block with one object: all of object `number`, then what `content` has more."""
    more = content[len(base):]
    return Block(6, object_type, {
        "sizes": signed(len(more)), "bases": b"\1", "far_bases": varints(len(draft.ids) - number, len(base)),
        "literal_lengths": b"\0" + varint(len(more)), "copy_lengths": varint(len(base)), "copy_offsets": b"\0",
        "literals": more}, 1)


def add_far(draft, content, base=BASE, number=0, object_type=BLOB):
    return draft.add(far_block(draft, content, base, number, object_type), [content])


def chain(blocks):
    """Far deltas in so many blocks, with the base."""
    draft, content = far_draft(), BASE
    for at in range(blocks - 1):
        add_far(draft, content + b"x", content, at + 1 if at else 0)
        content += b"x"
    return draft


def accepted():
    yield "far-deltas/one-base", add_far(far_draft(), BASE + b"more\n").build()
    yield "far-deltas/64-blocks", chain(64).build()
    # Two objects, of which the second one has the first one as its base.
    draft = far_draft()
    block = Block(6, BLOB, {
        "sizes": signed(1, 1), "bases": b"\1\1", "far_bases": varints(2, len(BASE)), "literal_lengths": b"\0\1\0\1",
        "copy_lengths": varints(14, 15), "copy_offsets": b"\0\0", "literals": b"xy"}, 2)
    yield "far-deltas/base-in-the-block", draft.add(block, [BASE + b"x", BASE + b"xy"]).build()
    draft = far_draft()
    block = Block(6, BLOB, {
        "sizes": signed(1, 1), "bases": b"\1\3", "far_bases": varints(2, len(BASE)) * 2,
        "literal_lengths": b"\0\1\0\1", "copy_lengths": varints(14, 14), "copy_offsets": b"\0\0",
        "literals": b"xy"}, 2)
    yield "far-deltas/base-twice", draft.add(block, [BASE + b"x", BASE + b"y"]).build()
    block = Block(6, BLOB, {"sizes": b"\1", "bases": b"\0", "far_bases": varints(1, 1000), "literals": b"x"})
    yield "far-deltas/base-not-used", far_draft().add(block, [b"x"]).build()
    # A tree against one in a block of trees.
    draft = far_draft()
    entries = [b"100644 %s\0" % name + draft.ids[0] for name in (b"a", b"b")]
    base, content = entries[0], b"".join(entries)
    draft.add(Block(4, TREE, {
        "sizes": varint(len(base)), "bases": b"\0", "edit_counts": b"\3", "edit_runs": b"\0", "edit_kinds": b"\2",
        "names": b"\0", "modes": b"\0", "children": b"\0", "name_texts": b"a\0"}), [base])
    yield "far-deltas/tree", add_far(draft, content, base, 2, TREE).build()
    draft.required = sorted({*draft.required, b"derived-ids"})
    yield "far-deltas/tree-with-derived-ids", draft.build()


def edited(edit):
    draft = far_draft()
    block = far_block(draft, BASE + b"x", BASE, 0)
    edit(block)
    return draft.add(block, [BASE + b"x"]).build()


def far_deltas():
    """Refused."""
    draft = add_far(far_draft(), BASE + b"x")
    draft.required.remove(b"far-bases")
    yield "without-feature", draft.build(), "without its required feature"
    wrong = "a wrong far base"
    for name, far, message in [
            ("base-in-the-block", varints(0, len(BASE)), wrong),
            ("base-before-the-file", varints(3, len(BASE)), wrong),
            ("more-bases-than-objects", varints(2, len(BASE), 1, 8), wrong),
            ("base-without-size", varints(2), "ends too early"),
            ("no-base", b"", "the base is not in the block"),
            ("size", varints(2, len(BASE) - 1), "another type or size"),
            ("other-object", varints(1, len(BASE)), "another type or size")]:
        yield name, edited(lambda block, far=far: block.edit("far_bases", far)), message
    yield "base-number", edited(lambda block: block.edit("bases", b"\2")), "the base is not in the block"
    yield "65-blocks", chain(65).build(), "more than 64 blocks"
    draft = add_far(far_draft(), b"another\nx", b"another\n", 1)
    draft.blocks[-1].type = TREE
    yield "type", draft.build(), "another type or size"
    draft = far_draft()
    block = far_block(draft, BASE + b"x", BASE, 0)
    block.type = 4
    yield "of-tags", draft.add(block, [BASE + b"x"]).build(), "wrong object type"
    draft = Draft()
    draft.required = [b"commits", b"deltas", b"far-bases", b"trees"]
    draft.add(Block(2, BLOB, {"sizes": varint(len(BASE)), "contents": BASE}), [BASE])
    yield "base-in-a-segment", add_far(draft, BASE + b"x").build(), "in segments"
    draft = far_draft()
    block = far_block(draft, BASE + b"x", BASE, 0)
    yield "content", draft.add(block, [BASE + b"y"]).build(), "wrong content"


SECTIONS = (far_deltas,)
