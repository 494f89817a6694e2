# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Command lines."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable, NoReturn, Optional, Sequence, TypeVar

from . import __version__
from .jobs import Join
from .output import tell
from .records import MOST_FILES
from .text import parse_duration, parse_json, parse_share, parse_size

USAGE = 129
# Where paths and URLs are in what parse() returns.
_PATHS = ("store", "to", "roots", "manifest", "grokmirror", "scratch", "program", "output", "file")
# No argument of a program has this character.
_MARK = "\0"
_Value = TypeVar("_Value")


class _Parser(argparse.ArgumentParser):
    """Ends with Git's exit code for wrong usage, in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"error: {message}; see '{self.prog} --help'\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stderr:
            super()._print_message(message, file)
        else:
            tell(message, end="")


def _checked(parse: Callable[[str], _Value]) -> Callable[[str], _Value]:
    def convert(text: str) -> _Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
    return convert


def _natural(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise ValueError(f"not a number from 1 to 100000: '{text}'")
    return int(text)


def _join(text: str) -> Join:
    if text == "geometric":
        return Join(geometric=True)
    if text == "never":
        return Join()
    if not text.isdecimal() or not 2 <= int(text) <= MOST_FILES:
        raise ValueError(f"neither 'geometric' nor 'never' nor a number from 2 to {MOST_FILES}: "
                         f"'{text}'")
    return Join(most=int(text))


def _storage_option(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError("not NAME=VALUE")  # It may be a password.
    try:
        return name, parse_json(value)
    except ValueError:
        return name, value


def parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    """The options of a command line. Ends the program if the usage is wrong."""
    top = _parser()
    options, rest = top.parse_known_args(_marked(sys.argv[1:] if arguments is None else arguments))
    rest = [text for text in rest if text != "--"]
    # argparse takes positional arguments only if they stand together.
    positional = {"archive": "roots", "restore": "patterns",
                  "separate": "patterns"}.get(options.command)
    if rest and (positional is None or any(text.startswith("-") for text in rest)):
        # Values and URLs may have passwords.
        unknown = [text.partition("=")[0] for text in rest if text.startswith("-")]
        top.error(f"unrecognized arguments: {' '.join(unknown)}" if unknown
                  else "too many arguments")
    if rest and positional is not None:
        getattr(options, positional).extend(rest)
    for name, value in vars(options).items():
        setattr(options, name, _unmarked(value))
    for name in _PATHS:
        value = getattr(options, name, None)
        # To the system, it would be the current directory.
        if "" in (value if isinstance(value, list) else [value]):
            top.error("the empty string is not a valid path")
    return options


def _marked(arguments: Sequence[str]) -> list[str]:
    """With a mark before the words after '--': argparse does not say which of the words that it
    leaves over stood there."""
    words = list(arguments)
    after = words.index("--") + 1 if "--" in words else len(words)
    return words[:after] + [_MARK + word for word in words[after:]]


def _unmarked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unmarked(one) for one in value]
    return value.removeprefix(_MARK) if isinstance(value, str) else value


def _parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = _Parser(prog="git-zpack-fleet", allow_abbrev=False, description=(
        "Archives, checks and restores many Git repositories with git-zpack on Dask."))
    top.add_argument("--version", action="version", version=f"git-zpack-fleet {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    archive = _command(commands, "archive", "archive repositories that changed", tasks=True)
    archive.add_argument("roots", nargs="*", metavar="ROOT",
                         help="directories in which to look for repositories")
    archive.add_argument("--to", dest="store", required=True, metavar="URL",
                         help="where the archives go: a directory, or a URL of fsspec")
    archive.add_argument("--stdin", action="store_true",
                         help="read paths of repositories, separated by NUL or newlines")
    archive.add_argument("--grokmirror", metavar="MANIFEST",
                         help="take the repositories that manifest.js.gz names, below ROOT")
    archive.add_argument("--convert-option", action="append", default=[], metavar="OPTION",
                         help="an option for git-zpack convert, as --convert-option=--reachable")
    archive.add_argument("--increments", action="store_true",
                         help="write of a changed repository only what its latest archive lacks")
    archive.add_argument("--families", action="store_true",
                         help="find forks, and write of each only what the archive of its base "
                         "lacks; includes --increments")
    archive.add_argument("--consolidate", type=_checked(_join), default=None,
                         metavar="geometric|N|never",
                         help="join increments of a repository so that each file is twice as "
                         "large as all newer ones together (geometric, the default), or as soon "
                         "as an archive depends on N-1 files")

    verify = _command(commands, "verify", "check archives, the longest unchecked first",
                      tasks=True, store=True)
    verify.add_argument("--budget", type=_checked(parse_duration), metavar="TIME",
                        help="begin no more checks after this time: 2h, 30m")
    verify.add_argument("--sample", type=_checked(parse_share), default=1.0, metavar="SHARE",
                        help="check at most this share of the archives: 1%%")
    verify.add_argument("--level", default="objects",
                        choices=("structure", "checksums", "objects", "connectivity"))

    restore = _command(commands, "restore", "restore repositories", tasks=True, store=True)
    restore.add_argument("patterns", nargs="*", metavar="NAME",
                         help="names, paths or patterns; without one, all repositories")
    restore.add_argument("--to", required=True, metavar="DIRECTORY")
    restore.add_argument("--restore-option", action="append", default=[], metavar="OPTION",
                         help="an option for git-zpack restore, as --restore-option=--trust")

    archive.add_argument("--cold-after", type=_checked(parse_duration), metavar="TIME",
                         help="encode the archive of a repository that has not changed for this "
                         "time again, with the profile cold: 180d")

    separate = _command(commands, "separate", "make one file of an archive and all that it "
                        "depends on; the repository leaves its family", tasks=True, store=True)
    separate.add_argument("patterns", nargs="+", metavar="NAME",
                          help="names, paths or patterns")
    separate.add_argument("--from-source", action="store_true",
                          help="let the next archive convert the whole repository instead, "
                          "without the objects of its base that it does not have")

    status = _command(commands, "status", "say what is safe and what is not", store=True)
    status.add_argument("--json", action="store_true")

    report = _command(commands, "report", "write a page about all repositories", store=True)
    report.add_argument("-o", "--output", default="fleet.html", metavar="FILE")

    prune = _command(commands, "prune", "remove old archives", store=True)
    prune.add_argument("--keep", type=_checked(_natural), default=2, metavar="N",
                       help="archives to keep of each repository (2)")
    prune.add_argument("--keep-lost", type=_checked(parse_duration), default=90 * 86400.0,
                       metavar="TIME", help="how long to keep an archive of which the next one "
                       "may lack objects, because the repository has lost them (90d)")
    prune.add_argument("--grace", type=_checked(parse_duration), default=86400.0, metavar="TIME",
                       help="age from which files that the manifest does not know go (1d)")
    prune.add_argument("-n", "--dry-run", action="store_true")

    export = _command(commands, "export", "write the manifest as a table", store=True)
    export.add_argument("file", metavar="FILE", help="a .parquet, .csv or .json file")
    return top


def _command(commands: Any, name: str, text: str, *, tasks: bool = False,
             store: bool = False) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:], allow_abbrev=False)
    if store:
        command.add_argument("store", metavar="STORE", help="the URL or directory of --to")
    command.add_argument("--manifest", metavar="FILE", help="the record (in a local store)")
    command.add_argument("--storage-option", type=_checked(_storage_option), action="append",
                         default=[], metavar="NAME=VALUE", help="an option of fsspec")
    if tasks:
        _add_task_options(command)
    return command


def _add_task_options(command: argparse.ArgumentParser) -> None:
    where = command.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler: tcp://host:8786")
    where.add_argument("--ssh", metavar="HOST,...", help="start workers on these hosts")
    command.add_argument("--workers", type=_checked(_natural), metavar="N",
                         help="processes (one for each processor), or for each host of --ssh")
    command.add_argument("--memory", type=_checked(parse_size), metavar="SIZE",
                         help="memory of each git-zpack")
    command.add_argument("--threads", type=_checked(_natural), default=1, metavar="N",
                         help="threads of each git-zpack (1)")
    command.add_argument("--time-limit", type=_checked(parse_duration), default=3600.0,
                         metavar="TIME", help="end a git-zpack after this time, and 10 s for "
                         "each MB of the repository or archive (1h)")
    command.add_argument("--scratch", metavar="DIRECTORY",
                         help="temporary files on the workers")
    command.add_argument("--program", default="git-zpack", metavar="PATH")
    command.add_argument("--retries", type=_checked(_natural), default=4, metavar="N",
                         help="how often a task is tried (4)")
    command.add_argument("--retry-delay", type=_checked(parse_duration), default=2.0,
                         metavar="TIME", help="time before the second try (2s)")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--progress", action="store_true", default=None)
    shown.add_argument("--no-progress", dest="progress", action="store_false")
