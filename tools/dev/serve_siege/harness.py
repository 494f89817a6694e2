# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What all attacks share: running programs with limits, requests of Git's protocol,
repositories to attack, and the table of what was tried."""

import collections
import dataclasses
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

MAX_SECONDS = 300  # of wall time; a run that takes longer hangs
MAX_CPU = 20  # seconds
MAX_MEMORY = 512 << 20  # bytes
CRASH_WORDS = (b"terminate called", b"AddressSanitizer", b"runtime error:",
               b"internal error", b"Assertion", b"check failed")


@dataclasses.dataclass
class Done:
    """How a program ended."""
    code: int  # negative: the number of the signal
    out: bytes
    err: bytes
    cpu: float = 0
    memory: int = 0
    hung: bool = False

    def text(self) -> str:
        return self.err.decode(errors="replace").strip()[:300]


class Running:
    """A program with its files for input and output, and a limit of time."""

    def __init__(self, command, *, env, cwd=None, stdin=subprocess.PIPE,
                 stdout=subprocess.PIPE, seconds=MAX_SECONDS):
        self.process = subprocess.Popen(
            [os.fspath(word) for word in command], env=env, cwd=cwd, stdin=stdin,
            stdout=stdout, stderr=subprocess.PIPE, process_group=0)
        self.hung = False
        try:  # no run goes on for long after it is a finding
            resource.prlimit(self.process.pid, resource.RLIMIT_CPU,
                             (3 * MAX_CPU, 3 * MAX_CPU))
        except ProcessLookupError:
            pass
        self.timer = threading.Timer(seconds, self.kill)
        self.timer.daemon = True
        self.timer.start()

    def kill(self) -> None:
        self.hung = True
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def feed(self, data: bytes) -> None:
        """Writes all of the input; a program that does not read it is no error."""
        try:
            self.process.stdin.write(data)
            self.process.stdin.close()
        except (OSError, ValueError):  # ended, or fed already
            pass

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass

    def wait(self, data: bytes | None = None) -> Done:
        """Feeds `data`, reads all output and waits for the end."""
        parts: dict[str, bytes] = {"out": b"", "err": b""}

        def read(name, stream):
            try:
                parts[name] = stream.read()
            except (OSError, ValueError):
                pass

        threads = [threading.Thread(target=read, args=(name, stream), daemon=True)
                   for name, stream in (("out", self.process.stdout),
                                        ("err", self.process.stderr))
                   if stream is not None and not stream.closed]
        for thread in threads:
            thread.start()
        if data is not None:
            self.feed(data)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for thread in threads:
            thread.join(5)
        self.timer.cancel()
        self.close()
        return Done(self.process.returncode, parts["out"], parts["err"],
                    usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, self.hung)


class Table:
    """What was tried, how often, how it ended, and how much CPU time it took."""

    def __init__(self, keep: pathlib.Path | None):
        self.keep = keep
        self.rows: dict[str, collections.Counter] = collections.defaultdict(
            collections.Counter)
        self.cpu: collections.Counter = collections.Counter()
        self.memory: dict[str, int] = collections.defaultdict(int)
        self.findings = 0

    def add(self, kind: str, outcome: str, done: Done | None = None) -> None:
        self.rows[kind][outcome] += 1
        if done is not None:
            self.cpu[kind] += done.cpu
            self.memory[kind] = max(self.memory[kind], done.memory)

    def finding(self, kind: str, number: int, what: str, files=()) -> None:
        self.findings += 1
        self.rows[kind]["FINDING"] += 1
        print(f"FINDING {kind} {number}: {what}", flush=True)
        if self.keep is None:
            return
        place = self.keep / f"{kind.replace(' ', '-')}-{number}"
        place.mkdir(parents=True, exist_ok=True)
        for file in files:
            if isinstance(file, tuple):
                (place / file[0]).write_bytes(file[1])
            else:
                shutil.copy(file, place)

    def check(self, kind: str, number: int, done: Done, files=()) -> bool:
        """Whether a run ended as every run must: in time, within its memory, and not
        by a crash."""
        wrong = []
        if done.hung:
            wrong.append("hangs")
        elif done.code < 0 and -done.code != signal.SIGPIPE:
            wrong.append(f"ended by signal {-done.code}")
        if done.cpu > MAX_CPU:
            wrong.append(f"{done.cpu:.0f} s of CPU time")
        if done.memory > MAX_MEMORY:
            wrong.append(f"{done.memory >> 20} MiB of memory")
        wrong += [word.decode() for word in CRASH_WORDS if word in done.err]
        if wrong:
            self.finding(kind, number, f"{', '.join(wrong)}: {done.text()}", files)
        return not wrong

    def print(self) -> None:
        width = max([len(kind) for kind in self.rows] + [8])
        print(f"{'attack':{width}} {'runs':>7} {'CPU s':>7} {'MiB':>4}  outcomes")
        for kind, outcomes in self.rows.items():
            text = ", ".join(f"{count} {name}" for name, count in
                             sorted(outcomes.items()))
            print(f"{kind:{width}} {outcomes.total():7} {self.cpu[kind]:7.1f} "
                  f"{self.memory[kind] >> 20:4}  {text}")
        total = sum(outcomes.total() for outcomes in self.rows.values())
        print(f"{total} runs, {sum(self.cpu.values()) / 60:.1f} CPU minutes, "
              f"{self.findings} findings", flush=True)


def line(text: bytes | str) -> bytes:
    """A packet of Git's protocol."""
    data = text.encode() if isinstance(text, str) else text
    return b"%04x%s" % (len(data) + 4, data)


FLUSH, DELIMITER = b"0000", b"0001"


def fetch_v2(*arguments: str) -> bytes:
    return (line("command=fetch") + line("object-format=sha1") + DELIMITER +
            b"".join(line(argument) for argument in arguments) + FLUSH)


def allow_for_sanitizers(program: pathlib.Path) -> None:
    """A program with AddressSanitizer takes more of everything."""
    global MAX_CPU, MAX_MEMORY  # pylint: disable=global-statement
    if b"__asan_init" in program.read_bytes():
        MAX_CPU *= 5
        MAX_MEMORY *= 6


class Target:
    """A place to work in, the programs, and files to attack."""

    def __init__(self, options, directory: pathlib.Path):
        self.options = options
        self.directory = directory
        self.zpack = options.zpack
        self.home = directory / "home"
        self.home.mkdir()
        self.deadline = time.monotonic() + options.seconds

    def more(self, number: int) -> bool:
        """Whether there is time for another run, and fewer than asked for were made."""
        if self.options.count and number >= self.options.count:
            return False
        return time.monotonic() < self.deadline

    def env(self, **settings: str) -> dict[str, str]:
        return {"PATH": f"{self.zpack.parent}:{os.environ['PATH']}", "LC_ALL": "C",
                "HOME": os.fspath(self.home), "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c",
                "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c",
                "GIT_TERMINAL_PROMPT": "0", **settings}

    def git(self, *arguments, data: bytes = b"", check=True) -> bytes:
        done = self.run("git", *arguments, data=data)
        if check and done.code != 0:
            raise RuntimeError(f"git {arguments}: {done.text()}")
        return done.out

    def run(self, *command, data: bytes = b"", env=None, cwd=None) -> Done:
        return Running(command, env=env or self.env(), cwd=cwd).wait(data)

    def convert(self, repository: pathlib.Path, file: pathlib.Path, *options) -> None:
        done = self.run(self.zpack, "convert", "-q", *options, repository, file)
        if done.code != 0:
            raise RuntimeError(f"convert: {done.text()}")

    def chance(self, kind: str, number: int) -> random.Random:
        return random.Random(f"{self.options.seed} {kind} {number}")

    def make_repository(self, name: str, commits: int, refs: int = 3,
                        object_format: str = "sha1") -> pathlib.Path:
        """A repository with merges, deep directories, tags and some refs."""
        path = self.directory / name
        self.git("init", "-q", "--bare", f"--object-format={object_format}", path)
        chance = random.Random(f"{name} {commits}")
        text: list[str] = []
        lines: list[str] = []
        for commit in range(1, commits + 1):
            text += [f"line {chance.randrange(10**9)} of {commit}" for _ in range(20)]
            content = "\n".join(text[-200:])
            noise = chance.randbytes(chance.randrange(1, 2000)).hex()
            deep = "/".join("d" * (1 + commit % 3) for _ in range(commit % 6))
            lines += ["commit refs/heads/main", f"mark :{commit}",
                      f"committer A <a@b.c> {10**9 + 100 * commit} +0000", "data 2", "m"]
            if commit > 4 and commit % 5 == 0:
                lines.append(f"merge :{commit - 3}")
            lines += [f"M 644 inline {deep}/file{commit % 7}".replace(" /", " "),
                      f"data {len(content)}", content,
                      f"M 644 inline bin{commit % 9}", f"data {len(noise)}", noise]
            if commit % 10 == 0:
                lines += [f"tag v{commit}", f"from :{commit}",
                          "tagger A <a@b.c> 1000000000 +0000", "data 2", "t"]
        for ref in range(refs):
            lines += [f"reset refs/heads/topic-{ref}", f"from :{1 + ref % commits}"]
        self.git("-C", path, "fast-import", "--quiet",
                 data="\n".join([*lines, ""]).encode())
        self.git("-C", path, "symbolic-ref", "HEAD", "refs/heads/main")
        return path

    def ids(self, repository: pathlib.Path, kind: str = "") -> list[str]:
        rows = self.git("-C", repository, "cat-file", "--batch-all-objects",
                        "--batch-check=%(objectname) %(objecttype)").decode().split("\n")
        return [row.split()[0] for row in rows if row and row.split()[1].startswith(kind)]
