# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the programs in this directory share: running and measuring commands, Git
without anyone's configuration, and tables."""

import dataclasses
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = ("commit", "tree", "blob", "tag")
MAX_MESSAGE_LINES = 10


class BenchError(Exception):
    """What went wrong, as a sentence."""


@dataclasses.dataclass
class Cost:
    """What a command needed; memory in bytes."""
    wall: float
    cpu: float
    rss: int


def run(command, environment=None, stdin=subprocess.DEVNULL, stdout=None):
    """Runs a command; returns its output, unless that goes to a file `stdout`,
    and what it needed."""
    command = [os.fspath(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        try:
            process = subprocess.Popen(command, stdin=stdin,
                                       stdout=out if stdout is None else stdout,
                                       stderr=err, env=environment)
        except OSError as error:
            raise BenchError(f"cannot run '{command[0]}': {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # an interruption
            process.kill()
            process.wait()
            raise
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            lines = err.read().decode(errors="replace").strip().splitlines()
            if len(lines) > MAX_MESSAGE_LINES:  # Git's usage is long
                lines[MAX_MESSAGE_LINES:] = ["..."]
            message = "\n".join(lines)
            raise BenchError(f"'{shlex.join(command)}' ended with "
                             f"{process.returncode}: {message or 'no message'}")
        out.seek(0)
        return out.read(), Cost(wall, usage.ru_utime + usage.ru_stime,
                                usage.ru_maxrss * 1024)


class Git:
    """Stock Git, as `binary`, without anyone's configuration."""

    def __init__(self, binary, threads):
        self.binary = binary
        self.options = ["-c", f"pack.threads={threads}",
                        "-c", "repack.writeBitmaps=false"]
        self.threads = threads
        self.environment = {
            **os.environ, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_REPLACE_OBJECTS": "1"}
        # Git sets these for its hooks and aliases.
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
                     "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"):
            self.environment.pop(name, None)

    def __call__(self, *arguments, **files):
        return run([self.binary, *self.options, *arguments], self.environment,
                   **files)

    def version(self):
        return self("version")[0].decode().strip()

    def copy(self, source, target):
        # With the user's configuration: safe.directory may be needed.
        run([self.binary, "clone", "--quiet", "--mirror", "--no-local",
             os.path.abspath(source), target])

    def copy_links(self, source, target):
        self("clone", "--quiet", "--mirror", "--local", source, target)

    def type_bytes(self, repository):
        """Stored bytes and number of objects by type."""
        out, _ = self("-C", repository, "cat-file", "--batch-all-objects",
                      "--unordered",
                      "--batch-check=%(objecttype) %(objectsize:disk)")
        sums = dict.fromkeys(TYPES, 0)
        objects = 0
        for line in out.decode().splitlines():
            kind, size = line.split()
            sums[kind] += int(size)
            objects += 1
        return sums, objects


def file_bytes(repository, suffix):
    files = (repository / "objects/pack").glob(f"*{suffix}")
    return sum(path.stat().st_size for path in files)


def count(value):
    return f"{value:,}"


def seconds(value):
    return f"{value:.2f}"


def mebibytes(value):
    return f"{value / 2**20:.1f}"


def print_rows(cells):
    widths = [max(map(len, column)) for column in zip(*cells)]
    for first, *others in cells:
        line = [first.ljust(widths[0])]
        line += [cell.rjust(width) for cell, width in zip(others, widths[1:])]
        print("  ".join(line).rstrip())


def say(message):
    print(message, file=sys.stderr, flush=True)


def default_zpack():
    built = ROOT / "build/release/tools/git-zpack"
    return built if built.is_file() else "git-zpack"


def default_helper(name):
    """A program of tests/bench/codecs."""
    built = ROOT / "build/release/tests/bench/codecs" / name
    if not built.is_file():
        raise BenchError(
            f"'{built}' does not exist; build it: cmake --preset release "
            "-DZPACK_BENCH_CODECS=ON && cmake --build --preset release --target "
            "bench_codecs git-zpack")
    return built


def run_json(command):
    """Runs a program that prints JSON."""
    out, _ = run(command)
    return json.loads(out)


def same(values, what):
    """An error unless what the ways to store objects gave back is the same."""
    if len(set(values)) > 1:
        raise BenchError(f"{what} differs: {sorted(set(values))}")


def single_pack_copy(git, source, target):
    """A bare copy whose objects are in one pack, as it was sent."""
    git.copy(source, target)
    # A small repository comes as loose objects.
    if len(list((target / "objects/pack").glob("*.pack"))) != 1:
        git("-C", target, "repack", "-adq")
    out, _ = git("-C", target, "rev-parse", "--show-object-format")
    if out.decode().strip() != "sha1":
        raise BenchError(f"'{source}' does not have SHA-1 objects")


def write_result(options, result, tables):
    """Prints the tables, or the JSON in their place, and writes the JSON."""
    text = json.dumps(result, indent=2)
    if options.json == "-":
        print(text)
        return
    for number, (title, cells) in enumerate(tables):
        if number > 0:
            print()
        print(title)
        print_rows(cells)
    if options.json:
        pathlib.Path(options.json).write_text(text + "\n")


def main(name, options, measure, tables):
    """Runs a measurement in a temporary directory; returns the exit code."""
    # Ends like an interruption, so that the files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix=f"zpack-{name}.") as directory:
            result = measure(options, pathlib.Path(directory))
        write_result(options, result, tables(result))
    except (BenchError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def common_options(parser):
    """The options that tools/bench/{levels,codecs,chains,stores} share."""
    parser.add_argument("--threads", type=int, default=os.cpu_count(), metavar="N",
                        help="for Git and git-zpack (default: one per processor)")
    parser.add_argument("--zpack", default=default_zpack(), metavar="PATH",
                        help="git-zpack to measure (default: that of\n"
                        "build/release, else that on PATH)")
    parser.add_argument("--git", default="git", metavar="PATH",
                        help="Git to measure (default: that on PATH)")
    parser.add_argument("--json", metavar="FILE",
                        help="write all results there, too; '-' for standard\n"
                        "output, in place of the tables")
    parser.add_argument("repository", metavar="REPO")


def level_list(parser, text):
    """Parses levels of zstd and ranges of them: 1,3,10-19."""
    levels = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdigit() and last.isdigit() and
                1 <= int(first) <= int(last) <= 22):
            parser.error("--levels takes levels from 1 to 22, as in 1,3,10-19")
        levels += range(int(first), int(last) + 1)
    return sorted(set(levels))
