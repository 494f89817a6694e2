# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the raid 'library' through libgit2, whose backends read an archive."""

import ctypes as c
import os
import random

from raids.library_calls import NAMES
from raids.library_session import OpenOptions, Session

NOT_FOUND, INVALID, OVER = -3, -21, -31
ID_SIZE = 20
POINTERS = ("git_odb_object_data", "git_reference_target", "git_object_id", "git_odb_object_id")
TEXTS = ("git_reference_name", "git_reference_symbolic_target", "git_repository_path")


class GitId(c.Structure):
    """git_oid of libgit2 with SHA-1 alone."""
    _fields_ = [("id", c.c_ubyte * ID_SIZE)]


class GitError(c.Structure):
    """git_error."""
    _fields_ = [("message", c.c_char_p), ("klass", c.c_int)]


IdCallback = c.CFUNCTYPE(c.c_int, c.POINTER(GitId), c.c_void_p)


def git_id(text: str) -> GitId:
    return GitId.from_buffer_copy(bytes.fromhex(text.ljust(2 * ID_SIZE, "0")))


class Git2(Session):
    def __init__(self, config: dict):
        super().__init__(config)
        self.git2 = c.CDLL(config["library_git2"])
        for name in POINTERS:
            getattr(self.git2, name).restype = c.c_void_p
        for name in TEXTS:
            getattr(self.git2, name).restype = c.c_char_p
        self.git2.git_odb_object_size.restype = c.c_size_t
        self.git2.git_error_last.restype = c.POINTER(GitError)
        self.git2.git_libgit2_init()
        # Another process must not decide what libgit2 reads.
        for level in (1, 2, 3, 4):
            self.git2.git_libgit2_opts(c.c_int(1), c.c_int(level), os.fsencode(self.work))

    def run(self, function: str, *arguments, silent: bool = False) -> int:
        """Calls a function of libgit2, which says why it fails."""
        self.calls += 1
        self.git2.git_error_clear()
        code = getattr(self.git2, function)(*arguments)
        if code < 0 and not silent and code != OVER:
            error = self.git2.git_error_last()
            self.expect(bool(error) and bool(error.contents.message),
                        f"{function} returned {code} without a message")
        return code

    def made(self, function: str, *arguments, silent=False) -> tuple[int, c.c_void_p]:
        out = c.c_void_p()
        return self.run(function, c.byref(out), *arguments, silent=silent), out

    def options(self):
        if self.chance.randrange(2):
            return None
        return c.byref(OpenOptions(1, 0, 0, 0, self.chance.choice((0, 1, 2**64 - 1)),
                                   self.chance.randrange(2)))

    # Objects.

    def pick_known(self, chance: random.Random) -> str:
        if chance.randrange(5) == 0:
            return chance.randbytes(ID_SIZE).hex()
        return chance.choice(self.ids)

    def objects_of(self, odb: c.c_void_p, chance: random.Random, kept: list) -> None:
        text = self.pick_known(chance)
        if chance.randrange(4) == 0:
            digits = chance.randrange(0, 45)
            oid = git_id(text[:digits])
            code, out = self.made("git_odb_read_prefix", odb, c.byref(oid), c.c_size_t(digits))
        else:
            digits = 40
            code, out = self.made("git_odb_read", odb, c.byref(git_id(text)))
        if code == 0:
            kept.append((text[:digits], out))
            if chance.randrange(3):
                self.check_kept(kept)
        elif digits == 40:
            self.judge("git_odb_read", text, code)
        size, kind = c.c_size_t(), c.c_int()
        code = self.run("git_odb_read_header", c.byref(size), c.byref(kind), odb,
                        c.byref(git_id(text)))
        if code == 0:
            self.check_header("git_odb_read_header", text, kind.value, size.value)
        else:
            self.judge("git_odb_read_header", text, code)
        found = self.run("git_odb_exists", odb, c.byref(git_id(text)), silent=True)
        if self.mode == "good":
            self.expect(found == (text in self.objects), f"git_odb_exists is {found} of {text}")

    def judge(self, function: str, text: str, code: int) -> None:
        if self.mode == "good":
            self.expect(code == NOT_FOUND and text not in self.objects,
                        f"{function} returned {code} for {text}")
        elif self.mode == "damaged":
            self.expect(code != NOT_FOUND or text not in self.objects,
                        f"{function} does not find {text}")

    def check_kept(self, kept: list) -> None:
        """Checks objects, and frees them."""
        while kept:
            text, out = kept.pop()
            found = c.string_at(self.git2.git_odb_object_id(out), ID_SIZE).hex()
            self.expect(found.startswith(text), f"asked for {text}, got {found}")
            size = self.git2.git_odb_object_size(out)
            data = self.git2.git_odb_object_data(out)
            content = c.string_at(data, size)
            self.expect(c.string_at(data + size, 1) == b"\0", "no NUL after the content")
            self.check_content("git_odb_read", found, self.git2.git_odb_object_type(out), content)
            self.git2.git_odb_object_free(out)

    def list_ids(self, odb: c.c_void_p, chance: random.Random) -> None:
        seen: list[str] = []
        stop_at = chance.choice((None, None, 0, 3))

        def see(oid, _payload) -> int:
            seen.append(bytes(oid.contents.id).hex())
            return 9 if stop_at is not None and len(seen) > stop_at else 0
        code = self.run("git_odb_foreach", odb, IdCallback(see), None, silent=True)
        if code == 0 and self.mode != "forged":
            self.expect(sorted(seen) == sorted(self.ids), "git_odb_foreach passes other ids")
        self.expect(code <= 0 or (code == 9 and stop_at is not None),
                    f"git_odb_foreach returned {code}")

    def write(self, odb: c.c_void_p) -> None:
        content = b"new\n"
        out = GitId()
        code = self.run("git_odb_write", c.byref(out), odb, content, c.c_size_t(len(content)),
                        c.c_int(3))
        self.expect(code < 0, f"an object was written: {code}")

    # Refs.

    def reference(self, repository: c.c_void_p, chance: random.Random) -> None:
        names = [*self.truth["refs"], "HEAD", "refs/heads/missing", "refs/x..y", "", "x" * 5000]
        name = chance.choice(names)
        code, out = self.made("git_reference_lookup", repository, name.encode())
        if code == 0:
            self.expect(self.git2.git_reference_name(out) == name.encode(), "another ref")
            if self.mode != "forged" and name != "HEAD":
                found = c.string_at(self.git2.git_reference_target(out), ID_SIZE).hex()
                self.expect(found == self.truth["refs"][name], f"'{name}' is {found}")
            self.change(repository, out, chance)
            self.git2.git_reference_free(out)
        elif self.mode != "forged":
            self.expect(name not in self.truth["refs"] and name != "HEAD",
                        f"'{name}' is not found: {code}")

    def change(self, repository: c.c_void_p, reference: c.c_void_p,
               chance: random.Random) -> None:
        """Everything that changes refs or reflogs is refused."""
        oid = c.byref(git_id(self.ids[0]))
        kind = chance.randrange(6)
        out = c.c_void_p()
        if kind == 0:
            code = self.run("git_reference_create", c.byref(out), repository, b"refs/heads/new",
                            oid, chance.randrange(2), b"m")
        elif kind == 1:
            code = self.run("git_reference_delete", reference)
        elif kind == 2:
            code = self.run("git_reference_rename", c.byref(out), reference, b"refs/heads/new",
                            1, b"m")
        elif kind == 3:
            code = self.run("git_reference_symbolic_create", c.byref(out), repository,
                            b"refs/heads/new", b"refs/heads/main", 1, b"m")
        elif kind == 4:
            code = self.run("git_reflog_delete", repository, b"HEAD")
        else:
            code = self.run("git_reflog_rename", repository, b"HEAD", b"refs/heads/x")
        self.expect(code < 0, f"a change of kind {kind} is not refused")

    def iterate(self, repository: c.c_void_p, chance: random.Random, freed=None) -> None:
        """Two iterators at once; with 'freed', the repository is freed before the end."""
        glob = chance.choice((None, b"refs/*", b"refs/tags/*", b"[", b"*" * 3000, b""))
        iterators = []
        for _ in range(2):
            code, out = (self.made("git_reference_iterator_new", repository) if glob is None
                         else self.made("git_reference_iterator_glob_new", repository,
                                        glob))
            if code == 0:
                iterators.append(out)
        if freed:
            freed()
        for out in iterators:
            seen = []
            name = c.c_char_p()
            while True:
                code = self.run("git_reference_next_name", c.byref(name), out)
                if code != 0:
                    break
                seen.append((name.value or b"").decode())
            self.expect(code == OVER, f"an iterator ends with {code}")
            self.expect(self.run("git_reference_next_name", c.byref(name), out) == OVER,
                        "an iterator goes on after its end")
            if self.mode != "forged" and glob in (None, b"refs/*"):
                self.expect(seen == list(self.truth["refs"]), f"an iterator passes {seen}")
            self.git2.git_reference_iterator_free(out)

    def reflog(self, repository: c.c_void_p, chance: random.Random) -> None:
        name = chance.choice((b"HEAD", b"refs/heads/main", b"refs/missing"))
        code, out = self.made("git_reflog_read", repository, name)
        if code == 0:
            self.expect(self.git2.git_reflog_entrycount(out) == 0, "a reflog with entries")
            self.expect(self.run("git_reflog_write", out) < 0, "a reflog is written")
            self.git2.git_reflog_free(out)

    def spec(self, repository: c.c_void_p, chance: random.Random) -> None:
        known = list(self.truth["names"])
        name = chance.choice((*NAMES, *(one.encode() for one in known)))
        code, out = self.made("git_revparse_single", repository, name, silent=True)
        if code != 0:
            self.expect(self.mode != "good" or name.decode("latin-1") not in known,
                        f"{name!r} is not found: {code}")
            return
        found = c.string_at(self.git2.git_object_id(out), ID_SIZE).hex()
        self.expect(self.mode == "forged" or found in self.objects, f"{name!r} is {found}")
        self.git2.git_object_free(out)

    def walk(self, repository: c.c_void_p, _chance: random.Random) -> None:
        code, walk = self.made("git_revwalk_new", repository)
        if code != 0:
            return
        count, oid = 0, GitId()
        if self.run("git_revwalk_push_head", walk) == 0:
            while (code := self.run("git_revwalk_next", c.byref(oid), walk)) == 0:
                count += 1
            if self.mode == "good":
                self.expect(code == OVER and count == len(self.truth["commits_walked"]),
                            f"{count} commits, then {code}")
        self.git2.git_revwalk_free(walk)

    # Attacks.

    def open(self) -> c.c_void_p | None:
        code, repository = self.made("zpack_repository_open", self.file, self.options())
        self.expect(code == 0 or self.mode != "good", f"zpack_repository_open returned {code}")
        return repository if code == 0 else None

    def use(self, repository: c.c_void_p, chance: random.Random, count: int) -> None:
        code, odb = self.made("git_repository_odb", repository)
        self.expect(code == 0, "there are no objects")
        kept: list = []
        for _ in range(count):
            kind = chance.randrange(10)
            if kind < 4:
                self.objects_of(odb, chance, kept)
            elif kind == 4:
                self.list_ids(odb, chance)
            elif kind == 5:
                self.write(odb)
            else:
                chance.choice((self.reference, self.iterate, self.reflog, self.spec,
                               self.walk))(repository, chance)
        self.git2.git_odb_free(odb)
        self.check_kept(kept)

    def repositories(self) -> None:
        """Several repositories of one archive, in several threads."""
        def work(seed: int) -> None:
            repository = self.open()
            if repository is None:
                return
            self.use(repository, random.Random(seed), 25)
            self.git2.git_repository_free(repository)
        self.in_threads(work, self.chance.choice((1, 1, 3)))

    def survivors(self) -> None:
        """Iterators, objects and databases that are freed after their repository."""
        repository = self.open()
        if repository is None:
            return
        code, odb = self.made("git_repository_odb", repository)
        self.expect(code == 0, "there are no objects")
        kept: list = []
        self.objects_of(odb, self.chance, kept)
        self.iterate(repository, self.chance,
                     lambda: self.git2.git_repository_free(repository))
        for _ in range(5):
            self.objects_of(odb, self.chance, kept)
        self.git2.git_odb_free(odb)
        self.check_kept(kept)

    def backends(self) -> None:
        """Backends beside each other in databases of the program itself."""
        _, odb = self.made("git_odb_new")
        backends = 0
        for _ in range(self.chance.choice((1, 2, 4))):
            code, backend = self.made("zpack_odb_backend", self.file, self.options())
            if code == 0:
                add = self.chance.choice(("git_odb_add_backend", "git_odb_add_alternate"))
                self.expect(self.run(add, odb, backend, self.chance.randrange(5)) == 0, add)
                backends += 1
        kept: list = []
        for _ in range(20 if backends else 0):
            self.objects_of(odb, self.chance, kept)
        self.git2.git_odb_free(odb)
        self.check_kept(kept)
        repository = self.open()
        if repository is None:
            return
        for _ in range(self.chance.choice((1, 3))):
            code, refdb = self.made("git_refdb_new", repository)
            code, backend = self.made("zpack_refdb_backend", self.file, self.options())
            if code == 0:
                self.expect(self.run("git_refdb_set_backend", refdb, backend) == 0, "a backend")
                self.expect(self.run("git_repository_set_refdb", repository, refdb) == 0, "refs")
                self.iterate(repository, self.chance)
                self.reference(repository, self.chance)
            self.git2.git_refdb_free(refdb)
        self.git2.git_repository_free(repository)

    def refusals(self) -> None:
        """Arguments that the header excludes, which leave the results alone."""
        for _ in range(60):
            function = self.chance.choice(("zpack_repository_open", "zpack_odb_backend",
                                           "zpack_refdb_backend"))
            out = c.c_void_p(0xA5A5)
            wrong = c.c_void_p(self.at_edge(self.chance.choice((0, 3, 2**32 - 1))))
            missing = os.fsencode(self.work / "missing")
            arguments, want = self.chance.choice((
                ((None, self.file, None), INVALID), ((c.byref(out), None, None), INVALID),
                ((None, None, wrong), INVALID),
                ((c.byref(out), self.file, wrong), INVALID),
                ((c.byref(out), missing, None), NOT_FOUND),
                ((c.byref(out), os.fsencode(self.config["other"]), None), INVALID),
                ((c.byref(out), os.fsencode(self.work), None), None),
                ((c.byref(out), b"/dev/null", None), None)))
            code = self.run(function, *arguments)
            self.expect(code == want or (want is None and code < 0), f"{function}: {code}")
            self.expect(out.value == 0xA5A5, f"{function} failed and changed its result")
