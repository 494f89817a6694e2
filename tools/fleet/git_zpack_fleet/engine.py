# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs tasks on Dask: a window of tasks at a time, with retries, in order.

The scheduler sees only the tasks of the window, so its memory does not grow
with the number of repositories.
"""

from __future__ import annotations

import contextlib
import heapq
import queue
import time
import uuid
from typing import Any, Callable, Iterable, NamedTuple, Optional

from distributed import Client
from distributed.scheduler import KilledWorker

from .failures import RETRIED, Kind, delay
from .jobs import Outcome

_REFRESH_SECONDS = 5.0
_MEMORY = "memory"
_BARE_WINDOW = 4
_KILLED = "the worker died several times during this task"


class EngineLost(Exception):
    """The scheduler is gone and did not come back."""


class Task(NamedTuple):
    """A function to call on a worker.

    phase, name: what the dashboard shows
    memory: bytes that the task and its program may take
    weight: bytes for progress; larger ones should come first
    group: tasks of one group prefer the same worker
    parts: the tasks that this one stands for; then work returns a list with a
        result for each
    """

    phase: str
    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    memory: int
    weight: int
    group: Optional[bytes] = None
    attempt: int = 1
    parts: tuple[Any, ...] = ()


class Retries(NamedTuple):
    """How often a task is tried, and the seconds before the second try."""

    tries: int
    first_delay: float


Done = Callable[[Task, Any], None]
# Changes a task before it is tried again, for example its memory.
Again = Callable[[Task, Outcome], Task]


class Engine:
    """Tasks on the workers of a cluster. One thread."""

    def __init__(self, connect: Callable[[], Client], retries: Retries,
                 patience: float = 60.0) -> None:
        """connect: makes a client; called again when the scheduler was lost."""
        self._connect = connect
        self._retries = retries
        self._patience = patience
        self._client = connect()
        self._events: "queue.SimpleQueue[tuple[Any, int]]" = queue.SimpleQueue()
        self._flying: dict[int, tuple[Task, Any]] = {}
        self._later: list[tuple[float, int, Task]] = []
        self._alone: list[Task] = []
        self._again: Optional[Again] = None
        self._groups: dict[bytes, str] = {}
        self._loads: dict[str, int] = {}
        # Other clients of the scheduler count their tasks as well.
        self._id = uuid.uuid4().hex
        self._number = 0
        self._refreshed = float("-inf")
        self._slots: dict[str, int] = {}
        self._memory: Optional[int] = None
        self._refresh()

    @property
    def client(self) -> Client:
        """The client that is connected now."""
        return self._client

    @property
    def slots(self) -> int:
        """How many tasks can run at once."""
        return max(1, sum(self._slots.values(), 0))

    @property
    def worker_memory(self) -> Optional[int]:
        """Bytes that the smallest worker has for tasks; None if workers do not say."""
        return self._memory

    def run(self, tasks: Iterable[Task], done: Done, again: Optional[Again] = None,
            tick: Callable[[], None] = lambda: None) -> None:
        """Runs all tasks; calls done in this thread, for each task once.

        What fails in a way that may pass is tried again, later. tick is called
        at least once a second. Raises EngineLost.
        """
        source = iter(tasks)
        exhausted = False
        self._again = again
        try:
            while True:
                self._refresh()
                while not exhausted and len(self._flying) < self._window():
                    task = next(source, None)
                    exhausted = task is None
                    if task is not None:
                        self._submit(task)
                self._submit_due()
                if exhausted and not self._flying and not self._later:
                    if not self._alone:
                        return
                    self._submit(self._alone.pop())
                self._wait(done)
                tick()
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Gives up all tasks that run or wait."""
        futures = [future for _, future in self._flying.values()]
        self._flying.clear()
        self._later.clear()
        self._alone.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)

    def _window(self) -> int:
        return max(_BARE_WINDOW, 2 * self.slots)

    def _refresh(self) -> None:
        if time.monotonic() < self._refreshed + _REFRESH_SECONDS:
            return
        workers, stuck = _state(self._client)
        self._slots = {address: worker["nthreads"] for address, worker in workers.items()}
        sizes = [worker.get("resources", {}).get(_MEMORY) for worker in workers.values()]
        self._memory = int(min(sizes)) if sizes and all(sizes) else None
        self._refreshed = time.monotonic()
        if stuck and workers:
            self._free(frozenset(stuck))

    def _free(self, stuck: frozenset[str]) -> None:
        """Sends tasks again that no worker gets.

        If there are no workers, Dask keeps a task for the worker that it prefers,
        though that one is gone and it may run on others.
        """
        for number, (task, future) in list(self._flying.items()):
            if task.group is not None and future.key in stuck:
                del self._flying[number]
                self._client.cancel([future], force=True)
                self._submit(task._replace(group=None))

    def _submit(self, task: Task) -> None:
        if self._client.status != "running":
            self._reconnect()
        self._number += 1
        options: dict[str, Any] = {}
        if self._memory is not None:
            options["resources"] = {_MEMORY: min(task.memory, self._memory)}
        preferred = None if task.group is None else self._worker_of(task.group)
        if preferred is not None:
            options.update(workers=[preferred], allow_other_workers=True)
        number = self._number
        future = self._client.submit(
            task.work, *task.arguments, pure=False, priority=task.weight,
            key=(task.phase, task.name, f"{self._id} {number}"), **options)
        self._flying[number] = (task, future)
        future.add_done_callback(lambda ended: self._events.put((ended, number)))

    def _worker_of(self, group: bytes) -> Optional[str]:
        address = self._groups.get(group)
        if address not in self._slots and self._slots:
            address = min(self._slots, key=lambda worker: self._loads.get(worker, 0))
            self._groups[group] = address
            self._loads[address] = self._loads.get(address, 0) + 1
        return address if address in self._slots else None

    def _submit_due(self) -> None:
        while self._later and self._later[0][0] <= time.monotonic():
            self._submit(heapq.heappop(self._later)[2])

    def _wait(self, done: Done) -> None:
        """Handles what ended; waits at most a second for it."""
        timeout = 1.0
        if self._later:
            timeout = min(timeout, max(0.0, self._later[0][0] - time.monotonic()))
        try:
            ended = [self._events.get(timeout=timeout)]
        except queue.Empty:
            if self._client.status != "running":
                self._reconnect()
            return
        with contextlib.suppress(queue.Empty):
            while True:
                ended.append(self._events.get_nowait())
        known = [(number, future) for future, number in ended if number in self._flying]
        for number, result in self._results(known):
            task, _ = self._flying.pop(number)
            if not task.parts:
                self._end(task, result, done)
                continue
            results = result if isinstance(result, list) else [result] * len(task.parts)
            for part, of_part in zip(task.parts, results):
                self._end(part, of_part, done)

    def _results(self, known: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
        """What the tasks returned; one question to the workers for all of them."""
        finished = [future for _, future in known if future.status == "finished"]
        try:
            values = dict(zip((future.key for future in finished),
                              self._client.gather(finished, errors="raise")))
        except Exception:  # pylint: disable=broad-except
            values = {}  # One of them is lost: they are asked one by one.
        results = [(number, values[future.key] if future.key in values else _result(future))
                   for number, future in known]
        for _, future in known:
            future.release()
        return results

    def _end(self, task: Task, result: Any, done: Done) -> None:
        if isinstance(result, Outcome):
            retried = result.kind is not None and Kind(result.kind) in RETRIED
            # A task that kills workers also stops the tasks beside it, so each
            # of them is tried again alone, but only once.
            killed = result.message == _KILLED
            if retried and task.attempt < (min(2, self._retries.tries) if killed
                                           else self._retries.tries):
                next_task = self._changed(task, result)
                if killed:
                    self._alone.append(next_task._replace(attempt=task.attempt + 1))
                else:
                    self._later_again(next_task)
                return
        done(task, result)

    def _changed(self, task: Task, outcome: Outcome) -> Task:
        """The task as it is tried again."""
        return self._again(task, outcome) if self._again else task

    def _later_again(self, task: Task) -> None:
        self._number += 1
        when = time.monotonic() + delay(task.attempt, self._retries.first_delay)
        task = task._replace(attempt=task.attempt + 1)
        heapq.heappush(self._later, (when, self._number, task))

    def _reconnect(self) -> None:
        """Connects again and starts what was running again. Raises EngineLost."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self._client.close(timeout=1)
                self._client = self._connect()
                break
            except (OSError, TimeoutError) as error:
                if time.monotonic() > deadline:
                    raise EngineLost(f"the scheduler is gone: {error}") from error
                time.sleep(min(1.0, self._patience / 10))
        lost = [self._changed(part, _lost("the scheduler is gone"))
                for task, _ in self._flying.values() for part in task.parts or (task,)]
        self._flying.clear()
        self._refreshed = float("-inf")
        self._refresh()
        for task in lost:
            self._submit(task)


def _result(future: Any) -> Any:
    """What the task returned, or an Outcome that says why there is nothing."""
    if future.status == "finished":
        try:
            return future.result(timeout=60)
        except Exception as error:  # pylint: disable=broad-except
            return _lost(f"the result was lost: {error}")
    if future.status == "error":
        failed = future.exception(timeout=60)
        if isinstance(failed, KilledWorker):
            return _lost(_KILLED)
        return Outcome(-1, kind=Kind.PROGRAM.value, message=f"{type(failed).__name__}: {failed}")
    return _lost("the scheduler lost the task")


def _lost(message: str) -> Outcome:
    return Outcome(-1, kind=Kind.WORKER_LOST.value, message=message)


def _state(client: Client) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What the scheduler knows of its workers, and the keys of tasks that none can run."""
    workers, keys = client.run_on_scheduler(_describe)
    return workers, keys


def _describe(dask_scheduler: Any = None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    return ({address: {"nthreads": worker.nthreads, "resources": dict(worker.resources)}
             for address, worker in dask_scheduler.workers.items()},
            [task.key for task in dask_scheduler.unrunnable])
