# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the places of a C++ source where a small bug can be planted, and plants it.

The text stays on its lines, so that an error of the compiler names the place."""

import dataclasses
import pathlib
import random
import re

from clang.cindex import CursorKind as Kind
from clang.cindex import Diagnostic, Index, TypeKind

SWITCH = pathlib.Path(__file__).with_name("mutant_switch.h")
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
            "&&": "||", "||": "&&"}
INTEGERS = {getattr(TypeKind, name) for name in (
    "CHAR_S", "SCHAR", "UCHAR", "SHORT", "USHORT", "INT", "UINT", "LONG", "ULONG", "LONGLONG",
    "ULONGLONG")}
SCALARS = INTEGERS | {TypeKind.BOOL, TypeKind.ENUM, TypeKind.POINTER, TypeKind.NULLPTR,
                      TypeKind.FLOAT, TypeKind.DOUBLE}
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR,
             Kind.CONVERSION_FUNCTION, Kind.FUNCTION_TEMPLATE}
SCOPES = {Kind.NAMESPACE, Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE,
          Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL}
# What only the compiler evaluates, if at all. The children of a name are its
# template arguments.
CONSTANT = {Kind.STATIC_ASSERT, Kind.DECL_REF_EXPR, Kind.PARM_DECL, Kind.ENUM_DECL,
            Kind.FIELD_DECL, Kind.TYPE_REF, Kind.TEMPLATE_REF, Kind.CXX_UNARY_EXPR,
            Kind.CONCEPT_SPECIALIZATION_EXPR, Kind.REQUIRES_EXPR, Kind.TYPE_ALIAS_DECL}
CHECKED = re.compile(r"\breturn\b.*(Error|unexpected|\bfalse\b|nullopt)|[Rr]eport|[Dd]amage|"
                     r"\w*Error\(", re.DOTALL)
TRY = re.compile(r"^[ \t]*ZPACK_TRY\(", re.MULTILINE)
CONSTANT_NAME = r"(?!k[A-Z]|sizeof\b|u?int\d+_t\b|std\b|size_t\b|true\b|false\b)"
VARIABLE = re.compile(rf"\b{CONSTANT_NAME}[a-zA-Z_]\w*")


@dataclasses.dataclass(frozen=True)
class Place:
    """`before`, between the offsets `start` and `end` of a file, becomes `after` when
    the mutant is on; `form` is the text that is planted."""
    start: int
    end: int
    kind: str
    before: str
    after: str
    form: str = "(::zpack_mutant({number}) ? ({after}) : ({before}))"


class Finder:
    def __init__(self, path, text):
        self.path = str(path)
        self.text = text
        self.places = {}

    def range(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def here(self, cursor):
        start = cursor.extent.start
        return start.file is not None and start.file.name == self.path

    def add(self, kind, start, end, after, form=Place.form):
        before = self.text[start:end]
        plain = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', "", before)
        if (re.search(r"//|/\*|#|\\\n|\)\s*\{|\]\s*\{", plain) or len(before) > 300 or
                any(plain.count(a) != plain.count(b) for a, b in ("()", "[]", "{}")) or
                not VARIABLE.search(plain)):
            return
        self.places.setdefault((start, end, kind), Place(
            start, end, kind, before, after(before), form))

    def declarations(self, cursor):
        for child in cursor.get_children():
            if not self.here(child):
                continue
            if child.kind in FUNCTIONS:
                head = self.text[child.extent.start.offset:child.location.offset]
                for part in child.get_children():
                    if "consteval" not in head and self.here(part) and (
                            part.kind == Kind.COMPOUND_STMT or child.kind == Kind.CONSTRUCTOR and
                            part.extent.start.offset > child.location.offset):
                        self.statements(part)
            elif child.kind in SCOPES:
                self.declarations(child)

    def statements(self, cursor):
        kind = cursor.kind
        children = list(cursor.get_children())
        start, end = self.range(cursor)
        if kind in CONSTANT or kind.is_attribute():
            return
        if kind == Kind.VAR_DECL:
            name = cursor.location.offset
            if re.search(r"\bconst(expr|init)\b", self.text[start:name]) or re.match(
                    r"\w+\[", self.text[name:name + 80]):
                return
            children = [child for child in children if child.extent.start.offset >= name]
        elif kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL):
            return self.declarations(cursor)
        elif kind == Kind.CASE_STMT:
            children = children[1:]
        elif kind == Kind.IF_STMT:
            if re.match(r"if\s+(constexpr|consteval|!)", self.text[start:end]):
                children = children[1:]
            elif len(children) > 1:
                self.check(start, children)
        elif kind in (Kind.BINARY_OPERATOR, Kind.CALL_EXPR) and len(children) >= 2:
            self.operator(cursor, start, end)
        elif kind == Kind.UNARY_OPERATOR and re.match("!(?!=)", self.text[start:end]):
            self.add("negation dropped", start, end,
                     lambda text: f"static_cast<bool>({text[1:].strip()})")
        for child in children:
            if kind == Kind.COMPOUND_STMT:
                self.call(child)
            self.statements(child)

    def check(self, start, children):
        """An `if` that reports an error."""
        (first, last), (body, end) = self.range(children[0]), self.range(children[1])
        if (re.fullmatch(r"if\s*\(\s*", self.text[start:first]) and
                re.fullmatch(r"\s*\)\s*", self.text[last:body]) and
                CHECKED.search(self.text[body:end + 1])):
            self.add("check left out", first, last, lambda text: "false",
                     "!::zpack_mutant({number}) && ({before})")

    def operator(self, cursor, start, end):
        operands = list(cursor.get_children())
        if cursor.kind == Kind.CALL_EXPR:
            # Of a class; '!=' may be called as 'operator=='.
            if cursor.spelling not in ("operator==", "operator!="):
                return
            operands = sorted(cursor.get_arguments(), key=lambda operand: self.range(operand))
        if len(operands) != 2:
            return
        left, right = self.range(operands[0])[1], self.range(operands[1])[0]
        sign = self.text[left:right].strip()
        types = {operand.type.get_canonical().kind for operand in operands}
        if cursor.kind == Kind.CALL_EXPR and sign not in ("==", "!="):
            return
        if sign in ("&&", "||") or sign in OPPOSITE and (
                cursor.kind == Kind.CALL_EXPR or types <= SCALARS):
            at = self.text.index(sign, left) - start
            self.add("and/or" if sign in ("&&", "||") else "comparison", start, end,
                     lambda text: text[:at] + OPPOSITE[sign] + text[at + len(sign):])
        elif sign in ("+", "-") and types <= INTEGERS:
            self.add("off by one", start, end,
                     lambda text: text + (" - 1" if sign == "+" else " + 1"))

    def call(self, cursor):
        """A statement that is a call of a function without a result."""
        start, end = self.range(cursor)
        if (cursor.kind in (Kind.CALL_EXPR, Kind.UNEXPOSED_EXPR) and self.here(cursor) and
                cursor.type.kind == TypeKind.VOID and end - start < 120 and
                re.match(r"[\w:.>()-]+\(", self.text[start:end]) and
                re.match(r"\s*;", self.text[end:end + 20])):
            self.add("call left out", start, end, lambda text: "",
                     "if (!::zpack_mutant({number})) {before}")

    def tries(self):
        """ZPACK_TRY, which returns an error, without the return."""
        for found in TRY.finditer(self.text):
            depth, end = 1, found.end()
            while depth and end < len(self.text):
                depth += {"(": 1, ")": -1}.get(self.text[end], 0)
                end += 1
            if self.text[end:end + 1] == ";":
                self.add("check left out", found.end() - len("ZPACK_TRY("), end,
                         lambda text: text.replace("ZPACK_TRY", "static_cast<void>", 1),
                         "do {{ if (::zpack_mutant({number})) {after}; else {before}; }} "
                         "while (false)")


def parse(root, path, text):
    flags = ["-x", "c++", "-std=c++23", "-include", str(SWITCH),
             *(f"-I{root / name}" for name in ("src", "include", "tools/git-zpack"))]
    unit = Index.create().parse(str(path), flags,
                                unsaved_files=[(str(path), text.encode("latin-1"))])
    errors = {}
    for found in unit.diagnostics:
        if found.severity >= Diagnostic.Error:
            name = found.location.file.name if found.location.file else ""
            line = found.location.line if name == str(path) else 0
            errors.setdefault(line, f"{name}:{found.location.line}: {found.spelling}")
    return unit, errors


def find(root, path, text):
    """All places of a source, in the order of the file. Offsets are those of bytes, so
    the text is one of Latin 1."""
    unit, errors = parse(root, path, text)
    if errors:
        return []
    finder = Finder(path, text)
    finder.declarations(unit.cursor)
    finder.tries()
    return [finder.places[key] for key in sorted(finder.places)]


def plant(text, numbered):
    """`text` with [(number, place)]."""
    for number, place in sorted(numbered, key=lambda pair: -pair[1].start):
        form = place.form.format(number=number, before=flat(place.before),
                                 after=flat(place.after))
        text = text[:place.start] + form + "\n" * place.before.count("\n") + text[place.end:]
    return text


def flat(text):
    return re.sub(r"\s*\n\s*", " ", text)


def choose(root, path, count, seed):
    """Up to `count` places of a file that do not overlap and that compile, at random."""
    text = path.read_text(encoding="latin-1")
    rest = find(root, path, text)
    random.Random(f"{seed} {path.relative_to(root)}").shuffle(rest)
    chosen = []
    while rest and len(chosen) < count:
        place = rest.pop(0)
        if all(place.end <= other.start or other.end <= place.start for other in chosen):
            chosen.append(place)
        if rest and len(chosen) < count or not chosen:
            continue
        errors = parse(root, path, plant(text, enumerate(chosen, 1)))[1]
        bad = [other for other in chosen if text.count("\n", 0, other.start) + 1 in errors]
        if errors and not bad:
            bad = chosen
        chosen = [other for other in chosen if other not in bad]
    return chosen
