#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include respects the layers, and the habits of files.

The layer table is the one that CMake builds from: the zpack_layer() calls of
src/CMakeLists.txt. The table of ARCHITECTURE.md must say the same, row by row.
What the layer table cannot say is below: which headers of
include/zpack are whose, which third-party headers belong where, and which
edges the table may never gain.

Also checked: file names are unique in the tree, files start with their
licence, no file is too long, messages quote the names in them, and <cstdint> is
included where its integers are used, by the file or by a header of this project:
not every compiler's library includes it in other headers. The same holds for the
headers that define our macros; unity builds would not notice.

  check_layers.py [--root DIRECTORY]   exit code 1 and file:line: message
  check_layers.py --self-test          proves that violations are found
"""

import collections
import pathlib
import re
import sys

import checking

# Headers of include/zpack: plain values, which every layer may use, and
# facades, which belong to the layers that fill their structures.
VALUE_HEADERS = {"convert_stats.h", "file_facts.h", "file_part.h", "file_statistics.h", "line_query.h", "log.h", "lost_object.h", "object_filter.h", "object_id.h", "options.h", "parity_state.h",
                 "progress.h", "publish_file.h", "quote.h", "promisor_remote.h", "read_cost.h", "refs.h", "repository_files.h", "result.h", "search.h", "tree_path.h", "version.h", "visit.h", "walk.h", "wild_match.h"}
FACADE_HEADERS = {
    "build_options.h": {"api"},
    "process.h": {"api"},
    "git2.h": {"libgit2"},
    "consolidate.h": {"convert", "api", "capi"},
    "convert.h": {"convert", "api", "capi"},
    "archive_reader.h": {"reader", "api", "capi"},
    "line_search.h": {"api"},
    "parity.h": {"protect", "api"},
    "repack.h": {"repack", "api", "capi"},
    "report.h": {"report", "api"},
    "restore.h": {"transfer", "api", "capi"},
    "salvage.h": {"salvage", "api"},
    "serve.h": {"git", "serve", "api"},
    "statistics.h": {"report", "api"},
    "verify.h": {"verify", "api", "capi"},
}

# The C interface, which also programs in C include.
C_INTERFACE = "zpack.h"
# The interface for users of libgit2, which stands on the one for C.
GIT2_INTERFACE = "git2.h"
GIT2 = r"git2(\.h|/)"
C_LIBRARY = re.compile(r"(stddef|stdint|stdio|stdlib|string)\.h")

# Who may include which third-party header: layers of src/, "tools", "tests".
# Tests may include all of them.
THIRD_PARTY = [
    (r"fmt/", None),  # anywhere but include/zpack
    (r"zpack/", {"tools"}),  # tools/examples, as programs of others have it
    (r"(xxhash|intel-ipsec-mb)\.h|openssl/", {"base"}),
    (r"(zstd|zlib)\.h", {"codec", "tools"}),
    (r"(zdict|zstd_errors|libdeflate)\.h", {"codec"}),
    (GIT2, {"git", "libgit2"}),
    (r"curl/", {"http", "tools"}),  # late_curl.cc loads it
    (r"pcre2\.h", {"search"}),
    (r"(immintrin|arm_neon)\.h", {"parity"}),
    (r"boost/", {"tools"}),
    (r"nlohmann/", {"tools"}),
    (r"pybind11/", {"tools"}),
    (r"fuse_lowlevel\.h", {"tools"}),
    (r"iconv\.h", {"tools"}),
    (r"(gtest|gmock|benchmark)/", set()),
]
POSIX = re.compile(r"(sys|linux)/\w+\.h|(dirent|dlfcn|errno|fcntl|fnmatch|langinfo|malloc|poll|pthread|pwd|regex|sched|"
                   r"signal|spawn|stdlib|strings?|syslog|termios|time|unistd)\.h")

# Edges that no table may hold: the two ends of a file meet in `format` only,
# and only the facades join a repository to a file.
FORBIDDEN_EDGES = {("writer", "reader"), ("reader", "writer"),
                   ("inventory", "format"), ("repack", "format")}
ONLY_FOR_API = {"git"}

# Programs of tools/ that use the headers of others.
USES_OF_TOOLS = {"mount": ["git-zpack"]}

# Headers of tools/ that CMake makes.
GENERATED = {"report_page_parts.h"}

MAX_LINES = 800
REVIEW_LINES = 500

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# fmt::format with a text in which an argument stands in single quotes.
UNQUOTED = re.compile(r"""fmt::format\(\s*("[^"]*"\s*)*?"[^"]*'\{\}'""")
SPDX = ("SPDX-FileCopyrightText: The git-zpack authors",
        "SPDX-License-Identifier: Apache-2.0")
TREES = ("include", "src", "tools", "tests")
SKIPPED = {"__pycache__", "golden", "corpus", "artifacts"}

# The integers of <cstdint>, and headers that have it.
INTEGER = re.compile(r"\bu?int(8|16|32|64|max|ptr)_t\b")
WITH_INTEGERS = {"cstdint", "stdint.h", "git2.h", "gtest/gtest.h", "gmock/gmock.h"}
MACRO = re.compile(r"^\s*#\s*define (ZPACK_\w+)", re.M)


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.warnings = []
        self.layers = {}

    def problem(self, path, line, message):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def run(self):
        self.read_table()
        self.check_document()
        sources = []
        for path in self.files():
            if path.suffix in (".cc", ".h"):
                sources.append(path)
                self.check_includes(path)
                self.check_messages(path)
            if is_source(path):
                self.check_licence(path)
                self.check_length(path)
        self.check_names(sources)
        self.check_providers(sources)

    def check_providers(self, sources):
        """What a file uses comes through its own includes."""
        texts = {path: path.read_text(errors="replace") for path in sources}
        by_name = {path.name: path for path in sources}
        includes = {path: [quoted or angled for quoted, angled in
                           map(lambda found: found.groups(),
                               filter(None, map(INCLUDE.match, lines_of(path))))]
                    for path in sources}
        headers = {path: {by_name.get(pathlib.PurePath(name).name) for name in names}
                   for path, names in includes.items()}

        def check(has, pattern, message):
            more = has
            while more:
                more = {path for path in headers.keys() - has if has & headers[path]}
                has = has | more
            for path in sources:
                if path in has or not pattern.search(texts[path]):
                    continue
                for number, text in enumerate(lines_of(path), 1):
                    if pattern.search(text.partition("//")[0]):
                        self.problem(path, number, message)
                        break

        check({path for path in sources if set(includes[path]) & WITH_INTEGERS},
              INTEGER, "an integer of <cstdint>, which is not included")
        macros = collections.defaultdict(set)
        for path in sources:
            for name in MACRO.findall(texts[path]):
                macros[name].add(path)
        for name, paths in sorted(macros.items()):
            check(paths, re.compile(rf"\b{name}\b"),
                  f"{name} of a header that is not included")

    def files(self):
        for tree in TREES:
            for path in sorted((self.root / tree).rglob("*")):
                inside = path.relative_to(self.root).parts
                if path.is_file() and not SKIPPED & set(inside):
                    yield path

    def read_table(self):
        """Reads {layer: layers it may include} from src/CMakeLists.txt."""
        path = self.root / "src/CMakeLists.txt"
        text = path.read_text()
        for call in re.finditer(r"^zpack_layer\((.*?)\)", text, re.M | re.S):
            line = text.count("\n", 0, call.start()) + 1
            name, *words = call.group(1).split()
            allowed = set()
            keyword = None
            for word in words:
                if word in ("SOURCES", "LAYERS", "THIRD_PARTY"):
                    keyword = word
                elif keyword == "LAYERS":
                    allowed.add(word)
            for other in sorted(allowed - self.layers.keys()):
                self.problem(path, line, f"layer '{name}' uses '{other}', which "
                             "is not a layer below it")
            for other in sorted(allowed):
                if (name, other) in FORBIDDEN_EDGES or (
                        other in ONLY_FOR_API and name != "api"):
                    self.problem(path, line,
                                 f"layer '{name}' may never use '{other}'")
            self.layers[name] = allowed
        if not self.layers:
            self.problem(path, 1, "holds no zpack_layer() call")

    def check_document(self):
        """The table under 'Layers' has the layers of CMake, in any order that
        lists no layer before those that it uses, and what each may include."""
        path = self.root / "ARCHITECTURE.md"
        rows = {}
        for number, text in enumerate(lines_of(path), 1):
            row = re.match(r"\| `src/(\w+)` \|[^|]*\|([^|]*)\|", text)
            if not row:
                continue
            name, cell = row.groups()
            if cell.strip() == "all of the above":
                stated = set(rows)
            else:
                stated = {word for word in re.split(r"[,\s]+", cell.strip())
                          if word and not word.startswith("`")}
            rows[name] = stated
            expected = self.layers.get(name)
            if expected is None:
                self.problem(path, number, f"layer '{name}' is not in "
                             "src/CMakeLists.txt")
            elif stated != expected:
                wrong = ", ".join(sorted(stated ^ expected))
                self.problem(path, number, f"layer '{name}' may include other "
                             f"layers than in src/CMakeLists.txt: {wrong}")
            elif not stated <= rows.keys():
                self.problem(path, number, f"layer '{name}' stands above one "
                             "that it includes")
        for name in sorted(self.layers.keys() - rows.keys()):
            self.problem(path, 1, f"the table has no layer '{name}'")

    def check_includes(self, path):
        for number, text in enumerate(lines_of(path), 1):
            found = INCLUDE.match(text)
            if found:
                quoted, angled = found.groups()
                message = (self.judge_own(path, quoted) if quoted
                           else self.judge_foreign(path, angled))
                if message:
                    self.problem(path, number, message)

    def judge_own(self, path, name):
        """What is wrong with path's #include "name"; None if nothing is."""
        tree, *parts = path.relative_to(self.root).parts
        target, _, rest = name.partition("/")
        if tree == "tests":
            return None
        if ".." in pathlib.PurePath(name).parts:
            return f'"{name}" is relative; write the path from src/'
        if tree == "include":
            if target != "zpack" or rest not in VALUE_HEADERS:
                return f'public header includes "{name}", which is not a value header'
            return None
        if name == C_INTERFACE:
            return (None if parts[0] in ("capi", "libgit2") or tree == "tools" else
                    f"'{parts[0]}' may not include the C interface")
        if target == "zpack":
            return self.judge_public(tree, parts, rest)
        if tree == "tools":
            programs = [parts[0], *USES_OF_TOOLS.get(parts[0], [])]
            if not any((self.root / tree / program / name).is_file()
                       for program in programs) and name not in GENERATED:
                return (f'"{name}" is neither in zpack/ nor in tools/{parts[0]}; '
                        "tools use nothing else")
            return None
        layer = parts[0]
        if layer not in self.layers:
            return f"layer '{layer}' is not in src/CMakeLists.txt"
        if target not in self.layers or not rest:
            return f'"{name}" is in no layer; write the path from src/'
        if (layer, target) in FORBIDDEN_EDGES:
            return f"'{layer}' may never include '{target}' (\"{name}\")"
        if target != layer and target not in self.layers[layer]:
            return f"layer '{layer}' may not include layer '{target}' (\"{name}\")"
        return None

    def judge_public(self, tree, parts, header):
        if header in VALUE_HEADERS or tree == "tools":
            return None
        if header not in FACADE_HEADERS:
            return f'"zpack/{header}" is not a known public header'
        if parts[0] not in FACADE_HEADERS[header]:
            return f"layer '{parts[0]}' may not include facade \"zpack/{header}\""
        return None

    def judge_foreign(self, path, name):
        """What is wrong with path's #include <name>; None if nothing is."""
        tree, *parts = path.relative_to(self.root).parts
        if re.fullmatch(r"[a-z_0-9]+", name):  # C++ standard library
            return None
        if path.name == C_INTERFACE or path.suffix == ".c":
            if C_LIBRARY.fullmatch(name) or name == C_INTERFACE:
                return None
        if path.name == GIT2_INTERFACE:
            if name == C_INTERFACE or re.match(GIT2, name):
                return None
        if tree == "include":
            return f"public header includes <{name}>; only the C++ standard library may be"
        if tree == "tests" or POSIX.fullmatch(name):
            return None
        who = "tools" if tree == "tools" else parts[0]
        for pattern, users in THIRD_PARTY:
            if re.match(pattern, name):
                if users is None or who in users:
                    return None
                return f"'{who}' may not include third-party <{name}>"
        return f"<{name}> is in no list of tools/dev/check_layers.py"

    def check_messages(self, path):
        """A name in a message is quoted (zpack/quote.h)."""
        if path.relative_to(self.root).parts[0] != "src":
            return
        text = path.read_text()
        for call in UNQUOTED.finditer(text):
            self.problem(path, text.count("\n", 0, call.start()) + 1,
                         "a name in a message: use FormatMessage or MakeError")

    def check_names(self, sources):
        seen = {}
        for path in sources:
            first = seen.setdefault(path.name, path)
            if first is not path:
                self.problem(path, 1, "has the same name as "
                             f"{first.relative_to(self.root)}")

    def check_licence(self, path):
        head = lines_of(path)[:3]
        if head and head[0].startswith("#!"):
            head = head[1:]
        head = [line.lstrip("/# ") for line in head[:2]]
        if head != list(SPDX):
            self.problem(path, 1, "does not start with the two SPDX lines")

    def check_length(self, path):
        count = len(lines_of(path))
        if count > MAX_LINES:
            self.problem(path, count,
                         f"has {count} lines; {MAX_LINES} are the most, split it")
        elif count > REVIEW_LINES:
            self.warnings.append(f"{path.relative_to(self.root)}:{count}: has "
                                 f"{count} lines; above {REVIEW_LINES}, think "
                                 "about splitting it")


def lines_of(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def is_source(path):
    if path.suffix in (".c", ".cc", ".h", ".cmake", ".py", ".sh", ".bash", ".java",
                       ".rs", ".toml"):
        return True
    if path.name == "CMakeLists.txt":
        return True
    return path.suffix == "" and path.read_bytes()[:2] == b"#!"


# Trees for the self-test: files to add to a clean tree, and what must be said
# about them. An empty message means that nothing may be said.
CLEAN_TREE = {
    "ARCHITECTURE.md": "| `src/base` | bytes | | |\n"
                       "| `src/format` | wire | base | |\n"
                       "| `src/git` | repositories | base | libgit2 |\n"
                       "| `src/writer` | plan | base, format | |\n"
                       "| `src/reader` | open | base, format | |\n"
                       "| `src/api` | calls | base, git, writer | |\n",
    "src/CMakeLists.txt": "zpack_layer(base SOURCES a.cc)\n"
                          "zpack_layer(format SOURCES b.cc\n  LAYERS base)\n"
                          "zpack_layer(git SOURCES g.cc LAYERS base)\n"
                          "zpack_layer(writer SOURCES w.cc LAYERS base format)\n"
                          "zpack_layer(reader SOURCES r.cc LAYERS base format)\n"
                          "zpack_layer(api SOURCES f.cc LAYERS base git writer)\n",
    "src/base/bytes.h": "#include <fmt/format.h>\n#include <sys/stat.h>\n"
                        '#include "zpack/result.h"\n',
    "src/format/block.h": '#include "base/bytes.h"\n',
    "src/api/convert.cc": '#include "zpack/convert.h"\n#include "git/source.h"\n',
    "src/git/source.h": "#include <git2.h>\n",
    "include/zpack/convert.h": '#include <vector>\n#include "zpack/result.h"\n',
    "include/zpack/result.h": "#include <expected>\n",
    "tools/x/cli.h": '#include <boost/program_options.hpp>\n#include "zpack/convert.h"\n',
    "tools/x/cli.cc": '#include "cli.h"\n',
    "tests/unit/bytes_test.cc": "#include <gtest/gtest.h>\n"
                                '#include "base/bytes.h"\n',
}
CASES = [
    ({}, ""),
    ({"src/base/up.h": '#include "format/block.h"\n'},
     "src/base/up.h:3: layer 'base' may not include layer 'format'"),
    ({"src/writer/w.h": '\n#  include  "reader/archive_file.h"\n'},
     "src/writer/w.h:4: 'writer' may never include 'reader'"),
    ({"src/reader/r.h": '#include "writer/plan.h"\n'},
     "'reader' may never include 'writer'"),
    ({"src/writer/w.h": '#include "git/source.h"\n'},
     "layer 'writer' may not include layer 'git'"),
    ({"src/writer/w.h": '#include "../git/source.h"\n'}, "is relative"),
    ({"src/writer/w.h": '#include "other.h"\n'}, "is in no layer"),
    ({"src/new/n.h": '#include "base/bytes.h"\n'},
     "layer 'new' is not in src/CMakeLists.txt"),
    ({"src/format/f.h": '#include "zpack/convert.h"\n'},
     "layer 'format' may not include facade"),
    ({"src/writer/w.h": "#include <git2.h>\n"},
     "'writer' may not include third-party <git2.h>"),
    ({"src/format/f.h": "#include <zstd.h>\n"}, "may not include third-party"),
    ({"src/api/a.h": "#include <nlohmann/json.hpp>\n"},
     "may not include third-party"),
    ({"src/api/a.h": "#include <surprise.h>\n"}, "is in no list"),
    ({"include/zpack/options.h": "#include <fmt/format.h>\n"},
     "only the C++ standard library"),
    ({"include/zpack/options.h": '#include "base/bytes.h"\n'},
     "is not a value header"),
    ({"tools/x/more.cc": '#include "base/bytes.h"\n'}, "tools use nothing else"),
    ({"tools/x/more.cc": "#include <git2.h>\n"}, "may not include third-party"),
    ({"src/api/bytes.h": "\n"}, "same name as"),
    ({"src/api/long.cc": "\n" * MAX_LINES}, "split it"),
    ({"src/api/bare.cc": None}, "SPDX"),
    ({"tools/x/bare.rs": None}, "SPDX"),
    ({"src/CMakeLists.txt": "zpack_layer(format SOURCES b.cc LAYERS base)\n"
                            "zpack_layer(base SOURCES a.cc)\n"},
     "is not a layer below it"),
    ({"src/CMakeLists.txt": "zpack_layer(reader SOURCES r.cc)\n"
                            "zpack_layer(writer SOURCES w.cc LAYERS reader)\n"},
     "layer 'writer' may never use 'reader'"),
    ({"ARCHITECTURE.md": CLEAN_TREE["ARCHITECTURE.md"].replace(
        "plan | base, format", "plan | base, git")},
     "ARCHITECTURE.md:6: layer 'writer' may include other layers than in "
     "src/CMakeLists.txt: format, git"),
    ({"ARCHITECTURE.md": CLEAN_TREE["ARCHITECTURE.md"].replace("reader", "loader")},
     "the table has no layer 'reader'"),
    ({"src/format/f.cc": 'auto a = fmt::format("{} of "\n"\'{}\'", b, c);\n'},
     "src/format/f.cc:3: a name in a message"),
    ({"src/format/f.cc": "int a;\nuint8_t b;  // 8 bits\n"},
     "src/format/f.cc:4: an integer of <cstdint>"),
    ({"src/format/i.h": "#include <cstdint>\n",
      "src/format/f.cc": '#include "format/i.h"\nuint8_t b;\n'}, ""),
    ({"src/format/f.cc": "int a;  // no uint8_t\n"}, ""),
    ({"src/format/f.cc": "int a;\nZPACK_TWICE(a);\n",
      "src/format/i.h": "#define ZPACK_TWICE(x) x x\n"},
     "src/format/f.cc:4: ZPACK_TWICE of a header"),
    ({"src/format/f.cc": '#include "format/j.h"\nZPACK_TWICE(a);\n',
      "src/format/j.h": '#include "format/i.h"\n',
      "src/format/i.h": "#define ZPACK_TWICE(x) x x\n"}, ""),
    ({"src/format/f.cc": 'auto a = FormatMessage("\'{}\'", fmt::format("{}", b));\n'},
     ""),
]


def with_head(name, text):
    mark = "//" if pathlib.Path(name).suffix in (".cc", ".h") else "#"
    head = "".join(f"{mark} {line}\n" for line in SPDX)
    return "int x;\n" if text is None else head + text


def self_test():
    return checking.judge(
        [({name: with_head(name, text) for name, text in {**CLEAN_TREE, **added}.items()},
          expected) for added, expected in CASES],
        check_tree)


def check_tree(root):
    checker = Checker(root)
    checker.run()
    for line in checker.warnings:
        print(f"warning: {line}", file=sys.stderr)
    return checker.problems


if __name__ == "__main__":
    sys.exit(checking.main(__doc__.splitlines()[0], check_tree, self_test))
