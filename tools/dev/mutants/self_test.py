# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that places are found and left alone as they should be, and that bugs are."""

import argparse
import pathlib
import sys
import tempfile

from . import places, trials

HEAD = """#include <cstddef>
#define ZPACK_TRY(expr) do { if (auto s = (expr); !s) return s; } while (false)
#define TWICE(x) ((x) + (x))
struct Name { int id; bool operator==(const Name&) const = default; void Close(); };
bool Read(int size);
bool MakeError(int code);
constexpr int kEnd = 8;
"""

# A source, and what is planted into it: 'before -> after' of each place.
CASES = [
    ("bool F(int a, int b) { return a < b; }", ["a < b -> a <= b"]),
    ("bool F(int a,\n  int b) {\n  return a ==\n      b;\n}", ["a == b -> a != b"]),
    ("bool F(Name a, Name b) { return a != b; }", ["a != b -> a == b"]),
    ("bool F(bool a, bool b) { return a && Read(!b); }",
     ["a && Read(!b) -> a || Read(!b)", "!b -> static_cast<bool>(b)"]),
    ("bool F(int a) { if (a > 3) return MakeError(a); return true; }",
     ["a > 3 -> a >= 3", "a > 3 -> false"]),
    ("bool F(int a) { if (Read(a)) { Read(a); } return true; }", []),
    ("bool F(int a) { if (const bool b = Read(a)) return false; return true; }", []),
    ("bool F(int a) {\n  if (a) ZPACK_TRY(Read(a));\n  ZPACK_TRY(Read(2));\n  return true;\n}",
     ["ZPACK_TRY(Read(2)) -> static_cast<void>(Read(2))"]),
    ("size_t F(size_t a, int* p) { p + a; return a + 1; }", ["a + 1 -> a + 1 - 1"]),
    ("int F(int a) { return a - kEnd; }", ["a - kEnd -> a - kEnd + 1"]),
    ("void F(Name a) { a.Close(); if (a.id) a.Close(); }", ["a.Close() -> "]),
    # What the compiler evaluates.
    ("template <int n> int G(); int F() { return G<kEnd + 1>(); }", []),
    ("int F(int a) { switch (a) { case kEnd + 1: return 2; default: return 3; } }", []),
    ("void F() { static_assert(sizeof(int) < 8 && kEnd > 3); constexpr int n = kEnd + 1; }", []),
    ("int F() { int list[kEnd + 1] = {}; return list[0]; }", []),
    ("template <typename T> T F(T a) { if constexpr (sizeof(a) < 4) return a; return a; }", []),
    ("consteval int F(int a) { return a + 1; }", []),
    ("constexpr int F(int a) { return a + 1; }\nstatic_assert(F(1) == 2);", ["a + 1 -> a + 1 - 1"]),
    ("[[noreturn]] void F(); struct A { int b : kEnd + 1; enum { kC = kEnd - 1 }; };", []),
    # Macros, comments, names that say nothing.
    ("int F(int a) { return TWICE(a - 1); }", []),
    ("bool F(int a, int b) { return a <  // less\n b; }", []),
    ("bool F() { return kEnd < 9; }", []),
    # What does not compile with the bug.
    ("struct A { bool operator==(A) const; bool operator!=(A) const = delete; };\n"
     "bool F(A a, A b) { return a == b; }", ["a == b -> a != b"]),
]

# Shell scripts in place of test programs, and the outcomes of bugs 1 to 4.
TESTS = {
    "fast": 'reach 2 4; test "$ZPACK_MUTANT" != 4',
    "slow": 'reach 2 3; sleep 0.2; '
            'test "$ZPACK_MUTANT" != 3 || sleep 100',
    "chance": 'reach 2; test "$ZPACK_MUTANT" = 0 || test -e once || ! touch once',
    "wrong": "false",
}
REACH = 'reach() { [ -z "$ZPACK_MUTANT_LOG" ] || (cd "$ZPACK_MUTANT_LOG" && touch "$@"); }'
OUTCOMES = {1: "not reached", 2: "survived", 3: "killed by slow", 4: "killed by fast"}


def check_places(root):
    path = root / "a.cc"
    text = HEAD
    cases = []
    for number, (source, expected) in enumerate(CASES):
        start = len(text)
        text += f"namespace case_{number} {{\n{source}\n}}\n"
        cases.append((source, expected, range(start, len(text))))
    path.write_text(text, encoding="latin-1")
    found = places.find(root, path, text)
    chosen = places.choose(root, path, len(found), 1)
    for source, expected, inside in cases:
        shown = [f"{places.flat(place.before)} -> {places.flat(place.after)}"
                 for place in found if place.start in inside]
        if sorted(shown) != sorted(expected):
            return f"for '{source}' expected {expected}, found {shown}"
        compiles = "delete" not in source
        if expected and any(place.start in inside for place in chosen) != compiles:
            return f"for '{source}' chose {chosen}"
    planted = places.plant(text, enumerate(chosen, 1))
    if planted.count("\n") != text.count("\n") or places.parse(root, path, planted)[1]:
        return f"planted '{planted}'"
    return ""


def check_trials(root):
    lines = []
    for name, script in TESTS.items():
        (root / f"{name}.sh").write_text(f"{REACH}\ncd {root}\n{script}\n", encoding="utf-8")
        lines.append(f'add_test({name} "/bin/bash" "{root}/{name}.sh")\n')
    (root / "CTestTestfile.cmake").write_text("".join(lines), encoding="utf-8")
    options = argparse.Namespace(
        build=[str(root)], results=root / "results.jsonl", tests=".", without="^$", jobs=1,
        timeout_factor=2, limit=20, shortest_limit=1, memory=4096)
    mutants = {number: ["a.cc:1", "comparison", "a", "b"] for number in OUTCOMES}
    # The second run has one more test, the third has nothing to do.
    runs = []
    for runs_nothing, options.without in ((False, "slow"), (False, "^$"), (True, "^$")):
        runs.append(trials.Trials(options, mutants))
        if runs_nothing:
            runs[-1].run = None
        runs[-1].all()
    for found, expected in zip(runs, (OUTCOMES | {3: "not reached"}, OUTCOMES, OUTCOMES)):
        outcomes = {number: line["outcome"] for number, line in found.outcomes.items()}
        if outcomes != expected or found.seconds["wrong"] is not None:
            return f"expected {expected}, found {outcomes}"
    return ""


def main():
    for check in (check_places, check_trials):
        with tempfile.TemporaryDirectory() as directory:
            if problem := check(pathlib.Path(directory).resolve()):
                print(f"self-test: {problem}", file=sys.stderr)
                return 1
    print(f"self-test: {len(CASES)} sources and {len(OUTCOMES)} bugs judged as expected")
    return 0
