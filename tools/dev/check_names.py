#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that one name means one thing.

- What has external linkage (types, functions, templates, variables) is defined
  in one file of include/, src/ and tools/. Two classes of one name in two units
  are undefined behaviour that no linker reports.
- What stands in unnamed namespaces of a layer differs from file to file, and
  from what headers define: a unity build makes one unit of several files.

The check reads the sources, not the program, and knows as much of C++ as the
project uses: namespaces, and what stands directly in them. Overloads are told
apart by the text of their parameters without names and defaults.

  check_names.py [--root DIRECTORY]   exit code 1 and file:line: message
  check_names.py --self-test          proves that planted pairs are found
"""

import pathlib
import re
import sys

import checking

# Folders that form one program each, or are compiled file by file.
PROGRAMS = ("tools/examples", "tools/packaging", "tools/dev", "tools/bench")
# Of these pairs, CMake compiles one.
ALTERNATIVES = {frozenset(("src/base/batch_hash.cc",
                           "src/base/batch_hash_none.cc"))}

TOKEN = re.compile(r"""
    //[^\n]* | /\*.*?\*/                                    # comments
  | ^[ \t]*\#(?:[^\n\\]|\\.)*(?:\\\n[^\n]*)*                # directives
  | R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"                      # raw strings
  | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)+'               # texts
  | [A-Za-z_]\w* | \d(?:[\w.]|'\w)*
  | :: | -> | && | <<= | >>= | <=> | [-+*/%&|^=!<>]=
  | \S""", re.X | re.S | re.M)
OPENING = {"(": ")", "[": "]", "{": "}"}
TYPE_WORDS = {"class", "struct", "union", "enum"}
NO_PARAMETER_NAMES = {"const", "int", "bool", "char", "unsigned", "long",
                      "short", "float", "double", "auto", "void"}


class Entity:
    """Something defined at the level of namespaces."""

    def __init__(self, kind, key, scope, unnamed, path, line, meaning=None):
        self.kind = kind        # "type", "function", "variable", "alias"
        self.key = key          # name, for functions with the parameters
        self.scope = scope      # the named namespaces around it
        self.unnamed = unnamed  # internal linkage
        self.path = path
        self.line = line
        self.meaning = meaning  # of an alias

    @property
    def name(self):
        return self.key.partition("(")[0]


def tokens_of(text):
    """[(token, line)] without comments and directives."""
    found = []
    line = 1
    position = 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        token = match.group()
        if token.startswith(("//", "/*")) or token.lstrip().startswith("#"):
            continue
        found.append((token, line))
    return found


def skip_group(tokens, at):
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        token = tokens[at][0]
        if token in OPENING:
            depth += 1
        elif token in OPENING.values():
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


class File:
    """Reads the entities of one file."""

    def __init__(self, path, text):
        self.path = path
        self.tokens = tokens_of(text)
        self.entities = []
        self.scopes = []  # name of each open namespace; None for unnamed

    def read(self):
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at][0]
            if token == "}":
                self.scopes.pop()
                at += 1
            elif token == ";":
                at += 1
            elif token == "namespace" or (token == "inline" and
                                          self.word(at + 1) == "namespace"):
                at = self.read_namespace(at)
            elif token == "extern" and self.word(at + 1).startswith('"') and (
                    self.word(at + 2) == "{"):
                self.scopes.append("")
                at += 3
            else:
                at = self.read_declaration(at)
        return self.entities

    def word(self, at):
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def read_namespace(self, at):
        names = []
        while self.word(at) not in ("{", ";", ""):
            if self.word(at) not in ("namespace", "inline", "::"):
                names.append(self.word(at))
            at += 1
        if self.word(at) == "{":
            self.scopes.append("::".join(names) or None)
        return at + 1

    def read_declaration(self, start):
        """Reads up to the ';' or the end of the body; gives the index after."""
        head = []      # tokens before the body
        parameters = None  # where the first group of '(' begins in head
        has_value = False
        initialisers = False
        at = start
        while at < len(self.tokens):
            token = self.tokens[at][0]
            if token == ";":
                self.add(start, head, parameters, has_value, body=False)
                return at + 1
            if token == "<" and parameters is None and not has_value and (
                    re.match(r"(?!operator)[A-Za-z_]", "".join(head[-1:]))):
                end = self.skip_angles(at)
                head += (["<>"] if head[-1] == "template" else
                         [word for word, _ in self.tokens[at:end]])
                at = end
                continue
            if token == "{":
                end = skip_group(self.tokens, at)
                is_type = self.type_word(head) is not None
                is_member = initialisers and re.match(r"\w|>", self.word(at - 1))
                if has_value or is_member or (parameters is None and not is_type):
                    has_value = has_value or not is_member
                    at = end
                    continue
                self.add(start, head, parameters, has_value, body=True)
                if is_type and self.word(end) == ";":
                    end += 1
                return end
            if token in ("(", "["):
                end = skip_group(self.tokens, at)
                if token == "[" and self.word(at + 1) == "[":  # an attribute
                    at = end
                    continue
                if token == "(" and parameters is None and not has_value and (
                        head[-1:] not in (["alignas"], ["decltype"],
                                          ["requires"], ["__attribute__"])):
                    if head[-1:] == ["operator"]:  # operator()
                        head += ["(", ")"]
                        at = end
                        continue
                    parameters = len(head)
                head += [word for word, _ in self.tokens[at:end]]
                at = end
                continue
            if token == "=" and head[-1:] != ["operator"] and parameters is None:
                has_value = True
            if token == ":" and parameters is not None:
                initialisers = True
            head.append(token)
            at += 1
        return at

    def skip_angles(self, at):
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at][0]
            depth += (token == "<") - (token == ">")
            if token in OPENING:
                at = skip_group(self.tokens, at)
                continue
            at += 1
            if depth == 0:
                return at
        return at

    @staticmethod
    def type_word(head):
        """Where 'class' or such begins a definition, after templates."""
        for i, token in enumerate(head):
            if token in TYPE_WORDS:
                return i
            if token not in ("template", "<>", "typedef", "requires") and (
                    "requires" not in head[:i]):
                return None
        return None

    def add(self, start, head, parameters, has_value, body):
        if not head or head[0] in ("static_assert", "friend", "ZPACK_TRY"):
            return
        named = "::".join(scope for scope in self.scopes if scope)
        line = self.tokens[start][1]
        unnamed = None in self.scopes

        def put(kind, key, internal=False, meaning=None):
            self.entities.append(Entity(kind, key, named, unnamed or internal,
                                        self.path, line, meaning))

        where = self.type_word(head)
        if where is not None and parameters is None and not has_value:
            if body:
                rest = head[where + 1:]
                if rest[:1] in (["class"], ["struct"]):  # enum class
                    rest = rest[1:]
                name = "".join(rest).partition("final")[0]
                name = re.split(r"(?<!:):(?!:)", name)[0]
                put("type", name)
            return
        if head[0] == "using" or "using" in head[:3]:
            if "=" in head:
                at = head.index("=")
                put("alias", head[at - 1], meaning=head[at + 1:])
            return
        if head[0] == "typedef":
            put("alias", head[-1], meaning=head[1:-1])
            return
        if parameters is not None and not has_value:
            if not body:
                return  # a declaration
            name = self.function_name(head[:parameters])
            if "::" in name or name == "main":
                return  # a member of a class that stands elsewhere
            end = parameters + self.group_length(head[parameters:])
            put("function", name + self.signature(head[parameters + 1:end - 1]),
                "static" in head[:parameters])
            return
        if has_value or "extern" not in head:
            stop = head.index("=") if "=" in head else len(head)
            words = [word for word in head[:stop] if re.match(r"[A-Za-z_]", word)]
            if len(words) > 1:
                put("variable", self.variable_name(head[:stop]),
                    "static" in words)

    @staticmethod
    def variable_name(head):
        depth = 0
        for word in reversed(head):  # before the bounds of an array
            depth += (word == "]") - (word == "[")
            if depth == 0 and re.match(r"[A-Za-z_]", word):
                return word
        return ""

    @staticmethod
    def group_length(words):
        depth = 0
        for i, word in enumerate(words):
            depth += (word in OPENING) - (word in OPENING.values())
            if depth == 0:
                return i + 1
        return len(words)

    @staticmethod
    def function_name(words):
        if "operator" in words:
            at = words.index("operator")
        else:
            at = len(words) - 1
        name = "".join(words[at:])
        while at >= 2 and words[at - 1] == "::":
            name = words[at - 2] + "::" + name
            at -= 2
        return name

    @staticmethod
    def signature(words):
        """The types of the parameters."""
        parameters = [[]]
        depth = 0
        for word in words:
            depth += (word in OPENING or word == "<")
            depth -= (word in OPENING.values() or word == ">")
            if word == "," and depth == 0:
                parameters.append([])
            else:
                parameters[-1].append(word)
        types = []
        for parameter in parameters:
            if "=" in parameter:
                parameter = parameter[:parameter.index("=")]
            if (len(parameter) > 1 and re.match(r"[A-Za-z_]", parameter[-1]) and
                    parameter[-1] not in NO_PARAMETER_NAMES and
                    parameter[-2] not in ("::", "const")):
                parameter = parameter[:-1]
            types.append(" ".join(parameter).removeprefix("const ")
                         if not {"&", "*", "&&"} & set(parameter)
                         else " ".join(parameter))
        return "(" + ", ".join(types) + ")"


def layer_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] in ("src", "tools") else parts[0]


def read_tree(root):
    entities = []
    for tree in ("include", "src", "tools"):
        for path in sorted((root / tree).rglob("*")):
            inside = path.relative_to(root)
            if path.suffix not in (".cc", ".h") or layer_of(inside) in PROGRAMS:
                continue
            entities += File(inside, path.read_text(encoding="utf-8")).read()
    return entities


def same_alias(first, second):
    """C++ allows an alias to be declared again with the same meaning."""
    return (first.kind == second.kind == "alias" and
            first.meaning == second.meaning)


def problems_of(entities):
    """[message] for names that stand twice."""
    problems = []

    def report(entity, first, what):
        problems.append(f"{entity.path}:{entity.line}: {what} '{entity.name}' is "
                        f"also defined in {first.path}:{first.line}")

    external = {}
    for entity in entities:
        if entity.unnamed or entity.kind == "alias":
            continue
        # One name cannot be a type here and a variable there.
        kind = "function" if entity.kind == "function" else "other"
        key = (entity.scope, kind, entity.key)
        first = external.setdefault(key, entity)
        if first.path != entity.path and (
                frozenset((str(first.path), str(entity.path))) not in ALTERNATIVES):
            report(entity, first, entity.kind)

    in_headers = {}
    for entity in entities:
        if not entity.unnamed and entity.path.suffix == ".h":
            in_headers.setdefault((entity.scope, entity.key), entity)
    internal = {}
    kinds = {}  # the same name for two kinds of things
    for entity in entities:
        if not entity.unnamed or entity.path.suffix == ".h":
            continue
        key = (layer_of(entity.path), entity.scope, entity.name)
        kind = "function" if entity.kind == "function" else "other"
        kinds.setdefault(key, {}).setdefault(kind, entity)
        key = (layer_of(entity.path), entity.scope, entity.key)
        first = internal.setdefault(key, entity)
        if first.path != entity.path and not same_alias(first, entity):
            report(entity, first, f"{entity.kind} in an unnamed namespace")
        first = in_headers.get(key[1:])
        if first is not None and not same_alias(first, entity):
            report(entity, first, f"{entity.kind} in an unnamed namespace")
    for found in kinds.values():
        if len(found) == 2:
            report(found["function"], found["other"],
                   "function in an unnamed namespace")
    return problems


# For the self-test: files, and what must be said about them. An empty message
# means that nothing may be said.
CASES = [
    ({"src/a/a.h": "namespace zpack {\nstruct Walk;\nclass Graph {};\n}",
      "src/b/b.h": "namespace zpack {\nstruct Walk {};\nclass Graph;\n}"}, ""),
    ({"src/a/a.h": "namespace zpack {\nclass History { int a; };\n}",
      "src/b/b.h": "namespace zpack {\n\nstruct History { long b[2]; };\n}"},
     "src/b/b.h:3: type 'History' is also defined in src/a/a.h:2"),
    ({"src/a/a.h": "namespace zpack {\nclass Walk {};\n}",
      "src/b/b.cc": "namespace zpack {\nnamespace {}\nstruct Walk : Base {};\n}"},
     "type 'Walk' is also defined"),
    ({"src/a/a.h": "namespace zpack {\nenum class Kind : int { kA };\n}",
      "include/zpack/b.h": "namespace zpack {\nenum Kind { kB };\n}"},
     "type 'Kind' is also defined"),
    ({"src/a/a.h": "namespace zpack {\nstruct Walk {};\n}",
      "src/b/b.h": "namespace zpack::format {\nstruct Walk {};\n}",
      "src/c/c.cc": "namespace zpack {\nnamespace {\nstruct Walker {};\n}\n}"}, ""),
    ({"src/a/a.h": "namespace zpack {\ninline int Sum(int a, const T& b = {}) {}\n}",
      "src/b/b.h": "namespace zpack {\ninline int Sum(int x, const T&) {}\n}"},
     "function 'Sum' is also defined"),
    ({"src/a/a.cc": "namespace zpack {\nint Sum(int a) { return a[b[1]]; }\n}",
      "src/b/b.cc": "namespace zpack {\nstd::array<int, sizeof(int)> Sum(int) {}\n}"},
     "function 'Sum' is also defined"),
    ({"src/a/a.cc": "namespace zpack {\nA::A(int a) : b_{a}, c_(a) {}\n"
                    "int Sum(int a) {}\n}",
      "src/b/b.cc": "namespace zpack {\nA::A() = default;\nvoid Sum(int a);\n"
                    "int Sum(long a) {}\nint B::Sum(int a) {}\n}"}, ""),
    ({"src/a/a.h": "namespace zpack {\ninline constexpr int kSize = 1;\n}",
      "src/b/b.h": "namespace zpack {\ninline constexpr int kSize{2};\n}"},
     "variable 'kSize' is also defined"),
    ({"src/a/a.cc": "namespace zpack {\nnamespace {\nvoid Go() {}\n}\n}",
      "src/a/b.cc": "namespace zpack {\nnamespace {\nint Go() {}\n}\n}"},
     "src/a/b.cc:3: function in an unnamed namespace 'Go'"),
    ({"src/a/a.cc": "namespace zpack {\nnamespace {\nvoid Go() {}\n}\n}",
      "src/b/b.cc": "namespace zpack {\nnamespace {\nint Go() {}\n}\n}"}, ""),
    ({"src/a/a.cc": "namespace zpack {\nnamespace {\nvoid Go() {}\n}\n}",
      "src/a/b.cc": "namespace zpack {\nnamespace {\nusing Go = int;\n}\n}"},
     "src/a/a.cc:3: function in an unnamed namespace 'Go'"),
    ({"src/a/a.h": "namespace zpack {\nconstexpr char kHead[] = \"HEAD\";\n}",
      "src/b/b.cc": "namespace zpack {\nnamespace {\nconstexpr int kHead = 1;\n}\n}"},
     "variable in an unnamed namespace 'kHead' is also defined in src/a/a.h:2"),
    ({"src/a/a.cc": "namespace zpack {\nnamespace {\nusing Json = a::B;\n}\n}",
      "src/a/b.cc": "namespace zpack {\nnamespace {\nusing Json = a::B;\n}\n}"}, ""),
    ({"src/a/a.cc": "namespace zpack {\nnamespace {\nusing Json = a::B;\n}\n}",
      "src/a/b.cc": "namespace zpack {\nnamespace {\nusing Json = a::C;\n}\n}"},
     "alias in an unnamed namespace 'Json'"),
    ({"src/a/a.cc": "namespace zpack {\n// class Walk {};\n#define W class Walk {};\n"
                    "constexpr char kText[] = R\"(class Walk {};)\";\n}",
      "src/b/b.cc": "namespace zpack {\nclass Walk {};\n}"}, ""),
]


def check_tree(root):
    return problems_of(read_tree(root))


def self_test():
    return checking.judge(CASES, check_tree)


if __name__ == "__main__":
    sys.exit(checking.main(__doc__.splitlines()[0], check_tree, self_test))
