# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the raid 'library' that read, in any order, nested and from several threads."""

import ctypes as c
import random

from raids.library_session import (
    EINTERRUPTED, EINVALID, ELIMIT, ENOTFOUND, OK, TYPES, Archive, BlobCallback, CommitCallback,
    Cost, FileCallback, ForeachOptions, LogOptions, MatchCallback, Object, ObjectCallback, Oid,
    OidCallback, OpenOptions, PieceCallback, Ref, RefCallback, SearchedCallback, SearchOptions,
    Session, StopCallback, WalkCallback, WalkOptions, hex_of, oid_of)

NUMBERS = (0, 1, 2, 3, 255, 4096, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62,
           2**63 - 1, 2**63, 2**64 - 1)
NAMES = (b"", b"HEAD", b"main", b"v1", b"refs/heads/main", b"HEAD~1", b"HEAD^{tree}", b"v1^{}",
         b"HEAD:dir/file1", b":", b"HEAD:", b"HEAD~99999999999999999999", b"HEAD^-1", b"@",
         b"@{-1}", b"HEAD@{1}", b"HEAD^{/x}", b":/m", b"..", b"HEAD^{", b"~" * 70000,
         b"HEAD" + b"^0" * 70000, b"HEAD" + b"^{}" * 50000, b"HEAD:" + b"a/" * 50000,
         b"\xff\x1b[2J", b"HEAD:dir/../dir/file1", b"HEAD^4294967297", b"HEAD~-1",
         b"0" * 39, b"0" * 64)


PATTERNS = (b"", b"line", b"LINE", b"of 1$", b"^line [0-9]*5", b"[[:digit:]]+", b"(line|of)*x",
            b"7", b"e 1", b"a" * 5000, b"(a*)*b", b"one\ntwo", b".", b"(", b"[", b"\\", b"\xff",
            b"\\(x\\)\\1")
PATHSPECS = (b"", b"dir", b"dir/file1", b"*1", b":!dir/file2", b":(icase)DIR", b":(glob)**/f*",
             b"[", b"\xff" * 3000, b":(nonsense)x", b":(attr:x)y", b"../x", b"/")


class Calls(Session):
    def __init__(self, config: dict):
        super().__init__(config)
        self.archives: list[Archive] = []
        self.objects_kept: list[tuple[str, Object]] = []

    # Archives.

    def options(self, chance: random.Random) -> OpenOptions | None:
        if chance.randrange(2):
            return None
        limits = [chance.choice(NUMBERS) if chance.randrange(4) == 0 else 0 for _ in range(4)]
        # What version 1 does not have is not read.
        version, count = chance.choice(((1, 0), (1, 2**63), (2, 0)))
        return OpenOptions(version, *limits, chance.choice((0, 0, 1, -1)), None, count)

    def open(self, chance: random.Random) -> None:
        options = self.options(chance)
        out = c.c_void_p(0xA5A5)
        code = self.call("zpack_open", c.byref(out), self.file,
                         c.byref(options) if options else None, outs=[out])
        if code == OK:
            self.archives.append(Archive(out, options))
        elif self.mode == "good":
            self.expect(code == ELIMIT and options is not None, f"open returned {code}")

    def free(self, chance: random.Random) -> None:
        if self.archives:
            archive = self.archives.pop(chance.randrange(len(self.archives)))
            self.library.zpack_archive_free(archive.handle)

    def act(self, chance: random.Random) -> None:
        if not self.archives:
            self.open(chance)
        if self.archives:
            chance.choice(self.READING)(self, chance, chance.choice(self.archives))

    def nested(self, chance: random.Random, archive: Archive, depth: int):
        def inside() -> None:
            if depth < 2:
                chance.choice(self.READING)(self, chance, archive, depth + 1)
        return inside

    # Reading.

    def numbers(self, _: random.Random, archive: Archive, _depth: int = 0) -> None:
        count = self.library.zpack_object_count(archive.handle) % 2**32
        width = self.library.zpack_oid_size(archive.handle)
        cost = Cost()
        self.library.zpack_read_cost(c.byref(cost), archive.handle)
        self.expect(width in (20, 32), f"ids of {width} bytes")
        if self.mode != "forged":
            self.expect(count == len(self.ids), f"{count} objects")
        head = Ref()
        self.library.zpack_head(c.byref(head), archive.handle)
        self.expect(head.name == b"HEAD", "HEAD has another name")
        if self.mode != "forged":
            self.expect(head.symref_target == b"refs/heads/main", "HEAD leads elsewhere")

    def read(self, chance: random.Random, archive: Archive, _depth: int = 0) -> None:
        oid, text = self.pick(chance)
        out = Object(99, 0xA5A5, 1, 0xA5A5)
        code = self.call("zpack_read", c.byref(out), archive.handle, c.byref(oid), outs=[out])
        self.check_code("zpack_read", archive, text, code)
        if code != OK:
            return
        self.check_object(text, out, archive.unhashed)
        if chance.randrange(4) == 0 and not archive.unhashed:
            self.objects_kept.append((text, out))
        else:
            self.dispose(out)

    def check_object(self, text: str, out: Object, unhashed: bool = False) -> None:
        self.check_header("zpack_read", text, out.type, out.size)
        if not unhashed or self.mode != "forged":
            content = c.string_at(out.data, out.size) if out.size else b""
            self.check_content("zpack_read", text, out.type, content)

    def dispose(self, out: Object) -> None:
        for _ in range(2):  # the second time, there is nothing in it
            self.library.zpack_object_dispose(c.byref(out))
            self.expect(bytes(out) == bytes(c.sizeof(out)), "an object is not emptied")

    def header(self, chance: random.Random, archive: Archive, _depth: int = 0) -> None:
        oid, text = self.pick(chance)
        kind, size = c.c_int(99), c.c_uint64(99)
        code = self.call("zpack_read_header", c.byref(kind), c.byref(size), archive.handle,
                         c.byref(oid), outs=[kind, size])
        self.check_code("zpack_read_header", archive, text, code)
        if code == OK:
            self.check_header("zpack_read_header", text, kind.value, size.value)

    def contains(self, chance: random.Random, archive: Archive, _depth: int = 0) -> None:
        oid, text = self.pick(chance)
        out = c.c_int(99)
        code = self.call("zpack_contains", c.byref(out), archive.handle, c.byref(oid),
                         outs=[out])
        if code == OK:
            self.expect(out.value in (0, 1), f"contains says {out.value}")
            if self.mode != "forged":
                self.expect(out.value == (text in self.objects), f"contains is wrong of {text}")
        elif self.mode == "good" and not archive.is_limited:
            self.expect(code == EINVALID and text == "", f"contains returned {code}")

    def stream(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        oid, text = self.pick(chance)
        pieces: list[bytes] = []
        callback, stops, check = self.visitor(
            PieceCallback, chance, 1, lambda data, size: pieces.append(
                c.string_at(data, size) if size else b""), self.nested(chance, archive, depth))
        code = self.call("zpack_stream", archive.handle, c.byref(oid), callback, None,
                         stops=stops)
        if not check("zpack_stream", code):
            if code < 0:
                self.check_code("zpack_stream", archive, text, code)
            return
        self.check_code("zpack_stream", archive, text, code)
        if text in self.objects and (not archive.unhashed or self.mode != "forged"):
            kind = TYPES.index(self.objects[text][0])
            self.check_content("zpack_stream", text, kind, b"".join(pieces))

    def refs(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        seen: dict[str, str] = {}

        def see(ref) -> None:
            seen[(ref.contents.name or b"").decode()] = hex_of(ref.contents.target)
        callback, stops, check = self.visitor(RefCallback, chance, len(self.truth["refs"]), see,
                                              self.nested(chance, archive, depth))
        code = self.call("zpack_foreach_ref", archive.handle, callback, None, stops=stops)
        if check("zpack_foreach_ref", code) and self.mode != "forged":
            self.expect(seen == self.truth["refs"], f"other refs: {seen}")

    def resolve(self, chance: random.Random, archive: Archive, _depth: int = 0) -> None:
        known = chance.randrange(2) == 0
        name = (chance.choice(list(self.truth["names"])).encode() if known
                else chance.choice(NAMES))
        if chance.randrange(8) == 0:
            name += chance.choice((b"^{}", b"~1", b"^", b"^{commit}", b":x", b"\n"))
            known = False
        function = chance.choice(("zpack_resolve", "zpack_resolve_abbreviation"))
        if function.endswith("abbreviation"):
            known = False
            name = chance.choice((name, chance.choice(self.ids)[:chance.randrange(66)].encode()))
        out = Oid(size=99)
        code = self.call(function, c.byref(out), archive.handle, name, outs=[out])
        if code == OK and self.mode != "forged":
            self.expect(hex_of(out) in self.objects, f"{name[:80]!r} is {hex_of(out)}")
        if known and self.mode == "good" and not archive.is_limited:
            self.expect(code == OK and hex_of(out) == self.truth["names"][name.decode()],
                        f"{name!r} is {code}, {hex_of(out)}")

    def all_ids(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        order = chance.choice((0, 1, 0, 1, 2, -1, 2**31 - 1))
        seen: list[str] = []
        callback, stops, check = self.visitor(
            OidCallback, chance, len(self.ids), lambda oid: seen.append(hex_of(oid.contents)),
            self.nested(chance, archive, depth))
        code = self.call("zpack_foreach_oid", archive.handle, c.c_int(order), callback, None,
                         stops=stops)
        if order not in (0, 1):
            self.expect(code == EINVALID and not seen, f"the order {order} gives {code}")
        elif check("zpack_foreach_oid", code) and self.mode != "forged":
            self.expect(sorted(seen) == sorted(self.ids), "other ids")
            self.expect(order == 1 or seen == sorted(seen), "ids without order")

    def all_objects(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        options = ForeachOptions(1, chance.choice((0, 1, 2, 3, 2**32 - 1)),
                                 chance.choice((0, 0, 1, 200, 2**64 - 1)), chance.randrange(2))
        seen: set[str] = set()

        def see(pointer) -> None:
            view = pointer.contents
            text = hex_of(view.oid)
            self.expect(text not in seen or self.mode == "forged", f"{text} comes twice")
            seen.add(text)
            if view.error:
                self.expect(options.pass_errors == 1 and (
                    self.mode != "good" or archive.is_limited), f"an error of {text}")
                self.check_error("zpack_foreach_object", view.error)
                return
            self.check_header("zpack_foreach_object", text, view.type, view.size)
            if view.data and view.size:
                self.check_content("zpack_foreach_object", text, view.type,
                                   c.string_at(view.data, view.size))
            elif view.size:
                self.expect(0 < options.max_content < view.size, f"no content of {text}")
        callback, stops, check = self.visitor(ObjectCallback, chance, len(self.ids), see,
                                              self.nested(chance, archive, depth))
        code = self.call("zpack_foreach_object", archive.handle,
                         c.byref(options), callback, None, stops=stops)
        if check("zpack_foreach_object", code) and self.mode != "forged":
            self.expect(seen == set(self.ids), f"{len(seen)} objects of {len(self.ids)}")
        elif code < 0 and self.mode == "good" and not archive.is_limited:
            self.finding(f"zpack_foreach_object returned {code}")

    def files(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        seen: list[bytes] = []
        callback, stops, check = self.visitor(
            FileCallback, chance, 3, lambda file: seen.append(file.contents.name),
            self.nested(chance, archive, depth))
        code = self.call("zpack_foreach_file", archive.handle, callback, None, stops=stops)
        if check("zpack_foreach_file", code) and self.mode != "forged":
            self.expect(seen == sorted(seen) and b"logs/HEAD" in seen, f"files: {seen}")
        name = chance.choice((*seen, b"", b"../x", b"config", b"\xff" * 5000, b"logs/HEAD"))
        pieces: list[int] = []
        callback, stops, check = self.visitor(
            PieceCallback, chance, 1, lambda data, size: pieces.append(size),
            self.nested(chance, archive, depth))
        code = self.call("zpack_stream_file", archive.handle, name, callback, None, stops=stops)
        check("zpack_stream_file", code)
        if self.mode == "good" and not archive.is_limited:
            self.expect(code != ENOTFOUND or name not in seen, f"the file {name!r} is lost")

    def walk(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        starts = [self.pick(chance) for _ in range(chance.choice((0, 0, 1, 3)))]
        given = (Oid * max(1, len(starts)))(*[oid for oid, _ in starts])
        huge = not starts and chance.randrange(6) == 0
        options = WalkOptions(1, 0 if starts and chance.randrange(2) else 1,
                              None if huge else c.addressof(given),
                              2**62 if huge else len(starts), chance.choice((0, 1)))
        seen: list[str] = []
        callback, stops, check = self.visitor(
            WalkCallback, chance, len(self.ids),
            lambda walked: (seen.append(hex_of(walked.contents.oid)), c.string_at(
                walked.contents.name, walked.contents.name_size)),
            self.nested(chance, archive, depth))
        code = self.call("zpack_walk", archive.handle, c.byref(options), callback, None,
                         stops=stops)
        if huge:
            self.expect(code == EINVALID and not seen, f"a walk from nowhere gives {code}")
        elif check("zpack_walk", code) and self.mode != "forged":
            self.expect(len(seen) == len(set(seen)), "an object is walked twice")
            if not starts:
                want = self.truth["objects_walked" if options.objects else "commits_walked"]
                self.expect(seen == want, "a walk differs from that of Git")

    def search(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        """A search with any options. 'line' is in every version of each file."""
        plain = chance.randrange(3) == 0
        patterns = [b"line"] if plain else chance.choices(
            PATTERNS, k=chance.choice((0, 1, 1, 1, 2, 2)))
        paths = [] if plain else chance.choices(PATHSPECS, k=chance.choice((0, 0, 1, 2)))
        given = (c.c_char_p * len(patterns))(*patterns), (c.c_char_p * len(paths))(*paths)
        odd = [0] * 5 if plain else [chance.choice((0, 0, 1)) for _ in range(4)] + [
            chance.choice((0, 0, 0, 1, 1, 2, 2, 3, -1))]
        stopped = {"asked": 0}

        def ask(_payload) -> int:
            stopped["asked"] += 1
            return 1 if stopped["asked"] > 3 else 0
        options = SearchOptions(
            1, chance.choice((0, 1, 2, 2**32 - 1)), c.addressof(given[0]), len(patterns),
            0 if plain else chance.choice((0, 1, 1, 2, 2, 3, 3, 4)), *odd,
            c.addressof(given[1]), len(paths),
            -1 if plain else chance.choice((-1, -1, -1, 0, 1, 2**31 - 1, -2)), chance.randrange(2),
            StopCallback(ask) if chance.randrange(3) == 0 else StopCallback(), None)
        kind = chance.choice(("tree", "history", "versions"))
        seen: list[str] = []

        def see(pointer) -> None:
            found = pointer.contents
            path = c.string_at(found.path, found.path_size).decode(errors="replace")
            seen.append(hex_of(found.blob))
            if kind == "tree":
                for line in found.lines[:found.line_count] if found.line_count else ():
                    text = c.string_at(line.text, line.text_size)
                    self.expect(b"\n" not in text and line.number > 0, f"a line of {path}")
            elif kind == "history":
                text = c.string_at(found.text, found.text_size)
                self.expect(not plain or b"line" in text or found.binary,
                            f"{text[:80]!r} matches")
                self.expect(not found.present or not found.removed.size, "present and removed")
        callback, stops, check = self.visitor(
            {"tree": SearchedCallback, "history": MatchCallback, "versions": BlobCallback}[kind],
            chance, 8, see, self.nested(chance, archive, depth))
        root, text = self.pick(chance)
        if plain and self.mode != "forged":
            text = self.truth["names"]["HEAD"]
            root = oid_of(text)
        code = self.call(f"zpack_search_{kind}", archive.handle,
                         *([c.byref(root)] if kind == "tree" else []), c.byref(options), callback,
                         None, stops=stops)
        passed_all = check(f"zpack_search_{kind}", code)
        self.expect(code != EINTERRUPTED or stopped["asked"] > 3, "a search was not stopped")
        if not plain or self.mode != "good" or archive.is_limited:
            return
        self.expect(code in (OK, EINTERRUPTED, *stops), f"zpack_search_{kind} returned {code}")
        blobs = {name for name, (kind_of, _) in self.objects.items() if kind_of == "blob"}
        if passed_all and kind == "tree":
            self.expect(len(seen) == 5 and set(seen) <= blobs, f"{len(seen)} files")
        elif passed_all and kind == "versions":
            self.expect(set(seen) == blobs, f"{len(seen)} versions of {len(blobs)}")

    def log(self, chance: random.Random, archive: Archive, depth: int = 0) -> None:
        """Commits, with any options."""
        plain = chance.randrange(3) == 0
        starts = [] if plain else [self.pick(chance)[0] for _ in range(chance.choice((0, 0, 1, 2)))]
        paths = [] if plain else chance.choices(PATHSPECS, k=chance.choice((0, 0, 1, 2)))
        given = (Oid * len(starts))(*starts), (c.c_char_p * len(paths))(*paths)
        options = LogOptions(
            version=1, threads=chance.choice((0, 1, 2)), starts=c.addressof(given[0]),
            start_count=len(starts), paths=c.addressof(given[1]), path_count=len(paths),
            all_refs=1, max_parents=-1, files=1, min_similarity=30000, rename_limit=1000)
        if not plain:
            for name in ("full_history", "follow", "first_parent", "reverse", "files", "ignore_case",
                         "pickaxe_all", "text"):
                setattr(options, name, chance.choice((0, 0, 1)))
            for name in ("skip", "max_commits", "since", "until", "rename_limit"):
                setattr(options, name, chance.choice((0, 0, 0, 1, 1700000000, 2**64 - 1)))
            options.renames = chance.choice((0, 1, 1, 2, 3, 3, 4))
            options.min_similarity = chance.choice((0, 30000, 60000, 60001))
            options.diff_filter = chance.choice((None, None, b"AM", b"d", b"R*", b"\xff"))
            options.pickaxe = chance.choice((0, 0, 1, 2, 3, 4, -1))
            options.pattern = chance.choice((None, *PATTERNS))
            options.object = self.pick(chance)[0]
        seen: list[str] = []

        def see(pointer) -> None:
            commit = pointer.contents
            seen.append(hex_of(commit.oid))
            content = c.string_at(commit.content, commit.content_size)
            if self.mode != "forged":
                self.check_content("zpack_log", seen[-1], 1, content)
            for file in commit.files[:commit.file_count] if commit.file_count else ():
                paths_of = (c.string_at(file.old_path, file.old_path_size),
                            c.string_at(file.new_path, file.new_path_size))
                self.expect(file.status in b"ADMTRC" and all(paths_of), f"a file {paths_of}")
        callback, stops, check = self.visitor(CommitCallback, chance, 3, see,
                                              self.nested(chance, archive, depth))
        code = self.call("zpack_log", archive.handle, c.byref(options), callback, None,
                         stops=stops)
        passed_all = check("zpack_log", code)
        if plain and self.mode == "good" and not archive.is_limited:
            self.expect(code == OK or code in stops, f"zpack_log returned {code}")
            if passed_all:
                self.expect(sorted(seen) == sorted(self.truth["commits_walked"]), "other commits")

    READING = (search, log, numbers, read, read, header, contains, stream, refs, resolve, resolve,
               all_ids, all_objects, files, walk)

    # Attacks.

    def order(self) -> None:
        """Functions in any order, several archives at once, values that outlive them."""
        for _ in range(self.chance.choice((5, 40, 80))):
            kind = self.chance.randrange(10)
            if kind == 0:
                self.open(self.chance)
            elif kind == 1:
                self.free(self.chance)
            elif kind == 2:
                self.leftover()
            else:
                self.act(self.chance)
        self.leftover()

    def leftover(self) -> None:
        """Objects stay valid without their archive."""
        while self.objects_kept:
            text, out = self.objects_kept.pop()
            self.check_object(text, out)
            self.dispose(out)

    def threads(self) -> None:
        """Several threads with one archive."""
        self.open(self.chance)

        def work(seed: int) -> None:
            chance = random.Random(seed)
            for _ in range(12):
                if self.archives:
                    chance.choice(self.READING)(self, chance, self.archives[0])
        self.in_threads(work, self.chance.choice((2, 4, 9)))
        self.leftover()
