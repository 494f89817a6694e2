# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Names of repositories, sizes and durations as text, and back."""

from __future__ import annotations

import json
import re
import urllib.parse
from typing import Any

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
# Shorter parts of a password may be in any message.
_LEAST_SECRET = 3
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


def quoted(name: bytes) -> str:
    """The name as Git prints it: in quotes and with escapes if it needs them.

    The result is printable UTF-8 and stands for one name only.
    """
    text = name.decode("utf-8", "surrogateescape")
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    if code in _ESCAPES:
        return _ESCAPES[code]
    raw = character.encode("utf-8", "surrogateescape")
    return "".join(f"\\{byte:03o}" for byte in raw)


def printable(message: str, limit: int = 2000) -> str:
    """A message of another program in one line, without control characters."""
    line = " ".join(message.split())[:limit]
    return "".join(c if c.isprintable() else "?" for c in line)


def public_url(url: str) -> str:
    """A URL without user, password and query, for messages; a path stays as it is."""
    scheme, _, rest = _parts_of(url)
    place, mark, _ = rest.partition("?")
    return f"{scheme}{place}{'?...' if mark else ''}" if scheme else url


def without_secrets(message: str, url: str) -> str:
    """A message about a store without what its URL should not show, nor parts of that."""
    scheme, user, rest = _parts_of(url)
    if not scheme:
        return message
    message = message.replace(url, public_url(url))
    secrets = user.partition(":")[2] + "/" + rest.partition("?")[2]
    words = {part for text in (secrets, urllib.parse.unquote(secrets))
             for part in re.split(r"[/?#@&=:\s]+", text) if len(part) >= _LEAST_SECRET}
    for word in sorted(words, key=len, reverse=True):
        message = message.replace(word, "...")
    return re.sub(r"(:/+)[^/?#\s]*@", r"\1", message)


def _parts_of(url: str) -> tuple[str, str, str]:
    """The scheme of a URL with its slashes, user and password with '@', and the rest.

    The scheme of a path is ''. A password may have any characters, also those
    that should be escaped.
    """
    found = re.match(r"[^/]*?:/{2,}", url)
    if not found:
        return "", "", url
    rest = url[found.end():]
    has_port = re.match(r"[^/?#@:]*:\d{0,5}([/?#]|$)", rest)
    pattern = r".*@" if re.match(r"[^/?#@]*:", rest) and not has_port else r"[^/?#]*@"
    user = re.match(pattern, rest, re.DOTALL)
    length = user.end() if user else 0
    return found[0], rest[:length], rest[length:]


def parse_json(content: str | bytes) -> Any:
    """The value of a text of JSON. Raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parse_size(text: str) -> int:
    """Bytes, with Git's suffixes k, m, g and t. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,15})([kmgt]?)", text.strip().lower())
    if not match:
        raise ValueError(f"not a size: '{text}'")
    return int(match[1]) * _UNITS[match[2]]


def parse_duration(text: str) -> float:
    """Seconds, with the suffixes s, m, h, d and w. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)([smhdw]?)", text.strip().lower())
    if not match:
        raise ValueError(f"not a duration: '{text}'")
    return float(match[1]) * _SECONDS[match[2] or "s"]


def parse_share(text: str) -> float:
    """A percentage above 0 and at most 100 as a share. Raises ValueError."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d{1,6})?)%", text.strip())
    share = float(match[1]) / 100 if match else 0.0
    if not 0 < share <= 1:
        raise ValueError(f"not a percentage: '{text}'")
    return share


def size_text(size: float) -> str:
    """Bytes with a decimal unit, as in 12.3 MB."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def duration_text(seconds: float) -> str:
    """Minutes and seconds, or hours and minutes, as in 1:05 or 2 h 10 min."""
    whole = max(0, round(seconds))
    if whole >= 86400:
        return f"{whole // 86400} d {whole % 86400 // 3600} h"
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60}:{whole % 60:02d}"


def counted(count: int, noun: str = "repository", plural: str = "repositories") -> str:
    """'1 repository', '2,000 repositories'."""
    return f"{count:,} {noun if count == 1 else plural}"
