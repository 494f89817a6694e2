# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""verify: which archives it checks, and what it says that it has read."""

import sqlite3

from conftest import run_fleet
from git_zpack_fleet.text import size_text


def test_scrub_checks_a_sample_the_longest_unchecked_first(on_cluster, source, tmp_path):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    for left in (2, 1, 0):
        assert on_cluster("verify", store, "--sample", "30%").status == 0
        with sqlite3.connect(store / "manifest.sqlite") as database:
            unchecked = database.execute(
                "SELECT count(*) FROM archives WHERE verified IS NULL").fetchone()[0]
        assert unchecked == left
    assert "0 archives checked" in on_cluster("verify", store, "--budget", "0").output


def test_verify_counts_no_bytes_of_archives_that_it_did_not_read(on_cluster, source, tmp_path,
                                                                 wrapper):
    store = tmp_path / "store"
    assert on_cluster("archive", source, "--to", store).status == 0
    first, second, third = sorted((store / "objects").rglob("*.zpack"))

    def summary(failures, read, **options):
        ran = on_cluster("verify", store, "--retries", "1", **options)
        assert ran.status == int(failures > 0), ran
        assert ran.output == (f"3 archives checked, {failures} not intact; "
                              f"{size_text(read)} read; 0 not checked now\n"), ran

    size = [path.stat().st_size for path in (first, second, third)]
    summary(0, sum(size))
    first.unlink()
    summary(1, sum(size[1:]))
    # A check that did not end.
    second.unlink()
    summary(3, 0, program=wrapper("verify", before="exit 77"))
    third.unlink()
    summary(3, 0)
