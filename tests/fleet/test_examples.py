# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The examples for cron and systemd, run once with other directories."""

import configparser
import os
import re
import shlex
import shutil
import subprocess

import pytest
from conftest import MEMORY, PROGRAM, run_fleet

EXAMPLES = os.path.join(os.path.dirname(__file__), "../../tools/fleet/examples")


def cron_commands():
    with open(os.path.join(EXAMPLES, "git-zpack-fleet.cron"), encoding="ascii") as file:
        lines = [line for line in file.read().splitlines() if line and line[0] != "#"]
    for line in lines:
        matched = re.fullmatch(r"(?:[\d*]+ ){5}git (git-zpack-fleet .*)", line)
        assert matched, line
        yield matched[1]


def systemd_commands():
    with open(os.path.join(EXAMPLES, "git-zpack-fleet.service"), encoding="ascii") as file:
        return re.findall(r"^ExecStart=(.*)$", file.read(), re.M)


@pytest.mark.parametrize("commands", (cron_commands, systemd_commands))
def test_each_command_does_what_it_says(commands, source, tmp_path, cluster):
    ran = 0
    for command in commands():
        words = shlex.split(command.replace("/srv/git", str(source)).replace(
            "/backup", str(tmp_path / "backup")))
        assert words.pop(0) == "git-zpack-fleet"
        if words[0] != "prune":
            # The cluster of the tests, and git-zpack that is not installed.
            words += ["--scheduler", cluster.address, "--program", PROGRAM,
                      "--memory", str(MEMORY)]
        result = run_fleet(*words)
        assert result.status == 0, result
        ran += 1
    assert ran >= 2
    assert len(list((tmp_path / "backup/objects").rglob("*.zpack"))) == 3


def test_timer_starts_the_service():
    timer = configparser.ConfigParser()
    timer.read(os.path.join(EXAMPLES, "git-zpack-fleet.timer"), encoding="ascii")
    calendar = timer["Timer"]["OnCalendar"]
    assert re.fullmatch(r"\*-\*-\* \d\d:\d\d", calendar)
    if shutil.which("systemd-analyze"):
        subprocess.run(["systemd-analyze", "calendar", calendar], check=True)
