#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Prints how many lines of text a project had at the end of each year.

    lines_by_year.py [--plot PICTURE] FILE [REVISION]

Reads the .zpack file FILE itself; nothing is restored. The year of a commit is that
of its committer, in UTC. --plot also draws the lines, which needs matplotlib. In an
editor that knows cells (`# %%`), the parts below run one by one, as in a notebook.
"""

# %% The archive
import argparse
import collections
import datetime

import zpack

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--plot", metavar="PICTURE")
parser.add_argument("file", metavar="FILE")
parser.add_argument("revision", metavar="REVISION", nargs="?", default="HEAD")
arguments = parser.parse_args()
archive = zpack.open(arguments.file)
ID_BYTES = 32 if archive.object_format == "sha256" else 20


# %% The last commit of each year, following first parents
def fields(commit):
    """The values of a commit's fields, by name."""
    values = collections.defaultdict(list)
    for line in bytes(archive[commit]).partition(b"\n\n")[0].split(b"\n"):
        name, _, value = line.decode(errors="replace").partition(" ")
        values[name].append(value)
    return values


def last_commits(revision):
    """Ids of commits, by year."""
    commits = {}
    parents = [archive.resolve(revision + "^{commit}")]
    while parents:
        commit = parents[0]
        of_commit = fields(commit)
        seconds = int(of_commit["committer"][0].split()[-2])
        year = datetime.datetime.fromtimestamp(seconds, datetime.UTC).year
        commits.setdefault(year, commit)
        # The file of a shallow clone ends before the history does.
        parents = [parent for parent in of_commit["parent"] if parent in archive]
    return dict(sorted(commits.items()))


# %% Lines of a tree; equal trees and blobs are counted once
counted = {}


def lines_of_blob(blob):
    content = bytes(archive[blob])
    if b"\0" in content[:8000]:  # binary, as Git decides it
        return 0
    return content.count(b"\n") + (content[-1:] not in (b"", b"\n"))


def lines_of_tree(tree):
    content = bytes(archive[tree])
    lines = position = 0
    while position < len(content):
        mode = content[position:content.index(b" ", position)]
        id_at = content.index(b"\0", position) + 1
        position = id_at + ID_BYTES
        child = content[id_at:position].hex()
        if mode == b"160000":  # a commit of another repository
            continue
        if child not in counted:
            count = lines_of_tree if mode == b"40000" else lines_of_blob
            counted[child] = count(child)
        lines += counted[child]
    return lines


lines_by_year = {
    year: lines_of_tree(archive.resolve(commit + "^{tree}"))
    for year, commit in last_commits(arguments.revision).items()}
for year, lines in lines_by_year.items():
    print(f"{year} {lines:10}")

# %% The plot
if arguments.plot:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(layout="constrained")
    axes.bar([str(year) for year in lines_by_year], lines_by_year.values())
    axes.set(title="Lines of text at the end of each year",
             xlabel="year", ylabel="lines")
    axes.tick_params(axis="x", rotation=45)
    figure.savefig(arguments.plot)
