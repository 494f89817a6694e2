#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Checks how src/ and tools/ make and read errors.

- Only lack of memory throws. Directories are listed by one function of the
  library and one of the program, because the iterators of the standard library
  throw in loops over them; functions of std::filesystem get a std::error_code.
- No `thread_local` value has a destructor: glibc ends the program where memory
  for its registration is lacking. PerThread throws.
- An error is a value with fields: nothing is found in, or cut from, the text of
  a message. An error does not say 'enough' either: the result of a visitor does
  (base/visitor.h).

  check_errors.py [--root DIRECTORY]   exit code 1 and file:line: message
  check_errors.py --self-test          proves that planted uses are found
"""

import pathlib
import re
import sys

import checking

# The functions that list a directory.
LISTERS = {"src/base/directory.cc", "tools/git-zpack/list_paths.cc"}
# Programs of their own, which end with an exception's text.
SKIPPED = ("tools/examples/", "tools/bench/", "tools/dev/", "tools/packaging/")

# Not after a dot: members of libfuse's table have such names.
ITERATOR = re.compile(
    r"(?<!\.)\b(?:(?:recursive_)?directory_iterator|directory_entry|readdir(?:64)?|"
    r"scandir(?:at)?|opendir|fdopendir|nftw|ftw)\b")
# Functions of std::filesystem with one form that throws.
THROWING = re.compile(r"\b(?:fs|(?:std::)?filesystem)::("
                      "absolute|canonical|weakly_canonical|relative|proximate|"
                      "copy|copy_file|copy_symlink|create_\\w+|current_path|"
                      "equivalent|exists|file_size|hard_link_count|is_\\w+|"
                      "last_write_time|permissions|read_symlink|remove|"
                      "remove_all|rename|resize_file|space|status|"
                      "symlink_status|temp_directory_path)\\(")
CODES = re.compile(r"\bstd::error_code\s*&?\s*(\w+)")
STATES = re.compile(r"\b(?:fs|(?:std::)?filesystem)::file_status\s*&?\s*(\w+)")
STATE_CALL = re.compile(r"\b(?:symlink_)?status\(")
# A text that is looked into. The messages of commits and reflogs are data.
SEARCH = re.compile(
    r"(?:error\(\)|\b\w*(?:[eE]rror|[fF]ailure|[pP]roblem|reason))(?:\.|->)message"
    r"(?:\.|->)(?:find\w*|rfind|starts_with|ends_with|contains|compare|substr|at)\(|"
    r"(?:error\(\)|\b\w*[eE]rror)(?:\.|->)message\s*(?:[=!]=|\[)|"
    r"(?:[=!]=)\s*\w*(?:error\(\)|[eE]rror)(?:\.|->)message\b")
# Only who was asked to stop says that.
INTERRUPTED = re.compile(
    r"(?:MakeError|NewError|Error\s*\{|Error\()\s*\(?\s*ErrorCode::kInterrupted")
STOPPER = "src/base/error.cc"
# A number, a truth value or a pointer.
THREAD_LOCAL = re.compile(
    r"\bthread_local\b(?!\s+(?:const\s+|constinit\s+)*(?:bool|(?:std::)?size_t|unsigned|"
    r"int|u?int\d+_t|[\w:]+\s*\*|const\s+[\w:]+\s*\*)\s*(?:const\s+)?\w+\s*[={;])")
COMMENT = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"')


def arguments_of(text, at):
    """The text between the bracket before `at` and the one that closes it."""
    depth = 1
    end = at
    while end < len(text) and depth:
        depth += (text[end] == "(") - (text[end] == ")")
        end += 1
    return text[at:end - 1]


def check(path, text):
    """[(line, message)]"""
    # Of the same length, so that offsets stay.
    code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    found = []

    def problem(at, message):
        found.append((code.count("\n", 0, at) + 1, message))

    if path not in LISTERS:
        for use in ITERATOR.finditer(code):
            if not code[:use.start()].rstrip().endswith("#include <"):
                problem(use.start(), f"'{use.group()}' is only for "
                        f"{' and '.join(sorted(LISTERS))}; call ListEntries or ListPaths")
    codes = set(CODES.findall(code))
    states = set(STATES.findall(code))
    for call in THROWING.finditer(code):
        arguments = arguments_of(code, call.end())
        words = set(re.findall(r"\w+", arguments))
        if call.group(1) in ("exists", "status_known") or call.group(1).startswith("is_"):
            # These also take the status of a file.
            if arguments.strip() in states or (
                    STATE_CALL.search(arguments) and words & codes):
                continue
        if not words & codes:
            problem(call.start(), f"'{call.group(1)}' without a std::error_code throws")
    if path.startswith("src/") and path != STOPPER:
        for use in INTERRUPTED.finditer(code):
            problem(use.start(), "only CheckStop makes kInterrupted; a visitor "
                    "that has enough returns Visit::kStop")
    for use in THREAD_LOCAL.finditer(code):
        problem(use.start(), "the registration of a destructor may end the program; "
                "use PerThread (base/per_thread.h)")
    for use in SEARCH.finditer(code):
        # A null pointer in C.
        if re.match(r"\s*nullptr\b", code[use.end():]):
            continue
        problem(use.start(), "the message of an error is not looked into; "
                "give the error a field, or its code")
    return found


def check_tree(root):
    problems = []
    for tree in ("include", "src", "tools"):
        for path in sorted((root / tree).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".cc", ".h") or name.startswith(SKIPPED):
                continue
            for line, message in check(name, path.read_text(encoding="utf-8")):
                problems.append(f"{name}:{line}: {message}")
    return problems


# For the self-test: a source, and what must be said about it; an empty message
# means that nothing may be said.
CASES = [
    ("for (const auto& e : fs::directory_iterator(d, error)) {}",
     "'directory_iterator' is only for"),
    ("for (fs::recursive_directory_iterator it(d, error), end; it != end;) {}",
     "'recursive_directory_iterator' is only for"),
    ("while (const dirent* const row = readdir(stream)) {}", "'readdir' is only"),
    ("// a directory_iterator throws\nconst char* k = \"readdir\";", ""),
    ("if (fs::exists(path)) {}", "'exists' without"),
    ("std::error_code error;\nif (fs::exists(path, error)) {}", ""),
    ("std::error_code error;\nif (fs::exists(error_path)) {}", "'exists' without"),
    ("std::error_code gone;\nif (fs::exists(fs::symlink_status(p, gone))) {}", ""),
    ("std::error_code e;\nif (fs::is_directory(fs::status(p))) {}", "without"),
    ("std::error_code e;\nconst fs::file_status s = fs::status(p, e);\n"
     "if (fs::is_directory(s)) {}", ""),
    ("std::error_code e;\nstd::filesystem::rename(Name(a, b), c);\n", ":2: 'rename'"),
    ("const size_t at = error.message.find(\" in block \");", "is not looked into"),
    ("if (read.error().message.starts_with(\"x\")) {}", "is not looked into"),
    ("if (error.message == \"found\") {}", "is not looked into"),
    ("reason = failure->message.substr(0, 10);", "is not looked into"),
    ("if (error != nullptr && error->message != nullptr) {}", ""),
    ("thread_local bool failed = false;\nthread_local const zpack_error* e = &k;\n"
     "static thread_local const size_t number = threads++;", ""),
    ("static thread_local Bytes kept;", "use PerThread"),
    ("thread_local std::vector<int*> kept;", "use PerThread"),
    ("thread_local std::unique_ptr<ErrorRecord> last;", "use PerThread"),
    ("return MakeError(ErrorCode::kInterrupted, \"found\");", "only CheckStop"),
    ("return MakeError(\n    ErrorCode::kInterrupted, \"enough\");", "only CheckStop"),
    ("if (e.code == ErrorCode::kInterrupted) return e;", ""),
    ("const size_t at = commit.message.find('\\n');", ""),
    ("return NewError(code, \"{}\", MessageText{error.message});", ""),
]


def self_test():
    return checking.judge([({"src/git/a.cc": text}, expected) for text, expected in CASES],
                          check_tree)


if __name__ == "__main__":
    sys.exit(checking.main(__doc__.splitlines()[0], check_tree, self_test))
