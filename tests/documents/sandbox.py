# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A directory in which the commands of the pages do what the pages say.

It has the repositories and files that the pages name. The places outside of it
are replaced: /srv and /backup are directories in it, the web servers are one on
this machine, and 'ssh' runs the command here.
"""

import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

SSH = """#!/bin/bash
# ssh [-o OPTION]... [USER@]HOST COMMAND
while [[ $1 == -* ]]; do
  case $1 in -G) exit ;; -o) shift 2 ;; *) shift ;; esac
done
host=$1
shift
case $host in
  git@*) SSH_ORIGINAL_COMMAND=$* exec git-zpack shell --root "$SANDBOX/srv/zpack" ;;
  *) exec sh -c "$*" ;;
esac
"""
FLEET = """#!/bin/bash
exec python3 -m git_zpack_fleet "$@"
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Files of srv/zpack with ranges, and Git's requests by http-backend."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if "/info/refs" in self.path:
            self.run_backend(b"")
        else:
            self.send_file()

    do_HEAD = do_GET

    def do_POST(self):
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        self.run_backend(body)

    def send_file(self):
        root = self.server.sandbox.path / "srv/zpack"
        path = root / self.path.lstrip("/")
        content = path.read_bytes() if path.is_file() else None
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if content is None:
            self.send_response(404)
            body = b""
        elif asked:
            first = int(asked[1])
            last = min(int(asked[2] or len(content)), len(content) - 1)
            body = content[first:last + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        else:
            body = content
            self.send_response(200)
        if content is not None:
            self.send_header("ETag", f'"{path.stat().st_mtime_ns}"')
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def run_backend(self, body):
        path, _, query = self.path.partition("?")
        variables = self.server.sandbox.environment() | {
            "GIT_PROJECT_ROOT": str(self.server.sandbox.path / "srv/zpack"),
            "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        done = subprocess.run(["git-zpack", "http-backend"], input=body, env=variables,
                              capture_output=True, check=False)
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Sandbox:
    """Made once, and given to each block of commands as new."""

    def __init__(self, directory, program, source, python_path):
        self.template = directory / "template"
        self.path = directory / "sandbox"
        self.program = program
        self.source = source
        self.python_path = python_path
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.sandbox = self
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.make_template()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        kept = {name: os.environ[name] for name in
                ("LSAN_OPTIONS", "ASAN_OPTIONS", "TMPDIR") if name in os.environ}
        return kept | {
            "PATH": f"{self.path}/bin:{self.program.parent}:{os.environ['PATH']}",
            "HOME": str(self.path / "home"), "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
            "SANDBOX": str(self.path),
            "PYTHONPATH": ":".join([*self.python_path, str(self.source / "tools/fleet")]),
            "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "127.0.0.1"}

    def shell(self, script):
        """Runs a script until its first error."""
        return subprocess.run(["bash", "-eux", "-o", "pipefail", "-c", script],
                              cwd=self.path, env=self.environment(), text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)

    def renew(self):
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(self.template, self.path, symlinks=True)

    def here(self, text):
        """The text with the places of this sandbox."""
        text = re.sub(r"https://(example\.com|host)/",
                      f"http://127.0.0.1:{self.server.server_port}/", text)
        return re.sub(r"(?<![\w.])/(srv|backup)\b", rf"{self.path}/\1", text)

    def make_template(self):
        self.path.mkdir()
        for name in ("bin", "home", "backup", "srv/zpack", "srv/git"):
            (self.path / name).mkdir(parents=True)
        for name, text in (("ssh", SSH), ("git-zpack-fleet", FLEET)):
            (self.path / "bin" / name).write_text(text)
            (self.path / "bin" / name).chmod(0o755)
        (self.path / "bin/python3").symlink_to(sys.executable)
        done = self.shell(r"""
          git init -q -b main work
          cd work
          for number in 1 2 3; do
            mkdir -p data
            printf 'year,lines\n2020,%s\n' $number > data/table.csv
            echo "line $number" >> README.md
            git add .
            git commit -q -m "commit $number"
          done
          git tag -a -m 'version 1.0' v1.0
          cd ..
          git zpack convert -q work old.zpack
          cd work
          echo more >> README.md
          git commit -q -a -m 'commit 4'
          echo changed >> README.md
          git stash -q
          cd ..
          cp -r work/.git project.git
          git -C project.git config core.bare true
          rm project.git/index
          git zpack convert -q project.git project.zpack
          cp old.zpack monday.zpack
          git zpack convert -q --base monday.zpack project.git tuesday.zpack
          cp project.zpack damaged.zpack
          printf XXXXXXXX | dd of=damaged.zpack conv=notrunc status=none
          cp project.zpack backup
          cp project.zpack srv/zpack
          mkdir -p srv/git/group
          cp -r project.git srv/git/group/one.git
          git clone -q --bare project.git srv/git/group/two.git
        """)
        assert done.returncode == 0, done.stdout
        shutil.copytree(self.path, self.template, symlinks=True)
