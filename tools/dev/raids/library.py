# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The shared libraries, in child processes: functions of zpack.h and of the backends of
libgit2 in any order, with arguments that nobody means, from several threads, with
callbacks that stop, on good, damaged and forged files.

What must hold: what the headers promise. No crash and no hang; the codes that the header
names, with a message; results unchanged by what fails; content that has its id; no open
file or thread is left; the file stays as it is.

With sanitizers: LD_PRELOAD their runtime, and --library the folder of their build."""

import faulthandler
import json
import os
import pathlib
import random
import subprocess
import sys
import time

from raids.common import Raid, random_history, snapshot

TOOLS = pathlib.Path(__file__).resolve().parents[1]
PATIENCE = 300  # seconds in all, for a child that waits for itself
CALLS = ("order", "threads")
MISUSE = ("nulls", "odd", "paths", "operations")
GIT2 = ("repositories", "survivors", "backends", "refusals")


def damaged(chance: random.Random, data: bytes) -> bytes:
    edited = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(edited))
        kind = chance.randrange(4)
        if kind == 0:
            edited[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            size = chance.choice((1, 16, 300))
            edited[at:at + size] = bytes(255 - byte for byte in edited[at:at + size])
        elif kind == 2 and chance.randrange(4) == 0:
            del edited[at:]
        else:
            edited[at] = (edited[at] + 1) % 256
        if not edited:
            break
    return bytes(edited)


class LibraryRaid(Raid):
    def prepare(self, options) -> None:
        folder = options.library or options.zpack.parent.parent / "src"
        self.libraries = [folder / "libzpack.so", folder / "libzpack-git2.so"]
        for library in self.libraries:
            if not library.exists():
                sys.exit(f"raid: not built: '{library}' (targets zpack_c and zpack_git2)")
        editor = options.zpack.parent.parent / "tests/edit_zpack_file"
        self.editor = editor if editor.exists() else None
        for form in ("sha1", "sha256"):
            self.make_file(form)
        (self.made / "tmp").mkdir()

    def make_file(self, form: str) -> None:
        repository = random_history(self, self.made / f"{form}.git", 20, self.seed,
                                    f"--object-format={form}")
        # Git's fast-import writes no reflog of HEAD.
        log = repository / "logs/HEAD"
        log.parent.mkdir(exist_ok=True)
        log.write_bytes((repository / "logs/refs/heads/main").read_bytes())
        self.must("convert", "-q", "--level", "1", "--block-size", "16k", repository,
                  self.made / f"{form}.zpack")

        def lines(*command: str) -> list[list[str]]:
            output = self.git("-C", repository, *command).decode()
            return [line.split() for line in output.splitlines()]
        objects = {name: [kind, int(size)] for name, kind, size in lines(
            "cat-file", "--batch-check", "--batch-all-objects")}
        names = ("HEAD", "main", "v1", "v1^{}", "HEAD~3", "HEAD^{tree}", "HEAD:dir/file1",
                 "refs/tags/v1", "HEAD:dir", "v1~2")
        truth = {
            "objects": objects,
            "refs": {name: target for target, name in lines("show-ref")},
            "names": {name: lines("rev-parse", name)[0][0] for name in names},
            "commits_walked": [line[0] for line in lines("rev-list", "--all")],
            "objects_walked": [line[0] for line in lines("rev-list", "--objects", "--all")]}
        (self.made / f"{form}.json").write_text(json.dumps(truth))

    def file_of(self, chance: random.Random, form: str, mode: str) -> tuple[pathlib.Path, str]:
        """A file in the work directory, and what is true of it."""
        source = self.made / f"{form}.zpack"
        target = self.work / "x.zpack"
        data = source.read_bytes()
        if mode == "forged" and self.editor:
            for _ in range(chance.choice((1, 2, 6))):
                edited = self.work / "edited"
                done = subprocess.run([self.editor, str(chance.randrange(2**32)), source, edited],
                                      check=False, capture_output=True, env=self.environment)
                if done.returncode != 0:
                    break
                source = edited.rename(target)
            return target, "forged" if target.exists() else "good"
        if mode != "good":
            while (edited := damaged(chance, data)) == data:
                pass
            data = edited
        target.write_bytes(data)
        return target, "good" if mode == "good" else "damaged"

    def child(self, chance: random.Random, attack: str, modes: tuple[str, ...],
              forms: tuple[str, ...] = ("sha1", "sha256")) -> None:
        form = chance.choice(forms)
        file, mode = self.file_of(chance, form, chance.choice(modes))
        if not file.exists():
            file.write_bytes((self.made / f"{form}.zpack").read_bytes())
        work = self.work / "child"
        work.mkdir()
        repository = self.work / "repository.git"
        subprocess.run(["cp", "-a", self.made / f"{form}.git", repository], check=True)
        config = {
            "library": os.fspath(self.libraries[0]), "library_git2": os.fspath(self.libraries[1]),
            "attack": attack, "mode": mode, "file": os.fspath(file), "work": os.fspath(work),
            "truth": os.fspath(self.made / f"{form}.json"), "seed": chance.randrange(2**32),
            "repository": os.fspath(repository), "other": os.fspath(self.made / "sha256.zpack")}
        written = self.work / f"{attack}-{mode}.json"
        written.write_text(json.dumps(config))
        before = file.read_bytes()
        preload = {name: os.environ[name] for name in ("LD_PRELOAD",) if name in os.environ}
        zpack, self.zpack = self.zpack, sys.executable
        try:
            self.run("-m", "raids.library", written, codes=(0,), cwd=work,
                     env=self.environment | preload | {
                         "PYTHONPATH": os.fspath(TOOLS), "PYTHONDONTWRITEBYTECODE": "1",
                         "TMPDIR": os.fspath(self.made / "tmp"), "GIT_CONFIG_COUNT": "0"})
        finally:
            self.zpack = zpack
        self.expect(file.read_bytes() == before, f"{attack} changed the file")
        left = snapshot(self.made / "tmp")
        self.expect(not left, f"{attack} left temporary files: {sorted(left)}")

    # Attacks.

    def order(self, chance: random.Random) -> None:
        self.child(chance, "order", ("good",))

    def damaged_file(self, chance: random.Random) -> None:
        self.child(chance, "order", ("damaged",))

    def forged_file(self, chance: random.Random) -> None:
        self.child(chance, "order", ("forged",))

    def threads(self, chance: random.Random) -> None:
        self.child(chance, "threads", ("good", "damaged", "forged"))

    def nulls(self, chance: random.Random) -> None:
        self.child(chance, "nulls", ("good", "damaged", "forged"))

    def odd(self, chance: random.Random) -> None:
        self.child(chance, "odd", ("good",))

    def paths(self, chance: random.Random) -> None:
        self.child(chance, "paths", ("good",))

    def operations(self, chance: random.Random) -> None:
        self.child(chance, "operations", ("good", "good", "damaged", "forged"))

    def git2_repositories(self, chance: random.Random) -> None:
        self.child(chance, "repositories", ("good", "damaged", "forged"), ("sha1",))

    def git2_survivors(self, chance: random.Random) -> None:
        self.child(chance, "survivors", ("good", "damaged", "forged"), ("sha1",))

    def git2_backends(self, chance: random.Random) -> None:
        self.child(chance, "backends", ("good", "damaged", "forged"), ("sha1",))

    def git2_refusals(self, chance: random.Random) -> None:
        self.child(chance, "refusals", ("good",), ("sha1",))

    def attacks(self):
        return [self.order, self.damaged_file, self.forged_file, self.threads, self.nulls,
                self.odd, self.paths, self.operations, self.git2_repositories,
                self.git2_survivors, self.git2_backends, self.git2_refusals]


def make(options, directory: pathlib.Path) -> Raid:
    raid = LibraryRaid("library", options, directory)
    raid.prepare(options)
    return raid


def attack_in_child(config: dict) -> int:
    """Returns how many findings there were."""
    # pylint: disable=import-outside-toplevel
    if config["attack"] in CALLS:
        from raids.library_calls import Calls as Kind
    elif config["attack"] in MISUSE:
        from raids.library_misuse import Misuse as Kind
    else:
        from raids.library_git2 import Git2 as Kind
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    session = Kind(config)
    before = [len(os.listdir(f"/proc/self/{kind}")) for kind in ("fd", "task")]
    getattr(session, config["attack"])()
    for archive in getattr(session, "archives", ()):
        session.library.zpack_archive_free(archive.handle)
    for _ in range(100):  # a thread is joined before it is gone
        after = [len(os.listdir(f"/proc/self/{kind}")) for kind in ("fd", "task")]
        if after == before:
            break
        time.sleep(0.02)
    session.expect(after == before, f"open files and threads: {before} before, {after} after")
    return session.found


if __name__ == "__main__":
    sys.exit(1 if attack_in_child(json.loads(pathlib.Path(sys.argv[1]).read_text())) else 0)
