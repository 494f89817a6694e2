# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""How much of the sources inputs reach, as libFuzzer's -print_coverage tells it."""

import collections
import re

LINE = re.compile(r"^(UN)?COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) (.*?) (\S+?)(?::\d+)*$",
                  re.M)


def parse(output):
    """By file of src/: edges reached, all edges, names of functions never reached."""
    files = collections.defaultdict(lambda: [0, 0, []])
    for never, reached, edges, function, path in LINE.findall(output):
        place = re.search(r"(?:^|/)(src/.*)", path)
        if not place:
            continue
        counts = files[place.group(1)]
        counts[0] += int(reached)
        counts[1] += int(edges)
        if never:
            counts[2].append(function)
    return files


def table(targets, names, with_functions):
    """A Markdown table of the names; for each, the functions that it does not reach in
    files that it enters."""
    rows = ["| name | inputs | edges in src | of | functions not reached |", "|---|---|---|---|---|"]
    lists = []
    for name in names:
        target = targets[name]
        _, output, _ = target.run(["-runs=0", "-print_coverage=1", *map(str, target.corpora())])
        files = {path: counts for path, counts in parse(output).items() if counts[0]}
        inputs = sum(1 for corpus in target.corpora() for path in corpus.rglob("*")
                     if path.is_file())
        missed = sum(len(counts[2]) for counts in files.values())
        reached = sum(counts[0] for counts in files.values())
        edges = sum(counts[1] for counts in files.values())
        rows.append(f"| {name} | {inputs:,} | {reached:,} | {edges:,} | {missed:,} |")
        lists += [f"{name}: {path}: {function}" for path, counts in sorted(files.items())
                  for function in sorted(counts[2])]
    return "\n".join(rows + ([""] + lists if with_functions else []))
