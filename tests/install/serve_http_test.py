#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""tools/packaging/serve-http, which the image 'http' of tools/Dockerfile runs,
serves files to Git as a user who is not root.

    serve_http_test.py GIT_ZPACK [unittest options]
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = None


class ServeHttpTest(unittest.TestCase):
    def setUp(self):
        self.path = f"{PROGRAM.parent}:{os.environ['PATH']}:/usr/sbin"
        for name in ("nginx", "fcgiwrap"):
            if not shutil.which(name, path=self.path):
                self.skipTest(f"no {name}")
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.directory.chmod(0o755)
        self.run_git("init", "-q", "work")
        self.run_git("-C", "work", "commit", "-q", "--allow-empty", "-m", "first")
        # Not in a directory that only root may read.
        shutil.copy(SOURCE / "tools/packaging/serve-http", self.directory)
        shutil.copy(SOURCE / "tools/examples/nginx.conf", self.directory)
        self.temporary = self.directory / "temporary"
        self.temporary.mkdir(mode=0o777)
        self.temporary.chmod(0o777)
        (self.directory / "files").mkdir()
        subprocess.run([PROGRAM, "convert", "-q", "work", "files/project.zpack"],
                       cwd=self.directory, check=True)

    def run_git(self, *arguments):
        environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null",
                       "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.com"}
        return subprocess.run(["git", *arguments], cwd=self.directory, check=True,
                              env=environment, capture_output=True, text=True).stdout

    def start(self):
        """Starts the server on a port that was free. Returns its process and port."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        as_user = []
        if os.geteuid() == 0:
            as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        # The build may be where only root can read.
        programs = self.directory / "programs"
        programs.mkdir()
        shutil.copy(PROGRAM, programs / "git-zpack")
        (programs / "git-zpack-http-backend").symlink_to("git-zpack")
        # Later than nginx, unless that is started when this is ready.
        wrapper = shutil.which("fcgiwrap", path=self.path)
        (programs / "fcgiwrap").write_text(f'#!/bin/sh\nsleep 0.3\nexec {wrapper} "$@"\n')
        (programs / "fcgiwrap").chmod(0o755)
        log = open(self.directory / "log", "w", encoding="utf-8")
        self.addCleanup(log.close)
        server = subprocess.Popen(
            [*as_user, self.directory / "serve-http", self.directory / "nginx.conf",
             self.directory / "files", str(port)],
            stdout=log, stderr=log,
            env=os.environ | {"PATH": f"{programs}:{self.path}", "TMPDIR": str(self.temporary),
                              "GIT_CONFIG_GLOBAL": "/dev/null", "FCGI_CHILDREN": "2"})
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, port

    def wait_for(self, server, port):
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                self.assertIsNone(server.poll(), (self.directory / "log").read_text())
                time.sleep(0.02)

    def left_behind(self):
        """The command lines of processes that name the directory."""
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = file.read_bytes()
            except OSError:
                continue
            if str(self.temporary).encode() in text:
                found.append(text)
        return found

    def test_clone_and_stop(self):
        server, port = self.start()
        self.wait_for(server, port)
        try:
            self.run_git("clone", "-q", f"http://127.0.0.1:{port}/project.git", "clone")
        except subprocess.CalledProcessError as error:
            self.fail(error.stderr + (self.directory / "log").read_text())
        self.assertEqual(self.run_git("-C", "clone", "rev-parse", "HEAD"),
                         self.run_git("-C", "work", "rev-parse", "HEAD"))
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(), 0)
        self.assertEqual(list(self.temporary.iterdir()), [])
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        # The processes have been told to end, which takes them a moment.
        for _ in range(100):
            if not self.left_behind():
                break
            time.sleep(0.1)
        self.assertEqual(self.left_behind(), [])

    def test_usage(self):
        done = subprocess.run([SOURCE / "tools/packaging/serve-http"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 129)
        self.assertIn("usage: ", done.stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
