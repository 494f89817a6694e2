#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Opens a page of 'git zpack report --html' in headless Chromium.

  page_test.py GIT_ZPACK [CHROMIUM]

Makes a repository with hostile names, and compares what the page shows with
the output of --json. Fails on every message of the console.
"""

import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HOSTILE = ["</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>",
           "a\u202egnp.exe", "\u001b[2J", "plain.txt", "&amp;\"'"]


class Tables(html.parser.HTMLParser):
    """Collects the data-value attributes of cells, by table and row."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.table, self.ids = {}, None, []
        self.landmarks, self.text, self.scripts = [], [], 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag in ("main", "nav", "header", "footer"):
            self.landmarks.append(tag)
        if tag == "script":
            self.scripts += 1
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "table":
            self.table = self.tables.setdefault(attrs["id"], [])
        elif tag == "tr" and self.table is not None:
            self.table.append([])
        elif tag == "td" and "data-value" in attrs:
            self.table[-1].append(float(attrs["data-value"]))

    def handle_endtag(self, tag):
        if tag == "table":
            self.table = None

    def handle_data(self, data):
        self.text.append(data)


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def make_repository(path):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    run(["git", "init", "-q", "--bare", path], env=environment)
    stream = b""
    for commit in range(30):
        stream += b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\n" % (
            1500000000 + commit * 3000000)
        message = f"commit {commit} <b>&".encode()
        stream += b"data %d\n%s\n" % (len(message), message)
        for place, name in enumerate(HOSTILE):
            content = f"{name} {commit}\n".encode() * (1 + place * commit)
            quoted = '"dir %d/%s"' % (place, name.replace("\\", "\\\\").replace('"', '\\"'))
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (quoted.encode(), len(content), content)
    run(["git", "-C", path, "fast-import", "--quiet"], input=stream, env=environment)


def browse(chromium, page, *options):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--disable-dev-shm-usage", "--enable-logging=stderr", "--user-data-dir=" + profile,
             *options, page.as_uri()],
            capture_output=True, text=True, timeout=100, check=False)
    messages = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, messages


def rows_of(tables, name, keys, rows):
    """Compares a table with the rows of the report."""
    shown = [row for row in tables[name] if row]
    wanted = [[float(row[key]) for key in keys] for row in rows]
    assert shown == wanted, f"{name}: {shown} instead of {wanted}"


def check(chromium, program, source, page, *options):
    report = json.loads(run([program, "report", "-q", *options, "--json", "--html", page, source]))
    text, messages = browse(chromium, page, "--dump-dom")
    assert not messages, messages
    dom = Tables()
    dom.feed(text)
    for landmark in ("main", "nav", "header", "footer"):
        assert dom.landmarks.count(landmark) == 1, dom.landmarks
    assert len(dom.ids) == len(set(dom.ids)), "an id occurs twice"
    assert dom.scripts == 3 + 2, dom.scripts  # data, three libraries, the page's own
    shown = "".join(dom.text)
    for character in "\u202e\u001b":
        assert character not in shown
    sums = ("objects", "content_bytes", "stored_bytes")
    rows_of(dom.tables, "types", sums, report["types"].values())
    rows_of(dom.tables, "extension-table", sums, report["extensions"][:40])
    rows_of(dom.tables, "largest", sums, report["largest_files"])
    rows_of(dom.tables, "longest", sums, report["longest_histories"])
    rows_of(dom.tables, "blobs", ("content_bytes", "stored_bytes"), report["largest_blobs"])
    for name, key in (("chains", "chain_lengths"), ("costs", "read_costs")):
        rows_of(dom.tables, name, ("up_to", "objects"), report[key]["buckets"])
    top = sorted((row for row in report["directories"][1:] if row["parent"] == 0),
                 key=lambda row: -row["stored_bytes"])
    rows_of(dom.tables, "directory", ("files", *sums), top)
    if report["source"] == "repository":
        rows_of(dom.tables, "profiles", ("file_bytes", "seconds"), report["profiles"])
        rows_of(dom.tables, "counts", ("value",),
                [{"value": value} for value in report["count_objects"].values()])
    else:
        if report["depends_on"]:
            rows_of(dom.tables, "parts", ("objects", "bytes"), report["depends_on"][::-1])
        rows_of(dom.tables, "stream-table", ("unpacked_bytes", "stored_bytes"),
                report["statistics"]["streams"])
    years = {}
    for month in report["months"]:
        year = years.setdefault(month["month"][:4], dict.fromkeys(("commits", *sums), 0))
        for key in year:
            year[key] += month[key]
    rows_of(dom.tables, "years", ("commits", *sums), years.values())
    assert re.search(r"<title>(?!owned)", text)
    assert page.stat().st_size < 2_000_000


def main():
    program = sys.argv[1]
    chromium = sys.argv[2] if len(sys.argv) > 2 else "/usr/bin/chromium"
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        repository = directory / "repository.git"
        make_repository(str(repository))
        check(chromium, program, repository, directory / "repository.html", "--profiles")
        file = directory / "file.zpack"
        run([program, "convert", "-q", repository, file])
        check(chromium, program, file, directory / "file.html")
        newer = directory / "newer.zpack"
        run([program, "convert", "-q", "--onto", file, repository, newer])
        check(chromium, program, newer, directory / "newer.html")


if __name__ == "__main__":
    main()
