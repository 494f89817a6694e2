# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The program git-zpack-fleet."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from types import FrameType
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from .archiving import Archiving
from .checking import Retention, Scope, prune, verify
from .cluster import ClusterError, Place, default_memory, processors
from .database import ManifestError
from .discover import (Found, Unreached, is_at_or_below, read_grokmirror, read_list, unreadable,
                       walk)
from .engine import EngineLost, Retries
from .failures import text_of
from .families import forks_in_grokmirror
from .gone import forget_gone, tell_gone
from .jobs import Join, Settings
from .lost import lost_files
from .manifest import Manifest
from .options import USAGE, parse
from .output import Unwritable, say
from .planning import Policy
from .report import write_report
from .restoring import Destination, restore
from .separating import separate
from .session import Fatal, Run, open_manifest, open_store
from .text import counted, printable, without_secrets
from .views import export, status

FATAL = 128
_PATIENCE_SECONDS = 3600.0


class _Terminated(BaseException):
    """SIGTERM came."""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command. Returns the exit code.

    0: everything is safe, intact or restored, or the file of report or export is
    written; 1: not everything; 128: could not do it; 129: wrong usage; 130, 143:
    ended by a signal. If nobody reads standard output, the process ends by SIGPIPE.
    """
    signal.signal(signal.SIGTERM, _terminate)
    store = ""
    try:
        options = parse(arguments)
        store = options.store
        return _run(options)
    except (Fatal, ManifestError, EngineLost, ClusterError) as error:
        say(f"fatal: {error}")
        return FATAL
    except Unwritable as error:
        if error.unread:
            # Ends as other programs do, in silence.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGPIPE)
        say(f"fatal: {error}")
        return FATAL
    except KeyboardInterrupt:
        say("interrupted; run again to continue")
        return 130
    except _Terminated:
        say("terminated; run again to continue")
        return 143
    except Exception as error:  # pylint: disable=broad-except
        # Python's own exit code would say that some repositories are not safe.
        text = without_secrets(f"{type(error).__name__}: {error}", store)
        say(f"fatal: internal error: {printable(text)}")
        return FATAL


def _terminate(_number: int, _frame: Optional[FrameType]) -> None:
    raise _Terminated


def _run(options: argparse.Namespace) -> int:
    storage = dict(options.storage_option)
    command = options.command
    if command == "archive" and not _names_sources(options):
        return USAGE
    manifest = open_manifest(options.store, storage, options.manifest,
                             create=command == "archive",
                             copy=command not in ("archive", "prune", "separate"))
    try:
        if command == "archive":
            return _archive(options, manifest, storage)
        if command == "verify":
            return int(verify(manifest, _tasks(options, storage, ()),
                              Scope(options.level, options.budget, options.sample)) > 0)
        if command == "restore":
            destination = Destination(os.path.abspath(os.fsencode(options.to)),
                                      tuple(options.restore_option))
            patterns = [os.fsencode(pattern) for pattern in options.patterns]
            return int(restore(manifest, _tasks(options, storage, ()), patterns,
                               destination) > 0)
        if command == "separate":
            patterns = [os.fsencode(pattern) for pattern in options.patterns]
            return int(separate(manifest, _tasks(options, storage, ()), patterns,
                                from_source=options.from_source) > 0)
        if command in ("status", "report", "export"):
            manifest.lost = lost_files(manifest, options.store, storage)
        if command == "status":
            return int(status(manifest, as_json=options.json) > 0)
        if command == "report":
            write_report(manifest, options.output)
        elif command == "export":
            export(manifest, options.file)
        else:
            return int(prune(manifest, open_store(options.store, storage),
                             Retention(options.keep, options.keep_lost, options.grace),
                             dry_run=options.dry_run) > 0)
        return 0
    finally:
        manifest.close()


def _names_sources(options: argparse.Namespace) -> bool:
    if options.grokmirror is not None and len(options.roots) != 1:
        say("error: --grokmirror needs one ROOT")
    elif not options.roots and not options.stdin:
        say("error: no ROOT given; see 'git-zpack-fleet archive --help'")
    elif options.grokmirror is not None and options.stdin:
        say("error: --grokmirror and --stdin exclude each other")
    elif options.consolidate is not None and not options.increments and not options.families:
        say("error: --consolidate needs --increments or --families")
    else:
        return True
    return False


def _archive(options: argparse.Namespace, manifest: Manifest, storage: dict[str, Any]) -> int:
    found, unreached, roots, is_whole = _sources(options, manifest)
    run = _tasks(options, storage, tuple(options.convert_option))
    run = run._replace(policy=_policy(options))
    run = run._replace(settings=run.settings._replace(increments=run.policy.increments))
    places = [one.path for one in unreached]
    seen = {one.path for one in found}.union(places)
    doubt = "is it mounted?" if options.grokmirror is None else "is the manifest whole?"
    there = [root for root in roots if tell_gone(manifest, root, seen, doubt)]
    forget_gone(manifest, run.settings, seen, there, places)
    walked = there if options.grokmirror is None else []
    unsafe = Archiving(manifest, run).run(found, unreached, walked)
    return int(unsafe > 0 or len(there) < len(roots) or not is_whole)


def _policy(options: argparse.Namespace) -> Policy:
    labels: Mapping[bytes, tuple[bytes, ...]] = {}
    if options.families and options.grokmirror is not None:
        try:
            labels = forks_in_grokmirror(os.fsencode(options.grokmirror),
                                         os.fsencode(options.roots[0]))
        except (OSError, ValueError) as error:
            raise _unusable(error) from error
    return Policy(options.families or options.increments, options.families,
                  options.consolidate or Join(geometric=True), options.cold_after, labels)


def _unusable(error: Exception) -> Fatal:
    """What ends a run whose list of repositories cannot be read."""
    return Fatal(f"cannot read {text_of(error)}" if isinstance(error, OSError) else str(error))


class _Sources(NamedTuple):
    """What an archive is of.

    roots: directories that were read
    is_whole: no ROOT was unreadable, and no list empty that cannot be meant so
    """

    found: dict[Found, None]
    unreached: list[Unreached]
    roots: list[bytes]
    is_whole: bool


def _sources(options: argparse.Namespace, manifest: Manifest) -> _Sources:
    unreached: list[Unreached] = []
    roots = [os.path.abspath(os.fsencode(root)) for root in options.roots]
    found = read_list(sys.stdin.buffer.read()) if options.stdin else []
    is_whole = bool(found) or not options.stdin or not _has_others(manifest, roots)
    if options.grokmirror is not None:
        try:
            found = read_grokmirror(os.fsencode(options.grokmirror), roots[0])
        except (OSError, ValueError) as error:
            raise _unusable(error) from error
        return _Sources(dict.fromkeys(found), unreached, roots, is_whole)
    read: list[bytes] = []
    for root in roots:
        try:
            found += walk(root, unreached.append, roots)
            read.append(root)
        except OSError as error:
            unreached.append(unreadable(root, root, error))
    if roots and not read and not found:
        raise Fatal(unreached[0].why)
    return _Sources(dict.fromkeys(found), unreached, read, is_whole and len(read) == len(roots))


def _has_others(manifest: Manifest, roots: Sequence[bytes]) -> bool:
    """Whether repositories are known below none of the roots; says that no list has any."""
    others = [row for row in manifest.repositories()
              if not any(is_at_or_below(row.path, root) for root in roots)]
    if others:
        say("error: standard input names no repository, but the manifest has "
            f"{counted(len(others))}")
    return bool(others)


def _tasks(options: argparse.Namespace, storage: dict[str, Any],
           convert: tuple[str, ...]) -> Run:
    hosts = tuple(host for host in (options.ssh or "").split(",") if host)
    workers = options.workers or (1 if hosts else processors())
    memory = options.memory or default_memory(workers)
    program = options.program
    if os.sep in program:
        program = os.path.abspath(program)
    store = options.store if "://" in options.store else os.path.abspath(options.store)
    scratch = options.scratch and os.path.abspath(options.scratch)
    settings = Settings(program=program, url=store, options=storage, scratch=scratch,
                        convert=convert, threads=options.threads, patience=_PATIENCE_SECONDS,
                        limit=options.time_limit)
    progress = sys.stderr.isatty() if options.progress is None else bool(options.progress)
    return Run(options.command, Place(options.scheduler, hosts, workers, memory), settings,
               Retries(options.retries, options.retry_delay), memory, progress)
