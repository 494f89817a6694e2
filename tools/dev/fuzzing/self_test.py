# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that inputs outlive their checkout, and that what libFuzzer prints is understood."""

import pathlib
import tempfile

from . import coverage, dictionary, engine, inputs

FINAL = """#2 INITED cov: 10 ft: 11 corp: 1/1b
#9 NEW cov: 12 ft: 14 corp: 2/4b
stat::number_of_executed_units: 1234
stat::new_units_added:          3
"""
COVERAGE = """COVERED_FUNC: hits: 3 edges: 4/6 zpack::Read(int) /x/src/reader/read.cc:12
UNCOVERED_FUNC: hits: 0 edges: 0/5 zpack::Skip() /x/src/reader/read.cc:40
COVERED_FUNC: hits: 1 edges: 1/1 std::move /usr/include/utility:3
"""


def check_archive(directory):
    archive = directory / "corpus.tar.xz"
    first = inputs.Inputs(directory / "one", archive)
    first.take()
    (first.of("block") / "a").write_bytes(b"\0input")
    run = engine.parse(FINAL)
    assert (run.executions, run.edges, run.grew) == (1234, 12, True), run
    run.cpu = 90.0
    first.note("block", run)
    first.put()
    second = inputs.Inputs(directory / "two", archive)
    (second.of("block") / "b").write_bytes(b"other")
    second.take()
    assert (second.of("block") / "a").read_bytes() == b"\0input"
    second.note("block", run)
    second.put()
    first.take()
    assert sorted(path.name for path in first.of("block").iterdir()) == ["a", "b"]
    table = first.ledger_table()
    assert "| block | 3.0 | 2,468 | 12 | 2 |" in table and "0.05 CPU hours" in table, table


def check_coverage():
    files = coverage.parse(COVERAGE)
    assert dict(files) == {"src/reader/read.cc": [4, 11, ["zpack::Skip()"]]}, dict(files)


def check_dictionary(directory):
    assert dictionary.format_words("| `OIDP` | and `far-bases`, `PackReader`") == [
        "OIDP", "far-bases"]
    assert dictionary.literals('#include "a.h"\nx = "core.bare"; y = "two words";') == {"core.bare"}
    root = pathlib.Path(__file__).resolve().parents[3]
    paths = dictionary.write(root, directory)
    assert '"REFS"' in paths[""].read_text().splitlines()
    assert "all-history" in paths["cli"].read_text()


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        check_archive(directory)
        check_coverage()
        check_dictionary(directory / "dictionaries")
    print("fuzz: the self-test passes")
    return 0
