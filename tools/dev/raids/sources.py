# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Crafted repositories: their packs, indexes of packs, bitmaps, tables of refs, indexes
of work trees, worktrees, configuration and links.

What must hold: what 'convert' calls verified is what Git reads of the repository, or
the command fails; 'repack -d' loses nothing that Git can still read; nothing outside
of the repository is read into a file or changed."""

import hashlib
import os
import pathlib
import random
import shutil
import struct
import subprocess
import zlib

from raids.common import Raid, random_history

NUMBERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1)


class SourcesRaid(Raid):
    def prepare(self) -> None:
        made = self.made
        self.sources: list[pathlib.Path] = []
        for form in ("sha1", "sha256"):
            self.sources += self.make_kinds(made, form)
        self.form = "sha1"
        self.is_partial = False

    def make_kinds(self, made: pathlib.Path, form: str) -> list[pathlib.Path]:
        plain = random_history(self, made / f"{form}.git", 12, self.seed,
                               f"--object-format={form}")
        for i in range(3):
            self.more(plain, i)
        packed = made / f"{form}-packed.git"
        shutil.copytree(plain, packed)
        self.git("-C", packed, "repack", "-q", "-a", "-d", "--write-bitmap-index")
        self.git("-C", packed, "pack-refs", "--all")
        self.git("-C", packed, "commit-graph", "write", "--reachable")
        several = made / f"{form}-several.git"
        shutil.copytree(packed, several)
        for i in range(3, 6):
            self.more(several, i)
            self.git("-C", several, "-c", "pack.writeReverseIndex=true", "repack", "-q", "-d")
        self.git("-C", several, "multi-pack-index", "write", "--bitmap")
        worktree = made / f"{form}-worktree"
        self.git("clone", "-q", plain, worktree)
        self.git("-C", worktree, "worktree", "add", "-q", "--detach", made / f"{form}-linked")
        (worktree / "new").write_text("new\n")
        self.git("-C", worktree, "add", "new")
        self.git("-C", worktree, "update-index", "--split-index")
        (worktree / "newer").write_text("newer\n")
        self.git("-C", worktree, "add", "newer")
        shallow = made / f"{form}-shallow.git"
        self.git("clone", "-q", "--bare", "--depth", "3", f"file://{plain}", shallow)
        partial = made / f"{form}-partial.git"
        self.git("-C", plain, "config", "uploadpack.allowFilter", "true")
        self.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{plain}", partial)
        alternate = made / f"{form}-alternate.git"
        self.git("clone", "-q", "--bare", "--shared", packed, alternate)
        file, tables = made / f"{form}.zpack", made / f"{form}-tables.git"
        self.must("convert", "-q", several, file)
        self.must("restore", "-q", "--ref-format", "reftable", file, tables)
        return [plain, packed, several, worktree, shallow, partial, alternate, tables]

    def more(self, repository: pathlib.Path, number: int) -> None:
        blob = self.git("-C", repository, "hash-object", "-w", "--stdin",
                        input=b"more %d\n" % number * 50).strip().decode()
        tree = self.git("-C", repository, "mktree",
                        input=f"100644 blob {blob}\tfile\n".encode()).strip().decode()
        commit = self.git("-C", repository, "commit-tree", "-m", "m", tree).strip().decode()
        self.git("-C", repository, "update-ref", f"refs/heads/more{number}", commit)

    def take(self, chance: random.Random, suffix: str = "") -> pathlib.Path:
        """A copy of one of the repositories."""
        named = [source for source in self.sources if source.name.endswith(suffix)]
        source = chance.choice(named)
        target = self.work / "source"
        self.form = "sha256" if source.name.startswith("sha256") else "sha1"
        self.is_partial = "partial" in source.name
        shutil.copytree(source, target, symlinks=True)
        return target

    @staticmethod
    def git_directory(source: pathlib.Path) -> pathlib.Path:
        return source / ".git" if (source / ".git").exists() else source

    def files(self, source: pathlib.Path, *endings: str) -> list[pathlib.Path]:
        return sorted(path for path in self.git_directory(source).rglob("*")
                      if path.is_file() and not path.name.endswith(".sample") and
                      (not endings or path.name.endswith(endings)))

    # What is done to a file.

    def edit(self, chance: random.Random, path: pathlib.Path) -> None:
        data = bytearray(path.read_bytes())
        path.chmod(0o644)
        sealed = chance.randrange(3) != 0
        for _ in range(chance.choice((1, 1, 2, 5))):
            kind = chance.randrange(8)
            near = chance.choice((64, 64, 2000, max(1, len(data))))
            at = chance.randrange(max(1, min(len(data), near)))
            if kind < 3 and len(data) >= at + 4:
                struct.pack_into(">I", data, at // 4 * 4 if at // 4 * 4 + 4 <= len(data) else 0,
                                 chance.choice(NUMBERS))
            elif kind == 3 and data:
                data[at] ^= 1 << chance.randrange(8)
            elif kind == 4:
                del data[at:at + chance.choice((1, 4, 20, 100))]
            elif kind == 5:
                data[at:at] = chance.randbytes(chance.choice((1, 4, 20, 1000)))
            elif kind == 6:
                del data[at:]
            elif data:
                other = chance.randrange(len(data))
                size = chance.choice((4, 8, 20, 100))
                part = bytes(data[other:other + size])
                data[at:at + len(part)] = part
        if sealed:
            data = bytearray(self.seal(path, bytes(data)))
        path.write_bytes(data)

    def seal(self, path: pathlib.Path, data: bytes) -> bytes:
        """Puts the right checksum at the end, where Git has one."""
        size = hashlib.new(self.form).digest_size
        if path.suffix == ".ref" and len(data) > 72:
            return data[:-4] + struct.pack(">I", zlib.crc32(
                data[-68 if self.form == "sha1" else -72:-4]))
        sealed = path.suffix in (".idx", ".rev", ".bitmap", ".pack", ".mtimes", ".graph") or \
            path.name in ("index", "multi-pack-index", "commit-graph") or \
            path.name.startswith("sharedindex.")
        if not sealed or len(data) < size:
            return data
        return data[:-size] + hashlib.new(self.form, data[:-size]).digest()

    # What must hold.

    def ask(self, source: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess | None:
        """What Git says of a repository; None if it hangs, for example in a pipe."""
        try:
            return subprocess.run(["git", "-C", source, *arguments], check=False,
                                  env=self.environment, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired:
            return None

    def known(self, source: pathlib.Path) -> dict[str, str] | None:
        """The refs that Git can read in full."""
        done = self.ask(source, "for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split() for line in done.stdout.decode(
            errors="surrogateescape").splitlines()) \
            if done and done.returncode == 0 else None

    def readable(self, source: pathlib.Path) -> bool | None:
        """Whether Git can read everything; None if it hangs."""
        # Not the commit-graph: Git does not write it again when it drops commits.
        for arguments in (("rev-list", "--objects", "--all", "--reflog", "--quiet"),
                          ("fsck", "--connectivity-only")):
            done = self.ask(source, "-c", "core.commitGraph=false", *arguments)
            if done is None or done.returncode != 0:
                return None if done is None else False
        return True

    def check(self, source: pathlib.Path, chance: random.Random, odd_refs: bool) -> None:
        partial = self.is_partial
        options = ["--allow-promised"] if partial else []
        if chance.randrange(3) == 0 and not partial:
            options.append("--reachable")
        file = self.work / "x.zpack"
        done = self.run("convert", "-q", *options, source, file, codes=(0, 128))
        if done.returncode == 0:
            self.check_file(source, file, partial, odd_refs)
        else:
            left = [name for name in os.listdir(self.work) if name not in
                    ("source", ".x.zpack.zpack-tmp")]
            self.expect(not left, f"left {left}", done.stderr)
        if chance.randrange(3) == 0:
            self.run("report", source, codes=(0, 128))
        if chance.randrange(2):
            self.check_repack(source, chance)

    def check_file(self, source: pathlib.Path, file: pathlib.Path, partial: bool,
                   odd_refs: bool) -> None:
        done = self.run("verify", "--level", "connectivity", file)
        self.expect(done.returncode == 0, "'convert' made a file that is not intact",
                    done.stderr)
        refs = self.known(source)
        listed = self.run("list-refs", file, codes=(0,))
        found = dict(reversed(line.split(" ", 1)) for line in
                     listed.stdout.decode(errors="replace").splitlines())
        if refs is not None and not odd_refs:
            found.pop("HEAD", None)
            missing = {name for name, value in refs.items() if found.get(name) != value}
            self.expect(not missing, f"refs differ: {sorted(missing)[:3]}")
        target = self.work / "restored.git"
        self.run("restore", "-q", file, target, codes=(0,))
        checked = subprocess.run(["git", "-C", target, "fsck", "--full", "--connectivity-only"],
                                 check=False, env=self.environment, capture_output=True)
        if checked.returncode in (0, 8) or partial:
            return
        asked = self.ask(source, "fsck", "--full", "--connectivity-only")
        if asked is None:
            return
        said = set(asked.stderr.splitlines())
        new = [line for line in checked.stderr.splitlines() if line not in said]
        self.expect(not new, "what was restored is broken", b"\n".join(new))

    def check_repack(self, source: pathlib.Path, chance: random.Random) -> None:
        before = self.readable(source)
        objects = self.objects(source) if before else set()
        options = chance.choice((["-d"], ["-a", "-d"], ["-a", "-d", "-F"], ["-d", "-k"],
                                 ["-d", "-b"], ["-d", "-A"]))
        # Git, which writes bitmaps, may say first why it refuses.
        done = self.run("repack", "-q", *options, source, codes=(0, 128), sentences=(1, 2))
        after = self.readable(source) if before else None
        if after is False:
            self.finding(f"'repack {' '.join(options)}' broke what Git could read",
                         done.stderr)
        elif after:
            lost = objects - self.objects(source)
            self.expect(not lost, f"'repack {options}' lost {sorted(lost)[:3]}", done.stderr)

    def objects(self, source: pathlib.Path) -> set[str]:
        done = self.ask(source, "rev-list", "--objects", "--all", "--reflog",
                        "--indexed-objects", "--no-object-names")
        return set(done.stdout.decode().split()) if done and done.returncode == 0 else set()

    # Attacks.

    def edit_some(self, chance: random.Random, suffix: str, *endings: str) -> None:
        source = self.take(chance, suffix)
        named = self.files(source, *endings)
        if named:
            for _ in range(chance.choice((1, 1, 2))):
                self.edit(chance, chance.choice(named))
        self.check(source, chance, odd_refs=False)

    def packs(self, chance: random.Random) -> None:
        """Packs, their indexes and what Git derives of them."""
        self.edit_some(chance, chance.choice(("packed.git", "several.git")), ".pack", ".idx",
                    ".rev", ".bitmap")

    def several_packs(self, chance: random.Random) -> None:
        """Multi-pack-indexes, and chains of them."""
        source = self.take(chance, "several.git")
        directory = source / "objects/pack"
        index = directory / "multi-pack-index"
        if chance.randrange(3) == 0:
            chain = directory / "multi-pack-index.d"
            chain.mkdir()
            name = index.read_bytes()[-20:].hex()
            index.rename(chain / f"multi-pack-index-{name}.midx")
            (chain / "multi-pack-index-chain").write_text(
                chance.choice((f"{name}\n", f"{name}\n" * 3, f"{name}", "x\n", "\n" * 9,
                               "0" * 40 + "\n", f"../../{name}\n")))
        else:
            self.edit(chance, index)
        kind = chance.randrange(6)
        packs = sorted(directory.glob("*.pack"))
        if kind == 0:
            packs[0].unlink()
        elif kind == 1:
            os.truncate(packs[0], chance.randrange(packs[0].stat().st_size))
        elif kind == 2:
            packs[0].rename(directory / "other.pack")
        elif kind == 3:
            shutil.copyfile(packs[0], packs[1])
        self.check(source, chance, odd_refs=False)

    def tables(self, chance: random.Random) -> None:
        """Tables of refs and reflogs."""
        self.edit_some(chance, "tables.git", ".ref", "tables.list")

    def small_files(self, chance: random.Random) -> None:
        """HEAD, refs, shallow, alternates, configuration, gitdir, the index."""
        source = self.take(chance)
        named = [path for path in self.files(source)
                 if "objects/pack" not in os.fspath(path) and path.stat().st_size < 100_000]
        for _ in range(chance.choice((1, 2))):
            self.edit(chance, chance.choice(named))
        self.check(source, chance, odd_refs=True)

    def index(self, chance: random.Random) -> None:
        """Indexes of work trees, with extensions and parts that are shared."""
        source = self.take(chance, "worktree")
        named = [path for path in self.files(source)
                 if path.name == "index" or path.name.startswith("sharedindex.")]
        path = chance.choice(named)
        if chance.randrange(2):
            self.edit(chance, path)
        else:
            data = path.read_bytes()
            size = hashlib.new(self.form).digest_size
            extension = chance.choice((b"TREE", b"REUC", b"link", b"UNTR", b"FSMN", b"EOIE",
                                       b"IEOT", b"sdir", b"abcd", b"ABCD"))
            content = chance.choice((b"", b"\0" * 40, b"100644\0" * 3 + b"\1" * 60,
                                     chance.randbytes(100)))
            length = chance.choice((len(content), 0, 2**31, 2**32 - 1, len(content) + 1))
            data = data[:-size] + extension + struct.pack(">I", length) + content + bytes(size)
            path.write_bytes(self.seal(path, data))
        self.check(source, chance, odd_refs=False)

    def places(self, chance: random.Random) -> None:
        """Directories and files that lead elsewhere, are of another kind, or are deep."""
        source = self.take(chance)
        root = self.git_directory(source)
        name = chance.choice((
            "HEAD", "config", "packed-refs", "shallow", "objects", "objects/pack",
            "objects/info", "objects/info/alternates", "objects/info/commit-graph", "refs",
            "refs/heads", "refs/heads/x", "logs", "logs/HEAD", "hooks", "info", "info/exclude",
            "worktrees", "worktrees/x/gitdir", "worktrees/x", "commondir", "gitdir", "index",
            "modules", "lfs", "reftable/tables.list", "config.worktree", "description",
            "objects/pack/pack-1.idx", "objects/pack/multi-pack-index",
            "objects/00", "FETCH_HEAD", "rebase-merge", "refs/bisect", "refs/worktree"))
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists() or path.is_symlink():
            path.unlink()
        if path.parent.is_file():
            path.parent.unlink()
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = chance.randrange(9)
        if kind == 0:
            path.symlink_to(chance.choice((self.outside, self.outside / "file", ".", "..",
                                           "/dev/zero", "/proc/self/mem", "/", "missing",
                                           path.name, "/dev/full", "/proc/self/fd")))
        elif kind == 1:
            os.mkfifo(path)
        elif kind == 2:
            path.mkdir()
            deep = chance.choice((10, 300, 2000))
            here = os.open(path, os.O_RDONLY)
            for _ in range(deep):
                os.mkdir("d", dir_fd=here)
                below = os.open("d", os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = below
            os.close(here)
        elif kind == 3:
            path.mkdir()
            for i in range(20):
                (path / f"l{i}").symlink_to(chance.choice((".", "..", "/", self.outside)))
        elif kind == 4:
            path.write_text(chance.choice((
                f"{self.outside}\n", "../../outside\n", "gitdir: ../outside\n", "/\n",
                "ref: ../../outside/file\n", "ref: refs/../../outside/file\n",
                f"ref: {self.outside}/file\n", "../objects\n", "/dev/zero\n", ".\n", "\0\n")))
        elif kind == 5:
            with open(path, "wb") as out:
                # What is archived as it is takes as long as it is large.
                out.truncate(chance.choice((1, 2**20, 2**28) if name in (
                    "description", "info/exclude") else (1, 2**20, 2**31, 2**40)))
        elif kind == 6:
            path.mkdir()
            for i in range(5):
                os.mkfifo(path / f"pack-{i}.idx")
                os.mkfifo(path / f"{i}")
        elif kind == 7:
            path.write_bytes(b"x" * chance.choice((1, 10**6)) + b"\n" * 1000)
        self.check(source, chance, odd_refs=True)

    def settings(self, chance: random.Random) -> None:
        """Configuration that changes what the repository is."""
        source = self.take(chance)
        config = self.git_directory(source) / "config"
        key, values = chance.choice((
            ("core.repositoryformatversion", ("0", "1", "2", "99999999999", "-1", "x")),
            ("extensions.objectformat", ("sha1", "sha256", "SHA256", "md5", "")),
            ("extensions.refstorage", ("files", "reftable", "x", "files:///x", "reftable://..")),
            ("extensions.partialclone", ("origin", "../x", "", "--upload-pack=x")),
            ("extensions.preciousobjects", ("true", "false", "x", "")),
            ("extensions.worktreeconfig", ("true", "x")),
            ("extensions.compatobjectformat", ("sha256", "sha1")),
            ("extensions.noop", ("x",)), ("extensions.other", ("x",)),
            ("core.worktree", (os.fspath(self.outside), "..", "/", "")),
            ("core.bare", ("true", "false", "x")),
            ("core.sharedrepository", ("0777", "all", "x", "-1", "0")),
            ("core.bigfilethreshold", ("0", "-1", "1", "99999999999999999999", "1k")),
            ("core.compression", ("-2", "10", "x")), ("pack.depth", ("-1", "0", "99999999")),
            ("pack.window", ("-1", "0", "99999999")),
            ("pack.packsizelimit", ("1", "-1", "x")), ("pack.threads", ("-1", "99999999", "x")),
            ("include.path", ("config", ".", "/dev/zero", "~/x", os.fspath(self.outside / "file"),
                              "/proc/self/mem")),
            ("remote.origin.promisor", ("true", "x")),
            ("remote.origin.url", ("ext::sh -c touch% x", "--upload-pack=x", "\1")),
            ("gc.pruneexpire", ("now", "x", "never")), ("gc.bigpackthreshold", ("1", "-1")),
            ("repack.writebitmaps", ("true", "x")), ("core.fsync", ("none", "x")),
            ("core.logallrefupdates", ("always", "x")), ("core.packedgitlimit", ("0", "-1"))))
        self.git("config", "-f", config, key, chance.choice(values))
        if chance.randrange(3) == 0:
            self.git("config", "-f", config, "core.repositoryformatversion", "1")
        if chance.randrange(4) == 0:
            for pack in (self.git_directory(source) / "objects/pack").glob("*.pack"):
                pack.with_suffix(chance.choice((".promisor", ".keep", ".mtimes"))).write_bytes(
                    chance.choice((b"", b"x" * 40, b"MTME\0\0\0\1\0\0\0\1")))
        self.check(source, chance, odd_refs=True)

    def attacks(self):
        return [self.packs, self.small_files, self.several_packs, self.index, self.places,
                self.settings, self.tables]


def make(options, directory: pathlib.Path) -> Raid:
    raid = SourcesRaid("sources", options, directory)
    raid.prepare()
    return raid
