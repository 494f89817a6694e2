# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The structs and functions of zpack.h for ctypes, and what holds of each call."""

import ctypes as c
import hashlib
import json
import mmap
import os
import pathlib
import random
import sys
import threading
from collections.abc import Callable

OK = 0
(EIO, ENOTDURABLE, ECORRUPT, EUNSUPPORTED, ENOTFOUND, EAMBIGUOUS, EINVALID, EEXISTS, ELIMIT,
 EMISMATCH, ESOURCE, EINTERRUPTED, EGIT) = range(-1, -14, -1)
TYPES = ("", "commit", "tree", "blob", "tag")


def struct(title: str, /, **fields) -> type[c.Structure]:
    return type(title, (c.Structure,), {"_fields_": list(fields.items())})


Oid = struct("Oid", bytes=c.c_ubyte * 32, size=c.c_ubyte)
Error = struct("Error", code=c.c_int, message=c.c_char_p, path=c.c_char_p, object=Oid,
               has_offset=c.c_int, offset=c.c_uint64)
OpenOptions = struct("OpenOptions", version=c.c_uint, max_block_size=c.c_uint64,
                     max_object_size=c.c_uint64, max_chunk_size=c.c_uint64,
                     cache_size=c.c_uint64, skip_hashes=c.c_int, backing=c.c_void_p,
                     backing_count=c.c_size_t)
Cost = struct("Cost", blocks=c.c_uint64, bytes=c.c_uint64)
Ref = struct("Ref", name=c.c_char_p, target=Oid, peeled=Oid, symref_target=c.c_char_p)
Object = struct("Object", type=c.c_int, data=c.c_void_p, size=c.c_size_t, owner=c.c_void_p)
View = struct("View", oid=Oid, type=c.c_int, size=c.c_uint64, data=c.c_void_p,
              error=c.POINTER(Error))
ForeachOptions = struct("ForeachOptions", version=c.c_uint, threads=c.c_uint,
                        max_content=c.c_uint64, pass_errors=c.c_int)
File = struct("File", group=c.c_char_p, name=c.c_char_p, executable=c.c_int, size=c.c_uint64,
              sha256=c.c_ubyte * 32)
Walked = struct("Walked", oid=Oid, type=c.c_int, name=c.c_void_p, name_size=c.c_size_t)
WalkOptions = struct("WalkOptions", version=c.c_uint, all_refs=c.c_int, starts=c.c_void_p,
                     start_count=c.c_size_t, objects=c.c_int)
Progress = struct("Progress", phase=c.c_char_p, objects=c.c_uint64, total_objects=c.c_uint64,
                  bytes=c.c_uint64, total_bytes=c.c_uint64)
ProgressCallback = c.CFUNCTYPE(c.c_int, c.POINTER(Progress), c.c_void_p)
RunOptions = struct("RunOptions", threads=c.c_uint, memory=c.c_uint64,
                    progress=ProgressCallback, payload=c.c_void_p)
VerifyOptions = struct("VerifyOptions", version=c.c_uint, run=RunOptions, level=c.c_int,
                       allow_newer=c.c_int, own=c.c_int, backing=c.c_void_p,
                       backing_count=c.c_size_t)
ConvertOptions = struct("ConvertOptions", version=c.c_uint, run=RunOptions, profile=c.c_int,
                        base=c.c_char_p, reachable=c.c_int, overwrite=c.c_int,
                        allow_promised=c.c_int, onto=c.c_char_p, skip_unchanged=c.c_int,
                        written=c.c_void_p, lose_dependents=c.c_int, backing=c.c_void_p,
                        backing_count=c.c_size_t)
Consolidated = struct("Consolidated", files=c.c_uint64, files_below=c.c_uint64,
                      objects=c.c_uint64, bytes_before=c.c_uint64, bytes=c.c_uint64)
ConsolidateOptions = struct("ConsolidateOptions", version=c.c_uint, run=RunOptions,
                            profile=c.c_int, start=c.c_uint, geometric=c.c_uint,
                            overwrite=c.c_int, lose_dependents=c.c_int, backing=c.c_void_p,
                            backing_count=c.c_size_t)
RestoreOptions = struct("RestoreOptions", version=c.c_uint, run=RunOptions,
                        overwrite=c.c_int, trust=c.c_int, backing=c.c_void_p,
                        backing_count=c.c_size_t)
RepackOptions = struct("RepackOptions", version=c.c_uint, run=RunOptions,
                       remove_redundant=c.c_int, no_reuse=c.c_int)
StopCallback = c.CFUNCTYPE(c.c_int, c.c_void_p)
SearchOptions = struct("SearchOptions", version=c.c_uint, threads=c.c_uint, patterns=c.c_void_p,
                       pattern_count=c.c_size_t, syntax=c.c_int, ignore_case=c.c_int,
                       words=c.c_int, invert=c.c_int, all_match=c.c_int, binary=c.c_int,
                       paths=c.c_void_p, path_count=c.c_size_t, max_depth=c.c_int,
                       all_files=c.c_int, stop=StopCallback, stop_payload=c.c_void_p)
MatchingLine = struct("MatchingLine", number=c.c_uint64, text=c.c_void_p, text_size=c.c_size_t)
SearchedFile = struct("SearchedFile", path=c.c_void_p, path_size=c.c_size_t, blob=Oid,
                      binary=c.c_int, lines=c.POINTER(MatchingLine), line_count=c.c_size_t)
HistoryMatch = struct("HistoryMatch", path=c.c_void_p, path_size=c.c_size_t, text=c.c_void_p,
                      text_size=c.c_size_t, binary=c.c_int, line=c.c_uint64, blob=Oid,
                      brought=Oid, present=c.c_int, removed=Oid)
MatchingBlob = struct("MatchingBlob", blob=Oid, path=c.c_void_p, path_size=c.c_size_t,
                      binary=c.c_int, lines=c.c_uint64)
LogOptions = struct("LogOptions", version=c.c_uint, threads=c.c_uint, starts=c.c_void_p,
                    start_count=c.c_size_t, excluded=c.c_void_p, excluded_count=c.c_size_t,
                    paths=c.c_void_p, path_count=c.c_size_t, all_refs=c.c_int,
                    full_history=c.c_int, follow=c.c_int, first_parent=c.c_int,
                    reverse=c.c_int, skip=c.c_uint64, max_commits=c.c_uint64, since=c.c_uint64,
                    until=c.c_uint64, min_parents=c.c_int, max_parents=c.c_int, files=c.c_int,
                    renames=c.c_int, min_similarity=c.c_uint32, rename_limit=c.c_uint64,
                    diff_filter=c.c_char_p, pickaxe=c.c_int, pattern=c.c_char_p, object=Oid,
                    ignore_case=c.c_int, pickaxe_all=c.c_int, text=c.c_int, stop=StopCallback,
                    stop_payload=c.c_void_p)
ChangedFile = struct("ChangedFile", status=c.c_char, similarity=c.c_uint32, old_mode=c.c_uint32,
                     new_mode=c.c_uint32, old_oid=Oid, new_oid=Oid, old_path=c.c_void_p,
                     old_path_size=c.c_size_t, new_path=c.c_void_p, new_path_size=c.c_size_t)
Commit = struct("Commit", oid=Oid, content=c.c_void_p, content_size=c.c_size_t,
                parents=c.POINTER(Oid), parent_count=c.c_size_t, files=c.POINTER(ChangedFile),
                file_count=c.c_size_t)
RefCallback = c.CFUNCTYPE(c.c_int, c.POINTER(Ref), c.c_void_p)
PieceCallback = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_size_t, c.c_void_p)
OidCallback = c.CFUNCTYPE(c.c_int, c.POINTER(Oid), c.c_void_p)
ObjectCallback = c.CFUNCTYPE(c.c_int, c.POINTER(View), c.c_void_p)
FileCallback = c.CFUNCTYPE(c.c_int, c.POINTER(File), c.c_void_p)
WalkCallback = c.CFUNCTYPE(c.c_int, c.POINTER(Walked), c.c_void_p)
SearchedCallback = c.CFUNCTYPE(c.c_int, c.POINTER(SearchedFile), c.c_void_p)
MatchCallback = c.CFUNCTYPE(c.c_int, c.POINTER(HistoryMatch), c.c_void_p)
BlobCallback = c.CFUNCTYPE(c.c_int, c.POINTER(MatchingBlob), c.c_void_p)
CommitCallback = c.CFUNCTYPE(c.c_int, c.POINTER(Commit), c.c_void_p)

# What each function takes. Without '?', NULL is ZPACK_EINVALID; a result is 'out'.
PARAMETERS = {
    "zpack_oid_from_hex": "out:oid hex",
    "zpack_open_options_init": "out:open 1",
    "zpack_foreach_options_init": "out:foreach 1",
    "zpack_walk_options_init": "out:walk 1",
    "zpack_verify_options_init": "out:verify 1",
    "zpack_convert_options_init": "out:convert 1",
    "zpack_consolidate_options_init": "out:consolidate 1",
    "zpack_restore_options_init": "out:restore 1",
    "zpack_repack_options_init": "out:repack 1",
    "zpack_search_options_init": "out:search 1",
    "zpack_log_options_init": "out:log 1",
    "zpack_open": "out:pointer file open?",
    "zpack_foreach_ref": "archive ref_callback payload?",
    "zpack_resolve": "out:oid archive name",
    "zpack_resolve_abbreviation": "out:oid archive abbreviation",
    "zpack_contains": "out:int archive oid",
    "zpack_read_header": "out:int? out:uint64? archive oid",
    "zpack_read": "out:object archive oid",
    "zpack_stream": "archive oid piece_callback payload?",
    "zpack_foreach_oid": "archive 0 oid_callback payload?",
    "zpack_foreach_object": "archive foreach? object_callback payload?",
    "zpack_foreach_file": "archive file_callback payload?",
    "zpack_stream_file": "archive file_name piece_callback payload?",
    "zpack_walk": "archive walk? walk_callback payload?",
    "zpack_search_tree": "archive oid search searched_callback payload?",
    "zpack_search_history": "archive search match_callback payload?",
    "zpack_search_versions": "archive search blob_callback payload?",
    "zpack_log": "archive log? commit_callback payload?",
    "zpack_verify": "out:pointer file repository? verify?",
    "zpack_convert": "repository new_file convert?",
    "zpack_consolidate": "out:consolidated? file new_file consolidate?",
    "zpack_restore": "file new_directory restore?",
    "zpack_repack": "repository repack?",
}
POINTERS = ("zpack_error_last", "zpack_report_damage")
READING = {EIO, ECORRUPT, ENOTFOUND, EAMBIGUOUS, EINVALID, ELIMIT}
WHOLE = READING | {EUNSUPPORTED, EEXISTS, ESOURCE, EGIT, EINTERRUPTED, EMISMATCH}
# The codes that the header names, where they are few.
CODES = {
    "zpack_open": {ENOTFOUND, EIO, EUNSUPPORTED, ECORRUPT, ELIMIT, EINVALID},
    "zpack_foreach_ref": {EINVALID},
    "zpack_oid_from_hex": {EINVALID},
    "zpack_contains": {ECORRUPT, EINVALID, EIO, ELIMIT},
} | {
    f"zpack_{name}": READING | {EINTERRUPTED}
    for name in ("search_tree", "search_history", "search_versions", "log")
} | {name: {EINVALID} for name in PARAMETERS if name.endswith("_init")} | {
    f"zpack_{name}": WHOLE for name in (
        "verify", "convert", "consolidate", "restore", "repack")}
# The versions of options that have more than one.
VERSIONS = {"open": 2, "verify": 2, "convert": 2, "restore": 2}


def oid_of(text: str) -> Oid:
    raw = bytes.fromhex(text)
    return Oid((c.c_ubyte * 32)(*raw), len(raw))


def hex_of(oid: Oid) -> str:
    return bytes(oid.bytes)[:oid.size].hex()


class Archive:
    """An open archive, and what its options allow."""

    def __init__(self, handle: c.c_void_p, options: OpenOptions | None):
        self.handle = handle
        self.unhashed = options is not None and options.skip_hashes != 0
        self.is_limited = options is not None and any(
            (options.max_block_size, options.max_object_size, options.max_chunk_size))


class Session:
    """Calls of one child process. Its findings go to standard error."""

    def __init__(self, config: dict):
        self.config = config
        self.mode = config["mode"]  # good, damaged or forged
        self.file = os.fsencode(config["file"])
        self.work = pathlib.Path(config["work"])
        self.truth = json.loads(pathlib.Path(config["truth"]).read_text())
        self.objects: dict[str, list] = self.truth["objects"]
        self.ids = list(self.objects)
        self.chance = random.Random(config["seed"])
        self.found = 0
        self.calls = 0
        self.library = c.CDLL(config["library"])
        for name in ("zpack_version", "zpack_type_name", "zpack_report_difference"):
            getattr(self.library, name).restype = c.c_char_p
        for name in POINTERS:
            getattr(self.library, name).restype = c.POINTER(Error)
        for name in ("zpack_oid_size", "zpack_report_damage_count",
                     "zpack_report_difference_count"):
            getattr(self.library, name).restype = c.c_size_t
        for name in ("zpack_report_objects", "zpack_report_verified"):
            getattr(self.library, name).restype = c.c_uint64
        self.library.zpack_report_damage.argtypes = [c.c_void_p, c.c_size_t]
        self.library.zpack_report_difference.argtypes = [c.c_void_p, c.c_size_t]

        # A page, and one that nobody may read.
        self.pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
        self.edge = c.addressof(c.c_char.from_buffer(self.pages)) + mmap.PAGESIZE
        c.CDLL(None).mprotect(c.c_void_p(self.edge), c.c_size_t(mmap.PAGESIZE), 0)

    def at_edge(self, version: int) -> int:
        """The address of a struct that has a version and little else."""
        address = self.edge - 8
        c.c_uint.from_address(address).value = version
        return address

    def finding(self, what: str) -> None:
        self.found += 1
        if self.found < 20:
            print("finding:", ascii(what)[1:-1], file=sys.stderr, flush=True)

    def expect(self, condition: bool, what: str) -> None:
        if not condition:
            self.finding(what)

    def call(self, function: str, *arguments, outs=(), stops: tuple[int, ...] = ()) -> int:
        """Calls a function that returns a code, and checks what holds of any code.

        outs: results, which only a call that succeeds may change
        stops: what a callback of the call may have returned
        """
        self.calls += 1
        before = [bytes(out) for out in outs]
        code = getattr(self.library, function)(*arguments)
        if code in stops:
            return code
        if code > 0:
            self.finding(f"{function} returned {code}, which no callback did")
        if code < 0:
            self.expect(code in CODES.get(function, READING), f"{function} returned {code}: "
                        f"{self.library.zpack_error_last().contents.message!r}")
            self.check_error(function, self.library.zpack_error_last(), code)
            for out, old in zip(outs, before):
                self.expect(bytes(out) == old, f"{function} failed and changed its result")
        return code

    def check_error(self, function: str, pointer, code: int | None = None) -> None:
        if not pointer:
            self.finding(f"{function}: there is no error")
            return
        error = pointer.contents
        self.expect(code is None or error.code == code,
                    f"{function} returned {code}, and its error has {error.code}")
        message = error.message or b""
        self.expect(bool(message) and error.path is not None, f"{function}: no message")
        self.expect(not any(byte < 32 or byte == 127
                            for byte in message.replace(b"\n", b"")),
                    f"{function}: a message with control characters: {message!r}")
        self.expect(error.has_offset in (0, 1) and error.object.size in (0, 20, 32),
                    f"{function}: an error with odd values")

    # Objects.

    def in_threads(self, work: Callable[[int], None], count: int) -> None:
        """Gives each of so many threads a seed, and waits for all of them."""
        threads = [threading.Thread(target=work, args=(self.chance.randrange(2**32),))
                   for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def pick(self, chance: random.Random) -> tuple[Oid, str]:
        """An id to ask for, and as hexadecimal; '' if it is none."""
        kind = chance.randrange(8)
        if kind == 0:
            oid = oid_of(chance.randbytes(len(self.ids[0]) // 2).hex())
            return oid, hex_of(oid)
        if kind == 1:
            oid = oid_of(chance.randbytes(chance.choice((20, 32))).hex())
            oid.size = chance.choice((0, 1, 19, 20, 21, 31, 32, 33, 255))
            return oid, hex_of(oid) if oid.size in (20, 32) else ""
        text = chance.choice(self.ids)
        return oid_of(text), text

    def check_code(self, function: str, archive: Archive, text: str, code: int) -> None:
        """Whether the code is right for the id."""
        if text == "":
            self.expect(code == EINVALID, f"{function} takes an id that is none: {code}")
        elif self.mode == "forged":
            return
        elif text in self.objects:
            right = code == OK or (archive.is_limited and code == ELIMIT)
            self.expect(right or (self.mode == "damaged" and code == ECORRUPT),
                        f"{function} returned {code} for the object {text}")
        else:
            self.expect(code == ENOTFOUND or (self.mode == "damaged" and code == ECORRUPT)
                        or (archive.is_limited and code == ELIMIT),
                        f"{function} returned {code} for no object")

    def check_header(self, function: str, text: str, kind: int, size: int) -> None:
        self.expect(0 < kind < 5, f"{function} gave the type {kind}")
        if self.mode != "forged" and 0 < kind < 5:
            self.expect(self.objects.get(text) == [TYPES[kind], size],
                        f"{function} gave another type or size of {text}")

    def check_content(self, function: str, text: str, kind: int, content: bytes) -> None:
        hasher = hashlib.sha1() if len(text) == 40 else hashlib.sha256()
        hasher.update(b"%b %d\0" % (TYPES[kind].encode(), len(content)) + content)
        self.expect(hasher.hexdigest() == text, f"{function} gave wrong content of {text}")

    # Callbacks.

    def visitor(self, kind, chance: random.Random, total: int, see: Callable,
                inside: Callable[[], None] = lambda: None):
        """A callback that may stop at some call, with the value for 'stops'.

        Returns the callback, and a function that checks what the call returned.
        """
        stop_at = chance.randrange(total + 2) if chance.randrange(3) == 0 else None
        value = chance.choice((1, 7, 2**31 - 1))
        thread = threading.get_ident()
        state = {"calls": 0, "inside": 0, "stopped": False}

        def visit(*arguments) -> int:
            self.expect(threading.get_ident() == thread, "a callback ran in another thread")
            self.expect(not state["stopped"], "a callback ran after it had said to stop")
            see(*arguments[:-1])
            state["calls"] += 1
            if state["inside"] < 3 and chance.randrange(12) == 0:
                state["inside"] += 1
                inside()
            if stop_at is not None and state["calls"] > stop_at:
                state["stopped"] = True
                return value
            return 0

        def check(function: str, code: int) -> bool:
            """Whether the call passed all."""
            self.expect((code == value) == state["stopped"],
                        f"{function} returned {code} after a callback, not {value}")
            return code == OK
        return kind(visit), (value,), check
