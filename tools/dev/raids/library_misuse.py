# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the raid 'library' with arguments that nobody means: NULL, other versions of
structs, numbers out of range, odd paths; and functions of whole files, with callbacks
that stop them."""

import ctypes as c
import os
import subprocess

from raids.library_calls import Calls
from raids.library_session import (
    EEXISTS, EINTERRUPTED, EINVALID, OK, PARAMETERS, VERSIONS, BlobCallback, CommitCallback,
    Consolidated, ConsolidateOptions, ConvertOptions, FileCallback,
    ForeachOptions, LogOptions, MatchCallback, Object, ObjectCallback, Oid, OidCallback, OpenOptions,
    PieceCallback, ProgressCallback, RefCallback, RepackOptions, RestoreOptions, RunOptions,
    SearchedCallback, SearchOptions, VerifyOptions, WalkCallback, WalkOptions, oid_of)

STRUCTS = {"open": OpenOptions, "foreach": ForeachOptions, "walk": WalkOptions,
           "verify": VerifyOptions, "convert": ConvertOptions, "restore": RestoreOptions,
           "consolidate": ConsolidateOptions, "consolidated": Consolidated,
           "repack": RepackOptions, "search": SearchOptions, "log": LogOptions, "oid": Oid,
           "object": Object, "int": c.c_int,
           "uint64": c.c_uint64, "pointer": c.c_void_p}
CALLBACKS = {"ref_callback": RefCallback, "piece_callback": PieceCallback,
             "oid_callback": OidCallback, "object_callback": ObjectCallback,
             "file_callback": FileCallback, "walk_callback": WalkCallback,
             "searched_callback": SearchedCallback, "match_callback": MatchCallback,
             "blob_callback": BlobCallback, "commit_callback": CommitCallback}
# One pattern, for options that need one.
PATTERNS = (c.c_char_p * 1)(b"line")

class Misuse(Calls):
    def __init__(self, config: dict):
        super().__init__(config)
        self.repository = os.fsencode(config["repository"])

    def nulls(self) -> None:
        """NULL in place of any pointers."""
        self.open(self.chance)
        for _ in range(150):
            self.null_call(self.chance.choice(list(PARAMETERS)))
        self.nothing()

    def argument(self, word: str):
        """A value for a parameter, and the value whose bytes must stay, if it is a result."""
        word = word.rstrip("?")
        handle = self.archives[0].handle if self.archives else None
        if word.isdecimal():
            return c.c_int(int(word)), None
        if word.startswith("out:"):
            out = STRUCTS[word.removeprefix("out:")]()
            c.memset(c.byref(out), 0xA5, c.sizeof(out))
            return c.byref(out), out
        if word in CALLBACKS:
            return CALLBACKS[word](lambda *_: 5), None
        if word == "search":
            return c.byref(SearchOptions(1, 0, c.addressof(PATTERNS), 1, max_depth=-1)), None
        if word in STRUCTS and word != "oid":
            return c.byref(STRUCTS[word](1)), None
        values = {"archive": handle, "oid": c.byref(oid_of(self.ids[0])), "name": b"HEAD",
                  "hex": self.ids[0].encode(), "abbreviation": self.ids[0].encode(),
                  "file_name": b"logs/HEAD", "file": self.file, "payload": None,
                  "repository": b"/missing", "new_file": b"/missing/x", "new_directory":
                  b"/missing/x"}
        return values[word], None

    def null_call(self, function: str) -> None:
        words = PARAMETERS[function].split()
        given, outs, missing = [], [], False
        for word in words:
            value, out = self.argument(word)
            if not word.isdecimal() and self.chance.randrange(3) == 0:
                value, out = None, None
            missing |= value is None and not word.endswith("?")
            given.append(value)
            outs += [out] if out is not None else []
        if missing:
            code = self.call(function, *given, outs=outs)
            self.expect(code == EINVALID, f"{function} without an argument returned {code}: "
                        f"{[word for word, value in zip(words, given) if value is None]}")
        elif not function.endswith("_init"):
            code = self.call(function, *given, stops=(5,))
            if code == OK and function == "zpack_open":
                self.library.zpack_archive_free(outs[0])
            elif code == OK and function == "zpack_verify":
                self.library.zpack_report_free(outs[0])
            elif code == OK and function == "zpack_read":
                self.dispose(outs[0])

    def nothing(self) -> None:
        """Functions without a code, of NULL."""
        library = self.library
        for name in ("zpack_archive_free", "zpack_report_free", "zpack_object_dispose"):
            getattr(library, name)(None)
        for name in ("zpack_oid_size", "zpack_object_count", "zpack_report_ok",
                     "zpack_report_objects", "zpack_report_verified",
                     "zpack_report_damage_count", "zpack_report_difference_count"):
            self.expect(getattr(library, name)(None) == 0, f"{name}(NULL) is not 0")
        library.zpack_read_cost(None, None)
        library.zpack_head(None, None)
        library.zpack_oid_to_hex(None, None)
        room = c.create_string_buffer(b"x" * 70)
        library.zpack_oid_to_hex(room, None)
        self.expect(room.value == b"", "NULL has digits")
        self.expect(library.zpack_oid_compare(None, None) == 0, "NULL is not NULL")
        self.expect(not library.zpack_report_damage(None, 0), "NULL has damage")
        self.expect(not library.zpack_report_difference(None, 2**64 - 1), "NULL differs")
        for number in (0, 5, -1, 2**31 - 1, -2**31):
            self.expect(library.zpack_type_name(number) == b"", f"type {number} has a name")

    def odd(self) -> None:
        """Other versions and sizes of structs, numbers out of range."""
        self.open(self.chance)
        for _ in range(80):
            self.chance.choice((self.odd_version, self.odd_version, self.odd_level,
                                self.odd_hex))()

    def odd_version(self) -> None:
        """A struct of another version, which ends before memory that nobody may read."""
        name = self.chance.choice(("open", "foreach", "walk", "verify", "convert",
                                   "consolidate", "restore", "repack", "search", "log"))
        version = self.chance.choice((0, VERSIONS.get(name, 1) + 1, 3, 255, 2**31, 2**32 - 1))
        given = STRUCTS[name](1)
        code = self.call(f"zpack_{name}_options_init", c.byref(given), c.c_uint(version),
                         outs=[given])
        self.expect(code == EINVALID, f"the version {version} of {name} gives {code}")
        address = self.at_edge(version)
        for function, parameters in PARAMETERS.items():
            words = parameters.split()
            if name not in words and name + "?" not in words:
                continue
            given, outs = [], []
            for word in words:
                value, out = self.argument(word)
                given.append(c.c_void_p(address) if word.rstrip("?") == name else value)
                outs += [out] if out is not None else []
            if self.archives or "archive" not in words:
                code = self.call(function, *given, outs=outs)
                self.expect(code == EINVALID, f"{function} takes version {version}: {code}")

    def odd_level(self) -> None:
        """Numbers of enumerations that there are not."""
        number = self.chance.choice((-1, 4, 5, 2**31 - 1, -2**31))
        out = c.c_void_p(0xA5A5)
        options = VerifyOptions(1, RunOptions(), number, 0)
        code = self.call("zpack_verify", c.byref(out), self.file, None, c.byref(options),
                         outs=[out])
        self.expect(code == EINVALID, f"the level {number} gives {code}")
        convert = ConvertOptions(1, RunOptions(), number)
        code = self.call("zpack_convert", self.repository, self.target("level"),
                         c.byref(convert))
        self.expect(code == EINVALID and not os.path.lexists(self.target("level")),
                    f"the profile {number} gives {code}")

    def odd_hex(self) -> None:
        text = self.chance.choice((
            b"", b"0" * 39, b"0" * 41, b"g" * 40, b"0" * 63, b"0" * 65, b"a" * 100_000,
            b"\xff" * 40, b"0x" + b"1" * 38, b" " * 40, b"+" * 64))
        out = Oid(size=99)
        code = self.call("zpack_oid_from_hex", c.byref(out), text, outs=[out])
        self.expect(code == EINVALID, f"{text[:70]!r} is an id: {code}")
        a, b = self.pick(self.chance)[0], self.pick(self.chance)[0]
        room = c.create_string_buffer(b"x" * 80)
        self.library.zpack_oid_to_hex(room, c.byref(a))
        want = bytes(a.bytes)[:a.size].hex() if a.size in (20, 32) else ""
        self.expect(room.value.decode() == want, "other digits")
        self.expect(room.raw[66:80] == b"x" * 14, "too many digits")
        first = self.library.zpack_oid_compare(c.byref(a), c.byref(b))
        self.expect(first == -self.library.zpack_oid_compare(c.byref(b), c.byref(a)),
                    "no order of ids")

    def paths(self) -> None:
        """Paths that lead to no archive."""
        work = self.work
        (work / "empty").write_bytes(b"")
        (work / "text").write_text("text\n" * 1000)
        (work / "directory").mkdir()
        (work / "loop").symlink_to("loop")
        os.mkfifo(work / "pipe")
        (work / "dangling").symlink_to("missing")
        for _ in range(25):
            path = self.chance.choice((
                b"", b"/", b".", b"/dev/null", b"/dev/zero", b"/dev/full", b"/proc/self/mem",
                b"x" * 300, b"x/" * 5000, b"http://127.0.0.1:9/x.zpack", b"http://", b"https://[",
                b"file:///etc/passwd", b"http://\xff\n/x", b"\x1b[2J", b"-", b"--help",
                *(os.fsencode(work / name) for name in (
                    "empty", "text", "directory", "loop", "pipe", "dangling", "missing"))))
            out = c.c_void_p(0xA5A5)
            function = self.chance.choice(("zpack_open", "zpack_verify", "zpack_convert",
                                           "zpack_restore", "zpack_repack"))
            if function == "zpack_open":
                code = self.call(function, c.byref(out), path, None, outs=[out])
            elif function == "zpack_verify":
                code = self.call(function, c.byref(out), path, None, None, outs=[out])
                if code == OK:  # of damage
                    self.expect(not self.library.zpack_report_ok(out), f"{path!r} is intact")
                    self.library.zpack_report_free(out)
            elif function == "zpack_convert":
                code = self.call(function, path, self.target("path"), None)
            elif function == "zpack_restore":
                code = self.call(function, path, self.target("path"), None)
            else:
                code = self.call(function, path, None)
            self.expect(code != OK or function == "zpack_verify", f"{function} of {path!r}")
            self.expect(not os.path.lexists(self.target("path")),
                        f"{function} of {path!r} made something")

    # Whole files.

    def target(self, name: str) -> bytes:
        return os.fsencode(self.work / name)

    def running(self) -> tuple[RunOptions, dict]:
        """Options with a callback that may stop the operation."""
        chance = self.chance
        state = {"calls": 0, "stopped": False}
        stop_at = chance.choice((None, 0, 1, 2, 5, 9))

        def progress(pointer, _payload) -> int:
            now = pointer.contents
            self.expect(bool(now.phase) and (now.total_objects == 0 or
                                             now.objects <= now.total_objects),
                        f"progress: {now.phase!r} {now.objects} of {now.total_objects}")
            state["calls"] += 1
            if stop_at is not None and state["calls"] > stop_at:
                state["stopped"] = True
                return chance.choice((1, -1, 2**31 - 1))
            return 0
        callback = ProgressCallback(progress) if chance.randrange(3) else ProgressCallback()
        return RunOptions(chance.choice((0, 1, 2, 16, 2**32 - 1)),
                          chance.choice((0, 0, 1, 2**20, 2**64 - 1)), callback), state

    def ended(self, function: str, code: int, state: dict, allowed=()) -> None:
        if state["stopped"]:
            self.expect(code == EINTERRUPTED or (self.mode != "good" and code < 0),
                        f"{function} was stopped and returned {code}")
        elif self.mode == "good":
            self.expect(code == OK or code in allowed, f"{function} returned {code}")

    def operations(self) -> None:
        for _ in range(self.chance.choice((2, 4))):
            self.chance.choice((self.verify, self.verify, self.convert, self.consolidate,
                                self.restore, self.repack))()

    def verify(self) -> None:
        run, state = self.running()
        level = self.chance.randrange(4)
        against = self.chance.choice((None, None, self.repository))
        options = VerifyOptions(1, run, level, self.chance.randrange(2))
        out = c.c_void_p(0xA5A5)
        code = self.call("zpack_verify", c.byref(out), self.file, against, c.byref(options),
                         outs=[out])
        self.ended("zpack_verify", code, state)
        if code != OK:
            return
        library = self.library
        damages = library.zpack_report_damage_count(out)
        differences = library.zpack_report_difference_count(out)
        is_ok = library.zpack_report_ok(out)
        self.expect(is_ok == (1 if damages + differences == 0 else 0), "ok is not the sum")
        if self.mode == "good":
            self.expect(is_ok == 1, f"{damages} damages, {differences} differences")
            self.expect(library.zpack_report_objects(out) == len(self.ids), "lost objects")
        elif self.mode == "damaged" and level > 0:
            self.expect(is_ok == 0, f"level {level} finds no damage")
        for index in (0, damages - 1, damages, 2**63, 2**64 - 1):
            if 0 <= index < damages:
                self.check_error("zpack_report_damage", library.zpack_report_damage(out, index))
            elif index >= 0:
                self.expect(not library.zpack_report_damage(out, index), "damage of nothing")
        for index in (0, differences, 2**64 - 1):
            text = library.zpack_report_difference(out, index)
            self.expect(bool(text) == (index < differences), f"difference {index}: {text}")
        library.zpack_report_free(out)

    def convert(self) -> None:
        run, state = self.running()
        path = self.work / (self.chance.choice(("a", "b")) + ".zpack")
        before = path.read_bytes() if path.exists() else None
        options = ConvertOptions(1, run, self.chance.randrange(2), self.chance.choice(
            (None, None, self.file)), self.chance.randrange(2), self.chance.randrange(2), 0)
        code = self.call("zpack_convert", self.repository, bytes(path), c.byref(options))
        self.ended("zpack_convert", code, state, {EEXISTS} if before else ())
        now = path.read_bytes() if path.exists() else None
        if code == OK:
            out = c.c_void_p()
            self.call("zpack_verify", c.byref(out), bytes(path), self.repository, None)
            self.expect(self.library.zpack_report_ok(out) == 1 or options.reachable == 1,
                        "a new file is not intact")
            self.library.zpack_report_free(out)
        else:
            self.expect(now == before, "a conversion failed and changed its destination")

    def consolidate(self) -> None:
        """Of a file that depends on none: the same objects in another file."""
        run, state = self.running()
        path = self.work / (self.chance.choice(("a", "b")) + ".zpack")
        before = path.read_bytes() if path.exists() else None
        options = ConsolidateOptions(1, run, self.chance.choice((-1, -1, 0, 1)), 1,
                                     self.chance.choice((0, 0, 0, 2)),
                                     self.chance.randrange(2))
        done = Consolidated(99)
        code = self.call("zpack_consolidate", c.byref(done), self.file, bytes(path),
                         c.byref(options), outs=[done])
        self.ended("zpack_consolidate", code, state, {EEXISTS} if before else ())
        now = path.read_bytes() if path.exists() else None
        if code != OK or done.files == 0:
            self.expect(now == before, "a consolidation changed its destination")
        elif self.mode == "good":
            self.expect(done.objects == len(self.ids), f"{done.objects} objects")
            out = c.c_void_p()
            self.call("zpack_verify", c.byref(out), bytes(path), self.repository, None)
            self.expect(self.library.zpack_report_ok(out) == 1, "a new file is not intact")
            self.library.zpack_report_free(out)

    def restore(self) -> None:
        run, state = self.running()
        path = self.target(self.chance.choice(("a", "b")) + ".git")
        exists = os.path.exists(path)
        options = RestoreOptions(1, run, self.chance.randrange(2), self.chance.randrange(2))
        code = self.call("zpack_restore", self.file, path, c.byref(options))
        self.ended("zpack_restore", code, state, {EEXISTS} if exists else ())
        if os.path.exists(path):
            self.check_repository(path, "restored")
        else:
            self.expect(code != OK, "restore made nothing")

    def repack(self) -> None:
        run, state = self.running()
        options = RepackOptions(1, run, self.chance.randrange(2), self.chance.randrange(2))
        code = self.call("zpack_repack", self.repository, c.byref(options))
        self.ended("zpack_repack", code, state)
        self.check_repository(self.repository, "repacked")

    def check_repository(self, path: bytes, what: str) -> None:
        if self.mode == "forged":
            return
        for command in (["fsck", "--full"], ["show-ref"]):
            done = subprocess.run(["git", "-C", path, *command], check=False,
                                  capture_output=True)
            self.expect(done.returncode == 0, f"{what}: {command}: {done.stderr[:200]!r}")
        refs = dict(reversed(line.split()) for line in done.stdout.decode().splitlines())
        self.expect(refs == self.truth["refs"], f"{what}: other refs")
