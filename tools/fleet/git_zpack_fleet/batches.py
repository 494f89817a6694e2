# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Several small tasks as one: a task costs the scheduler as much as a small conversion."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator

from .engine import Task

_MOST_TASKS = 16
_MOST_BYTES = 4 << 20
# Batches that each worker should still get.
_BATCHES_EACH = 4


def batched(tasks: Iterable[Task], total: int, slots: Callable[[], int]) -> Iterator[Task]:
    """Joins small tasks of one function that follow each other.

    total: how many tasks there are
    slots: says how many can run at once; workers come and go. The fewer tasks
        are left, the fewer are joined, so that no worker waits for another one
        at the end.
    """
    batch: list[Task] = []
    size = 0
    left = total
    for task in tasks:
        most = min(_MOST_TASKS, left // (_BATCHES_EACH * slots()))
        if batch and not (len(batch) < most and size + task.weight <= _MOST_BYTES
                          and task.group == batch[0].group):
            yield _joined(batch)
            left -= len(batch)
            batch, size = [], 0
        batch.append(task)
        size += task.weight
    if batch:
        yield _joined(batch)


def _joined(batch: list[Task]) -> Task:
    first = batch[0]
    if len(batch) == 1:
        return first
    return Task(first.phase, f"{first.name} and {len(batch) - 1} more", _run_all,
                (first.work, [task.arguments for task in batch]),
                max(task.memory for task in batch), first.weight, first.group,
                parts=tuple(batch))


def _run_all(work: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
    """Runs on a worker. Dask would call a tuple that begins with a function itself."""
    return [work(*arguments) for arguments in calls]
