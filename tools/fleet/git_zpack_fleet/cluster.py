# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Where the tasks run: processes of this machine, a scheduler, or hosts by ssh."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any, Callable, Iterator, NamedTuple, Optional

import dask
from distributed import Client, LocalCluster
from distributed.comm.addressing import get_address_host_port

# Of Python and what it has loaded, beside the memory of git-zpack.
PYTHON_BYTES = 192 << 20
_CONNECT_SECONDS = 30


class Place(NamedTuple):
    """Where to run. Without scheduler and hosts: processes of this machine.

    workers: processes; 0: one for each processor
    memory: bytes of each worker's tasks
    """

    scheduler: Optional[str]
    hosts: tuple[str, ...]
    workers: int
    memory: int


def default_memory(workers: int) -> int:
    """Bytes for each worker's tasks: half the machine's memory for all together."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(64 << 20, total // 2 // max(1, workers) - PYTHON_BYTES)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


class ClusterError(Exception):
    """Workers cannot be started or reached. The text says why."""


def _start(place: Place) -> Any:
    resources = {"memory": place.memory}
    if place.hosts:
        from distributed import SSHCluster  # pylint: disable=import-outside-toplevel
        return SSHCluster([place.hosts[0], *place.hosts],
                          worker_options={"nthreads": 1, "resources": resources,
                                          "n_workers": place.workers or 1, "memory_limit": "0"})
    return LocalCluster(
        n_workers=place.workers or processors(), threads_per_worker=1, processes=True,
        memory_limit=0, resources=resources, dashboard_address="127.0.0.1:0",
        host="127.0.0.1", silence_logs=50)


@contextlib.contextmanager
def connected(place: Place) -> Iterator[Callable[[], Client]]:
    """A function that connects to the cluster; the cluster ends with the block."""
    dask.config.set({
        "distributed.scheduler.allowed-failures": 3,
        "distributed.comm.timeouts.connect": f"{_CONNECT_SECONDS}s",
        # Python is small; what is large is git-zpack, which has its own limit.
        "distributed.worker.memory.terminate": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.spill": False,
        "distributed.admin.tick.limit": "60s",
        # What the scheduler remembers of tasks that ended.
        "distributed.scheduler.transition-log-length": 1000,
        "distributed.scheduler.events-log-length": 1000,
        "distributed.admin.low-level-log-length": 1000,
        # Sampling the stacks of workers that wait for git-zpack costs much.
        "distributed.worker.profile.enabled": False,
        "distributed.worker.profile.interval": "1h",
        "distributed.worker.profile.cycle": "1h",
    })
    logging.getLogger("distributed").setLevel(logging.ERROR)
    if place.scheduler is not None:
        address = place.scheduler
        try:  # A client that fails for it leaves threads that do not end.
            get_address_host_port(address)
        except ValueError as error:
            raise ClusterError(f"cannot connect to the scheduler '{address}': {error}") from error
        yield lambda: Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        return
    try:
        cluster = _start(place)
    except (RuntimeError, OSError, ImportError) as error:
        raise ClusterError(f"cannot start workers: {error}") from error
    try:
        yield lambda: Client(cluster, timeout=_CONNECT_SECONDS, set_as_default=False)
    finally:
        cluster.close(timeout=10)
