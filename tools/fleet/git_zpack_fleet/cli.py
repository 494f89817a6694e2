# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The program git-zpack-fleet."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from types import FrameType
from typing import Any, Iterator, Mapping, Optional, Sequence

from .archiving import Archiving
from .checking import Retention, Scope, prune, verify
from .cluster import ClusterError, Place, default_memory, processors
from .database import ManifestError
from .discover import Found, Tell, Unreached, is_at_or_below, read_grokmirror, read_list, walk
from .engine import EngineLost, Retries
from .families import forks_in_grokmirror
from .jobs import Join, Settings
from .lost import lost_files
from .manifest import Manifest
from .options import USAGE, parse
from .output import Unwritable, say
from .planning import Policy
from .records import RepositoryRow
from .report import write_report
from .restoring import Destination, restore
from .separating import separate
from .session import Fatal, Run, open_manifest
from .store import Store
from .text import counted, printable, quoted, without_secrets
from .views import export, status

FATAL = 128
_PATIENCE_SECONDS = 3600.0


class _Terminated(BaseException):
    """SIGTERM came."""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command. Returns the exit code.

    0: everything is safe, intact or restored; 1: not everything; 128: could not
    do it; 129: wrong usage; 130, 143: ended by a signal. If nobody reads
    standard output, the process ends by SIGPIPE.
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
            return int(prune(manifest, Store(options.store, storage),
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
    unreached: list[Unreached] = []
    found = dict.fromkeys(_sources(options, unreached.append))
    run = _tasks(options, storage, tuple(options.convert_option))
    run = run._replace(policy=_policy(options))
    run = run._replace(settings=run.settings._replace(increments=run.policy.increments))
    roots = [os.path.abspath(os.fsencode(root)) for root in options.roots]
    walked = [] if options.grokmirror is not None else roots
    seen = {one.path for one in found} | {one.path for one in unreached}
    there = [root for root in walked if _tell_gone(manifest, root, seen)]
    unsafe = Archiving(manifest, run).run(found, unreached, there)
    return int(unsafe > 0 or len(there) < len(walked))


def _policy(options: argparse.Namespace) -> Policy:
    labels: Mapping[bytes, tuple[bytes, ...]] = {}
    if options.families and options.grokmirror is not None:
        try:
            labels = forks_in_grokmirror(os.fsencode(options.grokmirror),
                                         os.fsencode(options.roots[0]))
        except (OSError, ValueError) as error:
            raise Fatal(str(error)) from error
    return Policy(options.families or options.increments, options.families,
                  options.consolidate or Join(geometric=True), options.cold_after, labels)


def _tell_gone(manifest: Manifest, root: bytes, seen: set[bytes]) -> bool:
    """Says which repositories of the manifest are no longer below the root; false if all are."""
    gone: list[RepositoryRow] = []
    places: list[RepositoryRow] = []
    for row in manifest.repositories():
        if is_at_or_below(row.path, root) and row.path not in seen:
            (places if row.archive is None and row.is_unreached() else gone).append(row)
    if any(is_at_or_below(path, root) for path in seen):
        if gone:
            say(f"warning: gone: {counted(len(gone))} below '{quoted(root)}', such as "
                f"'{quoted(gone[0].name)}'; the archives stay")
        return True
    # A file system that is not mounted must not look like a safe one.
    gone += [row for row in places if not _is_there(row.path, root)]
    if gone:
        say(f"error: none is left of {counted(len(gone))} below '{quoted(root)}'; is it mounted?")
    return not gone


def _is_there(place: bytes, root: bytes) -> bool:
    """Whether a walk of the root looked at the place; a root that is empty hides what it is."""
    return bool(os.listdir(root)) if place == root else os.path.lexists(place)


def _sources(options: argparse.Namespace, tell: Tell) -> Iterator[Found]:
    if options.stdin:
        yield from read_list(sys.stdin.buffer.read())
    roots = [os.fsencode(root) for root in options.roots]
    if options.grokmirror is not None:
        try:
            yield from read_grokmirror(os.fsencode(options.grokmirror), roots[0])
        except (OSError, ValueError) as error:
            raise Fatal(str(error)) from error
        return
    for root in roots:
        try:
            yield from walk(root, tell, roots)
        except OSError as error:
            raise Fatal(f"cannot read directory '{quoted(root)}': {error.strerror}") from error


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
