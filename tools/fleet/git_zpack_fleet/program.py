# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs git-zpack on a worker."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any, NamedTuple, Sequence

from .failures import Failure, Kind, of_program
from .text import duration_text, parse_json, printable

_MOST_STDERR = 1 << 16
# Between SIGTERM and SIGKILL.
_GRACE_SECONDS = 20.0


class Ran(NamedTuple):
    """How a run of git-zpack ended.

    status: as subprocess gives it
    message: the last lines of standard error as one line
    """

    status: int
    output: bytes
    message: str


def run(program: str, arguments: Sequence[str | bytes], *, seconds: float,
        keep_open: Sequence[int] = ()) -> Ran:
    """Runs git-zpack; it is told to stop when this process dies.

    keep_open: descriptors that the program inherits, such as locks
    Raises Failure: PROGRAM if the program cannot be started, TIME if it does
    not end within the time.
    """
    command: list[str | bytes] = [program, *arguments]
    if shutil.which("setpriv"):
        command = ["setpriv", "--pdeathsig", "TERM", "--", *command]
    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=clean_environment(),
                              pass_fds=keep_open) as process:
            try:
                output, errors = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as error:
                _end(process)
                raise Failure(Kind.TIME, f"'git-zpack {os.fsdecode(arguments[0])}' did not end "
                                         f"within {duration_text(seconds)}") from error
    except OSError as error:
        raise Failure(Kind.PROGRAM, f"cannot run '{program}': {error.strerror}") from error
    message = errors[-_MOST_STDERR:].decode("utf-8", "replace")
    return Ran(process.returncode, output, _last_error(message))


def clean_environment() -> dict[str, str]:
    """The environment without what Git sets for its own children; settings stay."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")}


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def run_json(program: str, arguments: Sequence[str | bytes], *, seconds: float,
             keep_open: Sequence[int] = ()) -> dict[str, Any]:
    """Runs git-zpack with --json. Raises Failure if it fails."""
    ran = run(program, arguments, seconds=seconds, keep_open=keep_open)
    if ran.status != 0:
        raise of_program(ran.status, ran.message)
    try:
        result = parse_json(ran.output.decode("utf-8", "surrogateescape"))
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise Failure(Kind.PROGRAM, "git-zpack printed no JSON object")
    return result


def _last_error(message: str) -> str:
    lines = [line for line in message.splitlines() if line.startswith(("fatal:", "error:"))]
    text = " ".join(lines) if lines else message
    return printable(text.removeprefix("fatal: "), 1000)


def memory_options(memory: int, threads: int) -> list[str]:
    """--memory and --threads."""
    return ["--memory", str(memory), "--threads", str(threads)]
