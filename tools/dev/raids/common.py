# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What all raids share: running programs, what must hold after every run, and the
table of what was tried."""

import collections
import dataclasses
import hashlib
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

# Texts that no program prints that ends in order.
CRASH = re.compile(rb"Sanitizer|runtime error:|terminate called|Assertion|core dumped|"
                   rb"std::|Traceback|Segmentation|internal error")
# With too little memory for a thread, the C library ends the program.
ABORT = b"Fatal glibc error: failed to register TLS destructor: out of memory"
HANG = 60  # seconds of one processor
STUCK = 1200  # seconds in all: the machine may have other work


@dataclasses.dataclass
class Row:
    """A line of the table."""
    runs: int = 0
    codes: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    seconds: float = 0
    findings: int = 0


def remove(path: pathlib.Path) -> None:
    """Removes even what is nested so deeply that shutil does not."""
    if path.exists():
        subprocess.run(["chmod", "-R", "u+rwx", path], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", "--", path], check=True)


def limit_work() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG + 5))


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ended_by_library(done: subprocess.CompletedProcess) -> bool:
    return done.returncode == -signal.SIGABRT and (done.stderr or b"").strip() == ABORT


def digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def snapshot(path: pathlib.Path) -> dict[str, str]:
    """Names, kinds and contents of everything below a directory."""
    found = {}
    for directory, names, files in os.walk(path):
        for name in sorted(names + files):
            entry = pathlib.Path(directory, name)
            key = os.fspath(entry.relative_to(path))
            if entry.is_symlink():
                found[key] = "link " + os.readlink(entry)
            elif entry.is_file():
                found[key] = digest(entry)
            else:
                found[key] = "directory" if entry.is_dir() else "special"
    return found


class Raid:
    """The work directory, the random choices and the results of one raid."""

    def __init__(self, name: str, options, directory: pathlib.Path):
        self.name = name
        self.zpack = os.fspath(options.zpack)
        self.keep = options.keep
        self.seed = options.seed
        self.made = directory / "made"
        self.work = directory / "work"
        self.outside = directory / "outside"  # nothing may change in here
        self.made.mkdir(parents=True)
        self.outside.mkdir()
        (self.outside / "file").write_text("precious\n")
        self.rows: dict[str, Row] = collections.defaultdict(Row)
        self.findings: list[str] = []
        self.number = 0
        self.attack = "prepare"
        home = directory / "home"
        home.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.fspath(home), "LC_ALL": "C",
            "XDG_CACHE_HOME": os.fspath(home / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b.c",
            "GIT_AUTHOR_DATE": "1000000000 +0000",
            "GIT_COMMITTER_DATE": "1000000000 +0000",
            "GIT_TERMINAL_PROMPT": "0",
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"}

    # Programs.

    def git(self, *arguments, **options) -> bytes:
        """Runs Git, which must succeed."""
        options.setdefault("input", b"")
        return subprocess.run(["git", *map(os.fspath, arguments)], check=True,
                              env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **options).stdout

    def must(self, *arguments) -> None:
        """Runs git-zpack, which must succeed."""
        done = subprocess.run([self.zpack, *map(os.fspath, arguments)], check=False,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"raid: {arguments}: {done.stderr.decode()}")

    def run(self, *arguments, codes: Iterable[int] = (0, 1, 128),
            sentences: Iterable[int] = (1,),
            **options) -> subprocess.CompletedProcess:
        """Runs git-zpack and checks what holds whatever it was given."""
        command = [self.zpack, *map(os.fspath, arguments)]
        options.setdefault("env", self.environment)
        options.setdefault("stdin", subprocess.DEVNULL)
        if "stdout" not in options and "stderr" not in options:
            options["capture_output"] = True
        more = options.pop("preexec_fn", None)

        def prepare() -> None:
            limit_work()
            if more:
                more()
        row = self.rows[self.attack]
        before = children_seconds()
        try:
            done = subprocess.run(command, check=False, timeout=STUCK,
                                  preexec_fn=prepare, **options)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, -signal.SIGXCPU, b"", b"")
        row.seconds += children_seconds() - before
        row.runs += 1
        row.codes[done.returncode] += 1
        text = done.stderr or b""
        wrong = []
        if done.returncode == -signal.SIGXCPU:
            wrong.append("hangs")
        elif done.returncode not in codes and not ended_by_library(done):
            wrong.append(f"exit code {done.returncode}")
        # Git, which writes bitmaps, has assertions of its own.
        if CRASH.search(re.sub(rb"^git: .*$", b"", text, flags=re.MULTILINE)):
            wrong.append("crashes")
        fatal = len(re.findall(rb"^fatal: ", text, re.MULTILINE))
        if done.returncode == 128 and done.stderr is not None and fatal not in sentences:
            wrong.append(f"{fatal} lines that say why")
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text):
            wrong.append("control characters")
        if wrong:
            self.finding(f"{', '.join(wrong)}: {command[1:]}", text)
        return done

    # Results.

    def finding(self, what: str, text: bytes | str = b"") -> None:
        if isinstance(text, bytes):
            text = text.decode(errors="backslashreplace")
        self.rows[self.attack].findings += 1
        line = (f"FINDING {self.name} --first {self.number} --seed {self.seed} "
                f"({self.attack}): {what}: {text.strip()[:1500]}")
        self.findings.append(line)
        print(line, flush=True)
        if self.keep and self.work.exists():
            target = pathlib.Path(self.keep) / f"{self.name}-{self.seed}-{self.number}"
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                # Holes stay holes, and links, pipes and devices what they are.
                subprocess.run(["cp", "-a", "--sparse=always", self.work, target],
                               check=False, stderr=subprocess.DEVNULL)

    def expect(self, condition: bool, what: str, text: bytes | str = b"") -> None:
        if not condition:
            self.finding(what, text)

    def fresh(self) -> pathlib.Path:
        """The work directory, empty."""
        remove(self.work)
        self.work.mkdir(parents=True)
        return self.work

    def repeat(self, attacks: list[Callable[[random.Random], None]], options) -> None:
        """Runs the attacks in turn, until the count or the time is reached."""
        end = time.monotonic() + options.seconds if options.seconds else None
        first = options.first
        number = first
        while (time.monotonic() < end) if end else (number < first + options.count):
            self.number = number
            attack = attacks[number % len(attacks)]
            if options.only in ("", attack.__name__):
                self.attack = attack.__name__
                self.fresh()
                before = snapshot(self.outside)
                try:
                    attack(random.Random(f"{options.seed} {self.name} {number}"))
                except (subprocess.SubprocessError, OSError) as error:
                    self.finding("the attack came to no end", str(error))
                after = snapshot(self.outside)
                self.expect(after == before, "changed what is outside", str(sorted(
                    entry for entry in after.keys() | before.keys()
                    if after.get(entry) != before.get(entry))))
            number += 1

    def table(self) -> str:
        lines = [f"{'attack':30} {'runs':>7} {'0':>7} {'1':>6} {'128':>7} {'other':>6} "
                 f"{'CPU s':>8} {'findings':>8}"]
        total = Row()
        for name, row in sorted(self.rows.items()):
            total.runs += row.runs
            total.codes.update(row.codes)
            total.seconds += row.seconds
            total.findings += row.findings
            lines.append(self.line(f"{self.name} {name}", row))
        lines.append(self.line(f"{self.name}, all", total))
        return "\n".join(lines)

    @staticmethod
    def line(name: str, row: Row) -> str:
        other = row.runs - sum(row.codes[code] for code in (0, 1, 128))
        return (f"{name:30} {row.runs:7} {row.codes[0]:7} {row.codes[1]:6} "
                f"{row.codes[128]:7} {other:6} {row.seconds:8.1f} {row.findings:8}")


def random_history(raid: Raid, path: pathlib.Path, commits: int, seed: int,
                   *init: str) -> pathlib.Path:
    """A bare repository with files that change, a tag and reflogs."""
    raid.git("init", "-q", "--bare", *init, path)
    chance = random.Random(seed)
    lines: list[str] = []
    text: list[str] = []
    for commit in range(commits):
        text += [f"line {chance.randrange(10**9)} of {commit}" for _ in range(12)]
        content = "\n".join(text[-150:])
        lines += ["commit refs/heads/main",
                  f"committer A <a@b.c> {10**9 + commit} +0000", "data 1", "m",
                  f"M 644 inline dir/file{commit % 5}", f"data {len(content)}", content]
    lines += ["tag v1", "from refs/heads/main", "tagger A <a@b.c> 1000000000 +0000",
              "data 1", "t", ""]
    raid.git("-C", path, "-c", "core.logAllRefUpdates=always", "fast-import", "--quiet",
             input="\n".join(lines).encode())
    raid.git("-C", path, "symbolic-ref", "HEAD", "refs/heads/main")
    return path


def xxh3(data: bytes) -> int:
    """XXH3 with 64 bits, as the checksums of FORMAT.md, of 17 bytes or more."""
    mask = 2**64 - 1
    prime32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
    prime64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
               0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)

    def word(source: bytes, at: int) -> int:
        return int.from_bytes(source[at:at + 8], "little")

    def fold(a: int, b: int) -> int:
        product = a * b
        return (product ^ product >> 64) & mask

    def avalanche(value: int) -> int:
        value ^= value >> 37
        value = value * 0x165667919E3779F9 & mask
        return value ^ value >> 32

    def mix(at: int, secret: int) -> int:
        return fold(word(data, at) ^ word(SECRET, secret),
                    word(data, at + 8) ^ word(SECRET, secret + 8))

    size = len(data)
    if 17 <= size <= 128:
        value = size * prime64[0] & mask
        for i in range((size - 1) // 32 + 1):
            value += mix(16 * i, 32 * i) + mix(size - 16 * (i + 1), 32 * i + 16)
        return avalanche(value & mask)
    if 129 <= size <= 240:
        value = size * prime64[0] & mask
        for i in range(8):
            value += mix(16 * i, 16 * i)
        value = avalanche(value & mask)
        for i in range(8, size // 16):
            value += mix(16 * i, 16 * (i - 8) + 3)
        return avalanche(value + mix(size - 16, 136 - 17) & mask)
    if size <= 240:
        raise ValueError(f"{size} bytes")
    lanes = [prime32[2], prime64[0], prime64[1], prime64[2], prime64[3], prime32[1],
             prime64[4], prime32[0]]
    keys = [[word(SECRET, 8 * stripe + 8 * lane) for lane in range(8)]
            for stripe in range(16)]
    scramble = [word(SECRET, 128 + 8 * lane) for lane in range(8)]

    def stripe(at: int, key: list[int]) -> None:
        for lane in range(8):
            value = int.from_bytes(data[at + 8 * lane:at + 8 * lane + 8], "little")
            keyed = value ^ key[lane]
            lanes[lane ^ 1] = lanes[lane ^ 1] + value & mask
            lanes[lane] = lanes[lane] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & mask

    stripes = (size - 1) // 64
    for number in range(stripes):
        stripe(64 * number, keys[number % 16])
        if number % 16 == 15:
            for lane in range(8):
                value = lanes[lane]
                value ^= value >> 47
                lanes[lane] = (value ^ scramble[lane]) * prime32[0] & mask
    stripe(size - 64, [word(SECRET, 121 + 8 * lane) for lane in range(8)])
    value = size * prime64[0] & mask
    for i in range(4):
        value += fold(lanes[2 * i] ^ word(SECRET, 11 + 16 * i),
                      lanes[2 * i + 1] ^ word(SECRET, 19 + 16 * i))
    return avalanche(value & mask)


# The key of XXH3 without a seed.
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
