# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs commands of git-zpack-fleet at once for the raid 'fleet', and says how each ended.

    fleet_run.py REQUEST

REQUEST is a file of JSON; the answer goes to REQUEST.answer. Dask is loaded once for
all commands. Its workers are threads of each command, which start in no time, unless the
request asks for processes, as users have them."""

import json
import os
import pathlib
import resource
import signal
import sys
import time

HANG = 240  # seconds in all
CPU = 60  # seconds of one command
GONE = 20  # seconds until the workers of a killed command have ended


def start(request: dict, command: dict, stem: str) -> int:
    """Starts a command in a process group of its own; returns its id."""
    process = os.fork()
    if process:
        return process
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 5))
    os.dup2(os.open(command.get("stdin", os.devnull), os.O_RDONLY), 0)
    for number, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{stem}.{kind}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    # pylint: disable=import-outside-toplevel
    from git_zpack_fleet import cli, cluster
    if request["threads"]:
        from distributed import LocalCluster
        cluster._start = lambda place: LocalCluster(  # pylint: disable=protected-access
            n_workers=2, threads_per_worker=1, processes=False, memory_limit=0,
            resources={"memory": place.memory}, dashboard_address="127.0.0.1:0",
            silence_logs=50)
    status = 255
    try:
        status = cli.main(command["arguments"])
    except SystemExit as ended:
        status = int(ended.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return 0


def is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def finish(processes: list[int], kills: list) -> tuple[dict[int, int], set[int]]:
    """Waits for all, and kills some; returns how they ended, and what had to be ended."""
    begun = time.monotonic()
    ended: dict[int, int] = {}
    stuck: set[int] = set()
    while len(ended) < len(processes):
        for process, kill in zip(processes, kills):
            now = time.monotonic() - begun
            if process in ended:
                continue
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                ended[process] = os.waitstatus_to_exitcode(status)
            elif kill and now > kill[0]:
                os.kill(process, kill[1])
                kill[0] = float("inf")
            elif now > HANG:
                stuck.add(process)
                os.killpg(process, signal.SIGKILL)
        time.sleep(0.005)
    return ended, stuck


def main() -> None:
    path = pathlib.Path(sys.argv[1])
    request = json.loads(path.read_text())
    sys.path.insert(0, request["package"])
    sys.dont_write_bytecode = True
    import git_zpack_fleet.cli  # pylint: disable=import-outside-toplevel,unused-import
    commands = request["commands"]
    processes = [start(request, command, f"{path}.{number}")
                 for number, command in enumerate(commands)]
    ended, stuck = finish(processes, [command.get("kill") for command in commands])
    answer = []
    for number, process in enumerate(processes):
        until = time.monotonic() + GONE
        while is_alive(process) and time.monotonic() < until:
            time.sleep(0.05)
        left = is_alive(process)
        if left:
            os.killpg(process, signal.SIGKILL)
        answer.append({"status": ended[process], "hangs": process in stuck, "left": left,
                       **{kind: pathlib.Path(f"{path}.{number}.{kind}").read_bytes().decode(
                           "utf-8", "surrogateescape") for kind in ("out", "err")}})
    path.with_name(path.name + ".answer").write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
