# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What every command needs: the store, the record, a run, and tasks on workers."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import tempfile
import time
from typing import Any, Iterator, NamedTuple, Optional

from distributed.comm import CommClosedError

from .cluster import Place, connected
from .engine import Engine, Retries
from .failures import Failure
from .jobs import Settings
from .database import ManifestError, NoManifest, check_whole, runs_in
from .manifest import Heartbeat, Manifest
from .output import say
from .planning import Policy
from .store import Store, Stored
from .text import public_url, without_secrets
from .worker import check_program

_COPY = "manifest/fleet.sqlite"


class Fatal(Exception):
    """Nothing can be done. The text says why; the exit code is 128."""


class Run(NamedTuple):
    """Options of a command that runs tasks.

    command: its name, for the record
    retries: tries, and seconds before the second one
    memory: bytes of each git-zpack
    policy: how archives may depend on each other
    """

    command: str
    place: Place
    settings: Settings
    retries: Retries
    memory: int
    progress: bool
    policy: Policy = Policy()


class Counts:
    """What a run did, for the record and for the last line."""

    def __init__(self) -> None:
        self.done = self.failures = self.bytes = self.uploaded = 0


def _unusable(url: str, error: Exception) -> Fatal:
    """The error for a store. Neither its URL nor a message shows a password."""
    return Fatal(f"cannot use store '{public_url(url)}': {without_secrets(str(error), url)}")


def manifest_path(url: str, options: dict[str, Any], given: Optional[str]) -> str:
    """Where the record of a store is: in a local store, or in the user's state."""
    if given is not None:
        return given
    store = open_store(url, options)
    if store.is_local:
        return store.local_path("manifest.sqlite")
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    return os.path.join(state, "git-zpack-fleet", f"{name}.sqlite")


def open_manifest(url: str, options: dict[str, Any], given: Optional[str], *,
                  create: bool, copy: bool = False) -> Manifest:
    """The record of a store. If only the store has a copy, that is fetched.

    create: makes a new one if there is none; in a store with archives only if given says where
    copy: takes a copy of one that can only be read
    """
    path = manifest_path(url, options, given)
    try:
        if not os.path.exists(path):
            _fetch_copy(url, options, path)
        try:
            return Manifest(path, create=False, copy=copy)
        except NoManifest as error:
            if not create:
                raise
            if _has_archives(url, options):
                _check_new(path, error, is_given=given is not None)
        return Manifest(path, create=True)
    except ManifestError as error:
        raise Fatal(str(error)) from error


def open_store(url: str, options: dict[str, Any]) -> Store:
    """The store. Raises Fatal."""
    try:
        return Store(url, options)
    except Exception as error:  # pylint: disable=broad-except
        raise _unusable(url, error) from error


def listed(store: Store, folder: str) -> list[Stored]:
    """As Store.list; raises Fatal if the store cannot be listed."""
    try:
        return store.list(folder)
    except Exception as error:  # pylint: disable=broad-except
        raise Fatal(f"cannot list '{folder}' of store '{public_url(store.url)}': "
                    f"{without_secrets(str(error), store.url)}") from error


def _has_archives(url: str, options: dict[str, Any]) -> bool:
    """Whether a store has receipts or archives, which a new record does not know."""
    store = open_store(url, options)
    return bool(listed(store, "receipts") or listed(store, "objects"))


def _check_new(path: str, why: NoManifest, *, is_given: bool) -> None:
    """Says what a new record of a store with archives means; raises Fatal unless it is wanted."""
    exists = os.path.exists(path)
    if is_given and not exists:
        say(f"warning: {why}; the new one does not know the archives that the store has")
        return
    raise Fatal(f"{why}, but the store has archives; bring it back, or "
                f"{'move it away and ' if exists else ''}make a new one with --manifest '{path}'")


def _holds_record(store: Store, path: str) -> bool:
    """Whether a record is in the store itself, which needs no copy of it then."""
    return store.is_local and os.path.realpath(path) == os.path.realpath(
        store.local_path("manifest.sqlite"))


def _fetch_copy(url: str, options: dict[str, Any], path: str) -> None:
    """Takes the copy in the store as the record, if there is a copy. Raises Fatal."""
    store = open_store(url, options)
    if _holds_record(store, path) or (
            store.is_local and not os.path.exists(store.local_path(_COPY))):
        return
    try:
        real = os.path.realpath(path)  # A link that leads nowhere yet stays.
        os.makedirs(os.path.dirname(real), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(real)) as directory:
            copy = os.path.join(directory, "copy")
            if store.fetch_file(_COPY, copy):
                check_whole(copy)
                os.rename(copy, real)
                say(f"warning: there is no manifest '{path}'; the copy in the store is used")
    except ManifestError as error:
        raise Fatal(f"there is no manifest '{path}', and its copy '{_COPY}' in store "
                    f"'{public_url(url)}' cannot be used: {error}") from error
    except Exception as error:  # pylint: disable=broad-except
        raise _unusable(url, error) from error


def keep_copy(manifest: Manifest, settings: Settings) -> None:
    """Uploads a copy of the record to a store that does not hold the record.

    A copy with runs that this record does not know is that of another one, and stays.
    """
    store = Store(settings.url, settings.options)
    if _holds_record(store, manifest.path):
        return
    with tempfile.TemporaryDirectory() as directory:
        copy = os.path.join(directory, "fleet.sqlite")
        manifest.copy_to(copy)
        try:
            before = os.path.join(directory, "before")
            if store.fetch_file(_COPY, before) and not runs_in(before) <= manifest.run_ids():
                say(f"warning: '{_COPY}' in the store is not a copy of the manifest "
                    f"'{manifest.path}'; it stays, and this manifest has no copy")
                return
            store.write(copy, _COPY)
        except Exception as error:  # pylint: disable=broad-except
            say("warning: cannot upload a copy of the manifest: "
                f"{without_secrets(str(error), settings.url)}")


@contextlib.contextmanager
def registered(manifest: Manifest, command: str) -> Iterator[tuple[str, Counts]]:
    """A run in the record, which ends with the block."""
    try:
        run = manifest.begin_run(command)
    except ManifestError as error:
        raise Fatal(str(error)) from error
    heartbeat = Heartbeat(manifest.path, run) if manifest.unwritable is None else None
    counts = Counts()
    status = 128
    try:
        yield run, counts
        status = 1 if counts.failures else 0
    finally:
        if heartbeat is not None:
            heartbeat.stop()
        manifest.end_run(run, status,
                         (counts.done, counts.failures, counts.bytes, counts.uploaded))


def check_workers(client: Any, program: str, tries: int = 5) -> None:
    """Checks that each worker has git-zpack. A worker that dies meanwhile is no failure, as
    long as there are others: the scheduler knows that it is gone when it is asked again."""
    while True:
        client.wait_for_workers(1, timeout=60)
        try:
            client.run(check_program, program)
            return
        except CommClosedError:
            tries -= 1
            if tries == 0:
                raise
            time.sleep(0.2)


@contextlib.contextmanager
def engine_of(run: Run) -> Iterator[Engine]:
    """Workers that have git-zpack."""
    with connected(run.place) as connect:
        try:
            engine = Engine(connect, run.retries)
        except ModuleNotFoundError as error:
            raise Fatal(f"the scheduler needs the Python package {error.name}") from error
        except (OSError, TimeoutError) as error:
            raise Fatal(f"cannot connect to the scheduler: {error}") from error
        try:
            check_workers(engine.client, run.settings.program)
        except ModuleNotFoundError as error:
            raise Fatal(f"the workers need the Python package {error.name}") from error
        except TimeoutError as error:
            raise Fatal("the scheduler has no workers") from error
        except Failure as failure:
            raise Fatal(failure.message) from failure
        if run.progress and importlib.util.find_spec("bokeh"):
            say(f"dashboard: {engine.client.dashboard_link}")
        if engine.worker_memory is None:
            say("warning: the workers have no resource 'memory'; start them with "
                f"--resources memory={run.memory}, so that none is over-committed")
        try:
            yield engine
        finally:
            engine.client.close(timeout=5)
