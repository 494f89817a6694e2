# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Files for "Derived ids": those that every reader accepts, and those that it refuses."""

from refused_objects import commit_file
from zpack_draft import COMMIT, TREE, Block, Draft, golden, signed, string, varints

MODES = {b"100644": 0, b"40000": 2, b"160000": 4}
BLOB = b"one\n"


def derived(width=20):
    draft = Draft(width)
    draft.required = [b"commits", b"deltas", b"derived-ids", b"trees"]
    return draft


def entry(mode, name, child):
    return mode + b" " + name + b"\0" + child


def add_trees(draft, trees, contents):
    """A block of trees that have one entry each: mode, name, and number of the child."""
    return draft.add(Block(4, TREE, {
        "sizes": varints(*map(len, contents)), "bases": bytes(len(trees)), "edit_counts": b"\3" * len(trees),
        "edit_runs": bytes(len(trees)), "edit_kinds": b"\2" * len(trees), "names": bytes(len(trees)),
        "modes": bytes(MODES[mode] for mode, *_ in trees), "children": b"\1" * len(trees),
        "child_differences": signed(*(child for *_, child in trees)),
        "name_texts": b"".join(name + b"\0" for _, name, _ in trees)}, len(trees)), contents)


def trees_of_one_blob():
    """Contents: a tree of the blob, and one of that tree."""
    draft = Draft()
    lower = entry(b"100644", b"a", draft.hash(3, BLOB))
    return lower, entry(b"40000", b"b", draft.hash(TREE, lower))


def accepted():
    yield "derived-ids/no-object", derived().build()
    yield "derived-ids/blobs", derived().add_blobs(b"one\n", b"two\n").build()
    for name in ("columns", "sha256", "segments", "history", "promised", "groups"):
        draft = golden(name)
        draft.required = sorted({*draft.required, b"derived-ids"})
        yield f"derived-ids/golden-{name}", draft.build()
    lower, upper = trees_of_one_blob()
    below, above = (b"100644", b"a"), (b"40000", b"b")
    draft = add_trees(derived().add_blobs(BLOB), [(*below, 0)], [lower])
    yield "derived-ids/children-before", add_trees(draft, [(*above, 1)], [upper]).build()
    draft = add_trees(add_trees(derived(), [(*above, 1)], [upper]), [(*below, 2)], [lower])
    yield "derived-ids/children-after", draft.add_blobs(BLOB).build()
    draft = add_trees(derived().add_blobs(BLOB), [(*below, 0), (*above, 1)], [lower, upper])
    yield "derived-ids/child-before-in-block", draft.build()
    draft = add_trees(derived().add_blobs(BLOB), [(*above, 2), (*below, 0)], [upper, lower])
    yield "derived-ids/child-after-in-block", draft.build()
    # Trees 0 and 1 in one block, 2 and 3 in another: 0 names 2, and 3 names 1.
    blob = Draft().hash(3, BLOB)
    second, third = entry(b"100644", b"b", blob), entry(b"100644", b"c", blob)
    first, fourth = (entry(b"40000", name, Draft().hash(TREE, tree)) for name, tree in ((b"a", third), (b"d", second)))
    draft = add_trees(derived(), [(b"40000", b"a", 2), (b"100644", b"b", 4)], [first, second])
    draft = add_trees(draft, [(b"100644", b"c", 4), (b"40000", b"d", 1)], [third, fourth])
    yield "derived-ids/blocks-that-need-each-other", draft.add_blobs(BLOB).build()
    commit = commit_file()
    link = entry(b"160000", b"a", commit.ids[0])
    draft = add_trees(derived(), [(b"160000", b"a", 1)], [link])
    commit.blocks[0].edit("root_trees", signed(2))
    draft.add(Block(5, COMMIT, commit.blocks[0].streams), ids=commit.ids)
    yield "derived-ids/submodule", draft.build()


def with_index(names, feature):
    draft = Draft()
    draft.required = [b"derived-ids"] * feature
    draft.index = names
    return draft.add_blobs(BLOB).build()


def derived_ids():
    cannot = "ids that cannot be computed"
    made_up = bytes([9]) * 20, bytes([8]) * 20
    draft = derived()
    for number, (mode, name) in enumerate([(b"40000", b"a"), (b"40000", b"b")]):
        add_trees(draft, [(mode, name, 1 - number)], [entry(mode, name, made_up[number])])
    yield "trees-that-name-each-other", draft.build(), cannot
    yield "tree-that-names-itself", add_trees(derived(), [(b"40000", b"a", 0)],
                                              [entry(b"40000", b"a", made_up[0])]).build(), cannot
    yield "object-twice", derived().add_blobs(BLOB, BLOB).build(), "an object is twice"
    draft = derived().add_blobs(BLOB, b"two\n")
    draft.ids.reverse()
    yield "digest-of-another-order", draft.build(), "ids that OIDH does not state"
    for name, edit in (("cut", lambda payload: payload[:-1]), ("left-over", lambda payload: payload + b"\0"),
                       ("other", lambda payload: bytes([payload[0] ^ 1]) + payload[1:])):
        draft = derived().add_blobs(BLOB)
        draft.edit_payload[b"OIDH"] = edit
        yield f"digest-{name}", draft.build(), "ids that OIDH does not state"
    yield "without-digest", with_index([b"OIDP", b"ONBP"], True), "a chunk is missing"
    for name in (b"OIDP", b"ONBP"):
        yield f"with-{name.decode().lower()}", with_index([name, b"OIDH"], True), "OIDH without its feature, or an index"
    yield "without-feature", with_index([b"OIDP", b"ONBP", b"OIDH"], False), "OIDH without its feature, or an index"
    yield "without-feature-and-index", with_index([b"OIDH"], False), "a chunk is missing"
    draft = derived().add_blobs(BLOB)
    draft.required.append(b"promised")
    draft.extra.append((b"PROM", b"\1" + string(b"origin") + b"\0\0\1" + draft.ids[0], 1))
    yield "promised-and-in-file", draft.build(), "both promised and in the file"


SECTIONS = (derived_ids,)
