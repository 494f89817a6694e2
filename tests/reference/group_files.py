# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files for "Groups": those that every reader accepts, and those that it refuses."""

import zstandard

from zpack_draft import BLOB, Block, Draft, Stream, golden, varints

TEXTS = b"one two three\n", b"two three four\n", b"three four five\n"
MOST = 64 << 20


def frame(window_log=17):
    """A compressor of pieces."""
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=window_log, write_content_size=0)
    return zstandard.ZstdCompressor(compression_params=parameters).compressobj()


def piece_of(compressor, text):
    return compressor.compress(text) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def blob_block(text, piece, place):
    """One whole blob, whose literals are a piece."""
    block = Block(3, BLOB, {"sizes": varints(len(text)), "bases": b"\0", "literals": text}, 1,
                  place[0] << 32 | place[1])
    block.streams[-1] = Stream("literals", text, piece, codec=2)
    return block


def add_group(draft, texts=TEXTS, window_log=17):
    """A block for each text."""
    compressor, place = frame(window_log), (0, 0)
    for text in texts:
        draft.add(blob_block(text, piece_of(compressor, text), place), [text])
        place = place[0] + 1, place[1] + len(text)
    return draft


def grouped():
    draft = Draft()
    draft.required = [b"commits", b"deltas", b"groups", b"trees"]
    return draft


def stored_pieces(text, window=7 << 3):
    """The header of a frame, and the text as a zstd block that is stored and not the last."""
    return b"\x28\xb5\x2f\xfd\0" + bytes([window]), (len(text) << 3).to_bytes(3, "little") + text


def accepted():
    yield "groups/two-blocks", add_group(grouped(), TEXTS[:2]).build()
    yield "groups/two-groups", add_group(add_group(grouped()), (b"a\n", b"b\n")).build()
    yield "groups/ended-by-another-block", add_group(add_group(grouped()).add_blobs(b"a", b"b"), (b"c\n", b"d\n")).build()
    yield "groups/window-of-64-mib", add_group(grouped(), window_log=26).build()
    draft, start = grouped(), stored_pieces(b"")[0]
    draft.add(blob_block(b"", b"", (0, 0)), [b""])
    for number, text in enumerate(TEXTS[:2]):  # stored: larger than raw
        piece = (start if number == 0 else b"") + stored_pieces(text)[1]
        draft.add(blob_block(text, piece, (number + 1, sum(map(len, TEXTS[:number])))), [text])
    yield "groups/first-piece-empty", draft.build()
    draft = golden("columns")  # its commits, in a group of one block
    draft.required.append(b"groups")
    block = next(block for block in draft.blocks if block.kind == 5)
    raw = block.stream("messages").raw
    block.streams[block.streams.index(block.stream("messages"))] = Stream(
        "messages", raw, piece_of(frame(), raw), codec=2)
    yield "groups/commits", draft.build()
    draft, compressor = grouped(), frame()
    for number in range(256):
        text = b"%d" % (1000 + number)
        draft.add(blob_block(text, piece_of(compressor, text), (number, 4 * number)), [text])
    yield "groups/256-blocks", draft.build()


def edited(edit, at=1):
    draft = add_group(grouped())
    edit(draft.blocks[at])
    return draft.build()


def groups():
    """Refused."""
    does_not_follow, bad_piece = "its place in the group", "a piece of a group"
    draft = add_group(grouped())
    draft.required.remove(b"groups")
    yield "without-groups", draft.build(), "without its required feature"

    def move(blocks_before, raw_size):
        return lambda block: setattr(block, "offset", block.offset + (blocks_before << 32) + raw_size)

    def replace(change):
        def edit(block):
            stream = block.streams[-1]
            block.streams[-1] = Stream("literals", stream.raw, change(stream.stored), codec=2)
        return edit

    for name, edit, at, message in [
            ("place-of-first", move(0, 1), 0, does_not_follow),
            ("place-blocks", move(1, 0), 1, does_not_follow),
            ("place-raw-size", move(0, 1), 2, does_not_follow),
            ("place-without-group", lambda block: block.edit("literals", TEXTS[2]), 2, "segment offset"),
            ("piece-cut", replace(lambda stored: stored[:-1]), 1, bad_piece),
            ("piece-of-more", replace(lambda stored: stored + stored_pieces(b"x")[1]), 1, bad_piece),
            ("piece-of-less", replace(lambda _: b""), 1, bad_piece),
            ("frame-again", replace(lambda stored: stored_pieces(b"")[0] + stored), 1, bad_piece),
            ("skippable", replace(lambda stored: b"\x50\x2a\x4d\x18\0\0\0\0" + stored), 0, bad_piece),
            ("raw-size", lambda block: setattr(block.streams[-1], "raw_size", 15), 0, bad_piece)]:
        yield name, edited(edit, at), message
    # The first block of a group is gone, or the kind of block changes.
    draft = grouped().add_blobs(b"a")
    whole = add_group(grouped())
    for block, text in zip(whole.blocks[1:], TEXTS[1:]):
        draft.add(block, [text])
    yield "begins-late", draft.build(), does_not_follow
    draft, compressor = grouped(), frame()
    end = compressor.compress(TEXTS[0]) + compressor.flush()
    yield "frame-ends", draft.add(blob_block(TEXTS[0], end, (0, 0)), [TEXTS[0]]).build(), bad_piece
    for name, start in [("window-above-64-mib", b"\x28\xb5\x2f\xfd\0" + bytes([(26 - 10) << 3 | 1])),
                        ("dictionary", b"\x28\xb5\x2f\xfd\1" + bytes([7 << 3, 7]))]:
        piece = start + stored_pieces(TEXTS[0])[1]
        yield name, grouped().add(blob_block(TEXTS[0], piece, (0, 0)), [TEXTS[0]]).build(), bad_piece
    block = blob_block(TEXTS[0], piece_of(frame(), TEXTS[0]), (256, 0))
    yield "257-blocks", grouped().add(block, [TEXTS[0]]).build(), "a group is too large"
    block = blob_block(TEXTS[0], piece_of(frame(), TEXTS[0]), (1, MOST - 13))
    yield "above-64-mib", grouped().add(block, [TEXTS[0]]).build(), "a group is too large"
    for kind, name in ((3, "sizes"), (1, "contents")):
        draft = grouped()
        block = Block(kind, BLOB, {"sizes": b"\1", "bases": b"\0", "literals": b"a", "contents": b"a"}, 1)
        stream = block.stream(name)
        block.streams[block.streams.index(stream)] = Stream(name, stream.raw, piece_of(frame(), stream.raw), codec=2)
        yield f"codec-of-{name}", draft.add(block, [b"a"]).build(), "unknown codec"


SECTIONS = (groups,)
