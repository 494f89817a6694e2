# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests with one planted bug after the other.

Each case of a GoogleTest program is a test of its own, and so is any other test of
ctest. First all run without a bug; each notes which bugs it reaches. Then, for each bug,
the tests that reach it run, the fastest first, until one finds the bug."""

import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

PATTERN = "PASS_REGULAR_EXPRESSION"


@dataclasses.dataclass
class Test:
    name: str
    command: list
    directory: str
    environment: dict
    pattern: str


def tests_of(build, options):
    """The tests of a build directory that the options choose."""
    listed = json.loads(subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1", "-R", options.tests, "-E",
         options.without], check=True, capture_output=True).stdout)
    for entry in listed["tests"]:
        values = {value["name"]: value["value"] for value in entry["properties"]}
        environment = dict(line.split("=", 1) for line in values.get("ENVIRONMENT", []))
        test = Test(entry["name"], entry.get("command", ["false"]),
                    values["WORKING_DIRECTORY"], environment,
                    "|".join(values.get(PATTERN, [])))
        if not test.command[0].endswith("_test"):
            yield test
            continue
        suite = ""
        for line in subprocess.run(
                [*test.command, "--gtest_list_tests"], check=True, capture_output=True, text=True,
                env=os.environ | environment, cwd=test.directory).stdout.splitlines():
            name = line.split("#")[0].rstrip()
            if re.fullmatch(r"\S+\.", name):
                suite = name
            elif name.startswith("  ") and "DISABLED_" not in suite + name:
                case = suite + name.strip()
                yield dataclasses.replace(test, name=f"{test.name}/{case}",
                                          command=[*test.command, f"--gtest_filter={case}"])


class Trials:
    def __init__(self, options, mutants):
        self.options = options
        self.mutants = mutants
        self.tests = {test.name: test for build in options.build
                      for test in tests_of(build, options)}
        self.seconds = {}
        self.reached = {}
        self.outcomes = {}
        self.tried = {}
        self.lock = threading.Lock()
        self.stopped = threading.Event()

    def run(self, test, number=0, limit=None, log=""):
        """Whether the test passes, and its seconds."""
        limit = limit or self.options.limit
        directory = tempfile.mkdtemp(prefix="mutate.")
        os.chmod(directory, 0o1777)
        environment = os.environ | test.environment | {
            "TMPDIR": directory, "ZPACK_MUTANT": str(number), "ZPACK_MUTANT_LOG": log}
        if not log:
            del environment["ZPACK_MUTANT_LOG"]
        start = time.monotonic()
        try:
            with tempfile.TemporaryFile() as output, subprocess.Popen(
                    ["env", "--default-signal", "prlimit", "--core=0",
                     f"--as={self.options.memory << 20}", "--",
                     *test.command], cwd=test.directory, env=environment, stdout=output,
                    stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                    process_group=0) as process:
                try:
                    good = process.wait(timeout=limit) == 0
                except subprocess.TimeoutExpired:
                    good = False
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if test.pattern:
                    output.seek(0)
                    good = re.search(test.pattern, output.read().decode("latin-1")) is not None
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        return good, time.monotonic() - start

    def note(self, **line):
        with self.lock, self.options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.take(line)

    def take(self, line):
        if "mutant" in line:
            self.outcomes[line["mutant"]] = line
            self.tried.setdefault(line["mutant"], set()).update(line["tried"])
        elif line["passes"]:
            self.seconds[line["test"]] = line["seconds"]
            self.reached[line["test"]] = set(line["reaches"])
        else:
            self.seconds[line["test"]] = None

    def measure(self, test):
        """Runs a test without a bug."""
        with tempfile.TemporaryDirectory(prefix="mutate.") as log:
            os.chmod(log, 0o1777)
            good, seconds = self.run(test, log=log)
            if not self.stopped.is_set():
                self.note(test=test.name, passes=good, seconds=round(seconds, 3),
                          reaches=sorted(int(path.name) for path in pathlib.Path(log).iterdir()))

    def try_mutant(self, number):
        """Runs tests with a bug until one fails twice, and passes without the bug after
        that: a test may fail by chance, or for another reason."""
        useful = sorted((self.seconds[name], name) for name in self.tests
                        if self.seconds[name] is not None and number in self.reached[name] and
                        name not in self.tried.get(number, ()))
        if not useful and number in self.outcomes:
            return
        outcome = "survived" if useful else "not reached"
        tried = []
        start = time.monotonic()
        for usual, name in useful:
            limit = max(self.options.shortest_limit, self.options.timeout_factor * usual)
            test = self.tests[name]
            killed = not any(self.run(test, number, limit)[0] for _ in range(2)) and (
                self.run(test)[0])
            if self.stopped.is_set():
                return
            tried.append(name)
            if killed:
                outcome = f"killed by {name}"
                break
        self.note(mutant=number, outcome=outcome, tried=tried,
                  seconds=round(time.monotonic() - start, 1))

    def killed(self, number):
        return self.outcomes.get(number, {"outcome": ""})["outcome"].startswith("killed")

    def repeat(self, what, values):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for done in concurrent.futures.as_completed(
                        [pool.submit(what, value) for value in values]):
                    done.result()
            except BaseException:
                self.stopped.set()
                pool.shutdown(cancel_futures=True)
                raise

    def all(self):
        if self.options.results.exists():
            for line in self.options.results.read_text(encoding="utf-8").splitlines():
                self.take(json.loads(line))
        self.repeat(self.measure, [test for name, test in self.tests.items()
                                   if name not in self.seconds])
        self.repeat(self.try_mutant, [number for number in self.mutants
                                      if not self.killed(number)])

    def report(self):
        failed = [name for name in self.tests if self.seconds[name] is None]
        for name in failed:
            print(f"fails without a bug: {name}")
        print("| bug | place | kind | before | after | outcome | tests | seconds |")
        print("|---|---|---|---|---|---|---|---|")
        totals = collections.Counter()
        for number, (place, kind, before, after) in self.mutants.items():
            line = self.outcomes[number]
            totals[line["outcome"].split(" by ")[0]] += 1
            cells = [number, place, kind, f"`{before}`", f"`{after}`" if after else "",
                     line["outcome"], len(self.tried[number]), line["seconds"]]
            print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
        print(f"{len(self.tests) - len(failed)} tests, "
              f"{sum(filter(None, self.seconds.values())):.0f} s; " +
              ", ".join(f"{count} {name}" for name, count in sorted(totals.items())))
