# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs libFuzzer, and counts its time by the processor's clock."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

# libFuzzer keeps the inputs, and what it has seen of each, in the memory of the
# process: some 400 MiB after half an hour. Hence the limit of 2 GiB for all, and a
# new process each half hour.
LONGEST = 1800
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=512", "-timeout=20", "-max_len=1048576"]
# Structured input is useless when it is cut.
WHOLE = {"file", "parity", "repository"}


@dataclasses.dataclass
class Run:
    """What one process did."""
    cpu: float = 0.0  # seconds
    executions: int = 0
    edges: int = 0
    grew: bool = False  # whether it found anything new
    finding: bool = False


class Target:
    """One name: a program, the command it is for if it serves several, and its inputs."""

    def __init__(self, program, name, seeds, dictionary, results):
        self.program = program
        self.name = name
        self.seeds = [path for path in seeds if path.exists()]
        self.dictionary = dictionary
        self.results = results
        self.inputs = results.of(name)
        self.log = self.inputs.with_suffix(".log")
        self.lock = threading.Lock()

    def run(self, arguments):
        """The exit status, output and processor seconds of the program."""
        environment = dict(
            os.environ, ZPACK_FUZZ_COMMAND=self.name,
            UBSAN_OPTIONS="print_stacktrace=1",
            # Memory that was freed counts for a second at most, apart from what is
            # held back to catch its use.
            ASAN_OPTIONS="quarantine_size_mb=16:allocator_release_to_os_interval_ms=1000")
        # The program's files are written again for each input, to memory if possible.
        if os.access("/dev/shm", os.W_OK):
            environment.setdefault("TMPDIR", "/dev/shm")
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                [self.program, *arguments], env=environment, stdout=output,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            return process.returncode, output.read(), usage.ru_utime + usage.ru_stime

    def corpora(self):
        return [self.inputs, *self.seeds]

    def limits(self):
        """The options of libFuzzer that bound memory, time and inputs."""
        whole = self.program.name == "fuzz_commands" or self.name in WHOLE
        return [*LIMITS, *(["-len_control=0"] if whole else [])]

    def fuzz(self, seconds):
        """Fuzzes for at most so many seconds of the clock."""
        code, output, cpu = self.run([
            *self.limits(), f"-max_total_time={seconds}", "-print_final_stats=1",
            "-use_value_profile=1",
            *([f"-dict={self.dictionary}"] if self.dictionary else []),
            f"-artifact_prefix={self.results.findings}/{self.name}-", *self.corpora()])
        with self.log.open("a", encoding="utf-8") as log:
            log.write(output)
        run = parse(output)
        run.cpu = cpu
        run.finding = code != 0
        with self.lock:
            self.results.note(self.name, run)
        print(f"{self.name}: {cpu:.0f} s, {run.executions} executions, {run.edges} edges"
              f"{', new inputs' if run.grew else ''}", flush=True)
        if run.finding:
            lines = re.findall(r"^.*(?:ERROR|SUMMARY|Test unit written|exit code).*$", output, re.M)
            print(f"fuzz: finding in {self.name}", *lines[:4], sep="\n", file=sys.stderr)
        return run

    def minimise(self):
        """Keeps only inputs that reach something that no seed and no other input reaches."""
        with tempfile.TemporaryDirectory(dir=self.inputs.parent) as directory:
            merged = pathlib.Path(directory)
            for number, seed in enumerate(sorted(
                    path for seeds in self.seeds for path in seeds.rglob("*") if path.is_file())):
                shutil.copyfile(seed, merged / f"seed-{number}")
            code, _, _ = self.run([*LIMITS, "-merge=1", str(merged), str(self.inputs)])
            if code != 0:
                return
            kept = {path.name for path in merged.iterdir() if not path.name.startswith("seed-")}
            for path in self.inputs.iterdir():
                if path.name not in kept:
                    path.unlink()


def parse(output):
    """A Run without its time, from what libFuzzer prints."""
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    added = re.search(r"stat::new_units_added:\s*(\d+)", output)
    edges = re.findall(r"\bcov: (\d+)", output)
    return Run(executions=int(executions.group(1)) if executions else 0,
               edges=int(edges[-1]) if edges else 0,
               grew=bool(added and int(added.group(1))))


def targets(programs, corpus, dictionaries, results):
    """All names with what they need; the commands come last."""
    found = {}
    for program in sorted(pathlib.Path(programs).glob("fuzz_*")):
        name = program.name.removeprefix("fuzz_")
        if os.access(program, os.X_OK) and program.is_file() and name not in (
                "commands", "make_corpus"):
            found[name] = Target(program, name, [corpus / name],
                                 dictionaries.get(name, dictionaries[""]), results)
    program = programs / "fuzz_commands"
    environment = {key: value for key, value in os.environ.items()
                   if key != "ZPACK_FUZZ_COMMAND"}
    # Without a command, it prints their names.
    names = subprocess.run([program], env=environment, stdout=subprocess.PIPE, text=True,
                           check=False).stdout.split()
    for name in names:
        found[name] = Target(program, name, [corpus / "commands", corpus / "file"],
                             dictionaries[""], results)
    return found
