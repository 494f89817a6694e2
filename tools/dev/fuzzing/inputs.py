# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs that fuzzing has found, the archive that keeps them, and the ledger of runs."""

import collections
import os
import pathlib
import tarfile
import time

LEDGER = "ledger.tsv"
FIELDS = "date name cpu_seconds executions edges inputs".split()


class Inputs:
    """A directory with one directory for each name; `archive` may be None."""

    def __init__(self, directory, archive):
        self.directory = pathlib.Path(directory)
        self.archive = pathlib.Path(archive) if archive else None
        self.findings = self.directory / "findings"
        self.findings.mkdir(parents=True, exist_ok=True)
        self.ledger = self.directory / LEDGER

    def of(self, name):
        path = self.directory / name
        path.mkdir(exist_ok=True)
        return path

    def take(self):
        """Adds what the archive has. Runs that both know are noted once."""
        if self.archive is None or not self.archive.exists():
            return
        noted = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        with tarfile.open(self.archive) as archive:
            for member in archive:
                parts = pathlib.PurePosixPath(member.name).parts
                content = archive.extractfile(member)
                if content is None:
                    continue
                if parts == (LEDGER,):
                    noted = list(dict.fromkeys(content.read().decode().splitlines() + noted))
                elif len(parts) == 2 and ".." not in parts:
                    (self.of(parts[0]) / parts[1]).write_bytes(content.read())
        self.ledger.write_text("".join(line + "\n" for line in noted))

    def put(self):
        """Replaces the archive."""
        if self.archive is None:
            return
        new = self.archive.with_name(self.archive.name + ".new")
        with tarfile.open(new, "w:xz") as archive:
            for path in sorted(self.directory.glob("*/*")) + [self.ledger]:
                if path.is_file():
                    archive.add(path, path.relative_to(self.directory).as_posix())
        os.replace(new, self.archive)

    def note(self, name, run):
        """Adds a run to the ledger."""
        row = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), name, f"{run.cpu:.1f}",
               run.executions, run.edges, len(list(self.of(name).iterdir())))
        with self.ledger.open("a", encoding="utf-8") as ledger:
            ledger.write("\t".join(map(str, row)) + "\n")

    def ledger_table(self):
        """Processor time, executions and the last coverage of each name."""
        total = collections.defaultdict(lambda: [0.0, 0, 0, 0, ""])
        lines = self.ledger.read_text().splitlines() if self.ledger.exists() else []
        for line in lines:
            row = dict(zip(FIELDS, line.split("\t")))
            sums = total[row["name"]]
            sums[0] += float(row["cpu_seconds"])
            sums[1] += int(row["executions"])
            # A run that ends at once tells nothing of coverage.
            sums[2] = int(row["edges"]) or sums[2]
            sums[3:] = int(row["inputs"]), row["date"][:10]
        table = ["| name | CPU minutes | executions | edges | inputs | last run |",
                 "|---|---|---|---|---|---|"]
        for name, (cpu, executions, edges, kept, date) in sorted(total.items()):
            table.append(f"| {name} | {cpu / 60:.1f} | {executions:,} | {edges:,} |"
                         f" {kept:,} | {date} |")
        hours = sum(sums[0] for sums in total.values()) / 3600
        return "\n".join(table + ["", f"{hours:.2f} CPU hours"])
