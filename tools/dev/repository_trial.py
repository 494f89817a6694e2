# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""One repository through git-zpack and back, judged by Git: converted, verified
against, restored, repacked on copies."""

import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import time

# A repository on which a command takes as long has found something.
SECONDS_PER_COMMAND = 600
# What the output of a command says about ids, counts and places differs from one
# repository to the next.
DETAIL = re.compile(r"\b[0-9a-f]{7,64}\b|'[^']*'|\d+")


@dataclasses.dataclass
class Done:
    """How a command ended; 'seconds' of wall clock, 'memory' in bytes."""
    code: int
    out: bytes
    err: str
    seconds: float
    memory: int


@dataclasses.dataclass
class Outcome:
    """What came of a repository.

    kind      passed: nothing differs; damaged: Git finds it damaged as well, or
              refuses it as well; refused: git-zpack refuses what Git reads;
              different: what came back is not what was there
    findings  a sentence each, for 'refused' and 'different'
    costs     the Done of each command of git-zpack, by name
    sizes     bytes of the .zpack file ('convert') and of packs with their indexes after
              'repack -a -d -k -F'"""
    kind: str
    findings: list
    costs: dict
    sizes: dict = dataclasses.field(default_factory=dict)


class Refused(Exception):
    """A command failed; what it said."""


def first_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "no message"


def without_details(text):
    """The text of a message that is the same for all repositories."""
    return DETAIL.sub("…", text)


def difference(before, after, what):
    """A finding, or none, for two sets of lines."""
    lost, added = sorted(before - after), sorted(after - before)
    if not lost and not added:
        return []
    examples = [f"-{line}" for line in lost[:2]] + [f"+{line}" for line in added[:2]]
    return [f"{what}: {len(lost)} lost, {len(added)} added: {', '.join(examples)}"]


def pack_bytes(repository):
    """Of packs and their indexes."""
    packs = pathlib.Path(repository, "objects/pack")
    return sum(path.stat().st_size for path in packs.glob("pack-*")
               if path.suffix in (".pack", ".idx"))


@contextlib.contextmanager
def copy_beside(repository):
    """The path of a copy, which is removed at the end."""
    path = tempfile.mkdtemp(prefix=".zpack-trial.", dir=os.path.dirname(repository))

    def special(directory, names):
        """Pipes and sockets."""
        entries = [(name, os.lstat(os.path.join(directory, name)).st_mode) for name in names]
        return [name for name, mode in entries
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))]

    try:
        yield shutil.copytree(repository, path, symlinks=True, dirs_exist_ok=True,
                              ignore=special)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def clean_environment():
    """That of this process without anyone's settings of Git; every owner is trusted."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("GIT_") and name != "XDG_CACHE_HOME"}
    return kept | {
        "LC_ALL": "C", "HOME": "/dev/null/home", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}


class Trial:
    """Tries repositories with one git-zpack and one Git. Not for more than one thread
    and repository at a time."""

    def __init__(self, program, git="git"):
        self.program, self.git = os.path.abspath(program), git
        self.environment = clean_environment()

    def run(self, *command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(command, cwd="/", stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       env=self.environment, start_new_session=True)
            try:
                code, usage = self._wait(process, start + SECONDS_PER_COMMAND)
            except BaseException:
                process.kill()
                process.wait()
                raise
            seconds = time.monotonic() - start
            out.seek(0)
            err.seek(0)
            return Done(code, out.read(), err.read().decode(errors="replace"), seconds,
                        usage.ru_maxrss * 1024)

    @staticmethod
    def _wait(process, until):
        pause = 0.001
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage
            if time.monotonic() > until:
                process.kill()
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def run_git(self, repository, *arguments):
        # The work tree may be gone.
        return self.run(self.git, f"--git-dir={repository}", "--work-tree=/", *arguments)

    def ask(self, repository, *arguments):
        """The lines that Git prints; raises Refused."""
        done = self.run_git(repository, *arguments)
        if done.code != 0:
            raise Refused(f"git {arguments[0]}: {first_line(done.err)}")
        return done.out.decode(errors="surrogateescape").splitlines()

    def lines(self, repository, *arguments):
        return set(self.ask(repository, *arguments))

    def objects(self, repository):
        """Id, type and size of all objects, those of alternates included."""
        return self.lines(repository, "cat-file", "--batch-all-objects", "--batch-check")

    def own_objects(self, repository):
        """Those that 'repack' can reach: of the repository without its alternates."""
        alternates = pathlib.Path(repository, "objects/info/alternates")
        if not alternates.exists():
            return self.objects(repository)
        hidden = alternates.with_name("alternates.hidden")
        alternates.rename(hidden)
        try:
            return self.objects(repository)
        finally:
            hidden.rename(alternates)

    def reachable(self, repository):
        promised = ["--missing=allow-promisor"] if self._is_partial(repository) else []
        return self.lines(repository, "rev-list", "--objects", "--no-object-names", *promised,
                          "--all", "--reflog", "--indexed-objects")

    def refs(self, repository):
        """Refs with their values, and HEAD: a ref, or an id."""
        refs = self.lines(repository, "for-each-ref",
                          "--format=%(refname) %(objectname) %(symref)")
        try:
            return refs | {f"HEAD {self.ask(repository, 'symbolic-ref', '-q', 'HEAD')[0]}"}
        except Refused:
            return refs | {f"HEAD {self.ask(repository, 'rev-parse', 'HEAD')[0]}"}

    def reflogs(self, repository):
        """The entries, in order, of each reflog."""
        entries = set()
        for name in self._logged(repository):
            # Git converts texts to the encoding that the repository prefers. It does not
            # show the reflog of a ref that is gone.
            done = self.run_git(repository, "-c", "i18n.logOutputEncoding=UTF-8", "-c",
                                "i18n.commitEncoding=UTF-8", "log", "-g", "--date=raw",
                                "--format=%H %gd %gn %ge %gs", name, "--")
            for line in done.out.decode(errors="surrogateescape").splitlines() or ["nothing"]:
                entries.add(f"{name} {line}")
        return entries

    def _logged(self, repository):
        """Names of refs with a reflog."""
        try:
            return self.ask(repository, "reflog", "list")
        except Refused:  # Git before 2.45, which has refs in files only
            logs = pathlib.Path(repository, "logs")
            return [str(path.relative_to(logs)) for path in logs.rglob("*") if path.is_file()]

    def fsck(self, repository):
        """The kinds of messages of Git's check."""
        done = self.run_git(repository, "fsck", "--full", "--no-dangling", "--no-progress")
        # An object is found bad in a pack (4) that was found bad outside of one (1).
        code = done.code & ~4 | 1 if 0 < done.code < 128 and done.code & 4 else done.code
        # Other lines name places, or depend on the order of checking.
        return code, {line for line in (done.out.decode(errors="replace") + done.err)
                           .splitlines() if re.match(r"(error|warning) in (commit|tree|blob|tag)",
                                                     line)}

    def try_repository(self, repository, scratch):
        """Returns the Outcome. 'scratch' is an empty directory; copies for 'repack' are made
        beside the repository, where relative alternates are true."""
        costs, sizes = {}, {}
        try:
            before = {"refs": self.refs(repository), "objects": self.objects(repository),
                      "reachable": self.reachable(repository),
                      "reflogs": self.reflogs(repository), "fsck": self.fsck(repository)}
        except Refused as error:
            return self._damaged(repository, scratch, str(error), costs)
        try:
            findings = self._convert_and_restore(repository, scratch, before, costs)
            sizes["convert"] = os.path.getsize(f"{scratch}/file.zpack")
            findings += self._repack(repository, before, costs, sizes)
        except Refused as error:
            if before["fsck"][0] != 0:
                return self._damaged(repository, scratch, str(error), costs)
            return Outcome("refused", [str(error)], costs)
        return Outcome("different" if findings else "passed", findings, costs, sizes)

    def zpack(self, costs, name, *arguments):
        """Runs a command of git-zpack; raises Refused."""
        done = costs[name] = self.run(self.program, arguments[0], "--quiet", *arguments[1:])
        if done.code != 0:
            raise Refused(f"{name} ended with {done.code}: {first_line(done.err)}")

    def _convert_and_restore(self, repository, scratch, before, costs):
        file, restored = f"{scratch}/file.zpack", f"{scratch}/restored.git"
        promised = ["--allow-promised"] if self._is_partial(repository) else []
        self.zpack(costs, "convert", "convert", *promised, repository, file)
        self.zpack(costs, "verify", "verify", "--level", "connectivity", file)
        self.zpack(costs, "verify --against", "verify", "--against", repository, file)
        self.zpack(costs, "restore", "restore", file, restored)
        findings = difference(before["refs"], self.refs(restored), "refs")
        findings += difference(before["reflogs"], self.reflogs(restored), "reflogs")
        after = self.objects(restored)
        # What only alternates have and nothing reaches may be left there.
        reached = {line for line in before["objects"]
                   if line.split(" ", 1)[0] in before["reachable"]}
        must = reached | self.own_objects(repository)
        findings += difference(must, after & must, "objects")
        findings += difference(after, after & before["objects"], "objects that were not there")
        code, messages = self.fsck(restored)
        # Damage that is not reachable can be left behind.
        if code & ~before["fsck"][0]:
            findings.append(f"fsck of the restored repository ends with {code}")
        return findings + difference(messages, messages & before["fsck"][1], "messages of fsck")

    def _is_partial(self, repository):
        names = self.run_git(repository, "config", "--name-only", "--list")
        return re.search(rb"^(extensions\.partialclone|remote\..*\.promisor)$", names.out,
                         re.IGNORECASE | re.MULTILINE) is not None

    def _repack(self, repository, before, costs, sizes):
        findings = []
        for options in (["-a", "-d"], ["-a", "-d", "-k", "-F"], ["-A", "-d"]):
            name = f"repack {' '.join(options)}"
            with copy_beside(repository) as ours, copy_beside(repository) as theirs:
                git = self.run_git(theirs, "repack", "-q", *options)
                try:
                    self.zpack(costs, name, "repack", *options, ours)
                except Refused as error:
                    if git.code == 0:
                        findings.append(str(error))
                    continue
                sizes[name] = pack_bytes(ours)
                after = self.own_objects(ours)
                findings += difference(self.reachable(ours), before["reachable"],
                                       f"reachable objects after {name}")
                if git.code == 0:
                    findings += difference(self.own_objects(theirs), after,
                                           f"objects after {name}, compared with Git")
                if self.fsck(ours)[0] & ~before["fsck"][0]:
                    findings.append(f"fsck after {name} ends with {self.fsck(ours)[0]}")
        return findings

    def _damaged(self, repository, scratch, reason, costs):
        """Git does not read it whole: 'convert' refuses it as well, or what it writes can be
        restored. Nothing may crash."""
        shutil.rmtree(scratch)
        os.mkdir(scratch)
        file, restored = f"{scratch}/file.zpack", f"{scratch}/restored.git"
        findings = []
        for name, words in (("convert --keep-going",
                             ["convert", "--quiet", "--keep-going", repository, file]),
                            ("restore", ["restore", "--quiet", file, restored])):
            done = costs[name] = self.run(self.program, *words)
            if done.code == 128 and name != "restore":
                break
            if done.code not in (0, 1):
                findings.append(f"{name} of a damaged repository ended with {done.code}: "
                                f"{first_line(done.err)}")
                break
        return Outcome("different" if findings else "damaged", findings or [reason], costs)
