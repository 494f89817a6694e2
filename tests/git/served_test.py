#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The Git on PATH clones, fetches, deepens, fetches what a filter left out and asks for
the sizes of objects: from a .zpack file by the remote helper, over SSH and over HTTP,
and from the repository, which the Git serves itself. The answers are the same. ZPACK_GIT
makes ctest run these tests with another Git.

    served_test.py GIT_ZPACK [unittest options]
"""

import contextlib
import http.server
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import unittest

import known_git
from known_git import git, zpack

# How an address is reached does not change what is sent: not each with each.
PROTOCOLS = {"helper": ("0", "1", "2"), "ssh": ("2",), "http": ("0", "2")}
# What a client does in a repository without objects.
FETCHES = {
    "branches": [["fetch", "origin", "+refs/heads/*:refs/heads/*"]],
    "tags": [["fetch", "--tags", "origin"]],
    "deeper": [["fetch", "--depth=1", "origin", "main:main"],
               ["fetch", "--deepen=1", "origin", "main:main"],
               ["fetch", "--depth=3", "origin", "+refs/heads/*:refs/heads/*"],
               ["fetch", "--unshallow", "origin"]],
    "since": [["fetch", "--shallow-since=@1700000450", "origin", "+refs/heads/*:refs/heads/*"]],
    "exclude": [["fetch", "--shallow-exclude=v3", "origin", "main:main"]],
    "negotiation": [["fetch", "origin", "side:side"],
                    ["-c", "fetch.negotiationAlgorithm=skipping", "fetch", "origin", "main:main"]],
    "by id": [["fetch", "origin", "{v3}:refs/heads/x"]],
    "no tags": [["fetch", "--no-tags", "origin", "+refs/heads/*:refs/remotes/o/*"]],
    "atomic": [["fetch", "--atomic", "--prune", "origin", "+refs/*:refs/*"]],
    "refetch": [["fetch", "origin", "main:main"], ["fetch", "--refetch", "origin", "+main:main"]],
    "server option": [["-c", "protocol.version=2", "fetch", "--server-option=a=b", "origin", "main:main"]],
}
FILTERS = ("blob:none", "tree:0", "combine:tree:3+blob:limit=60")


class Cgi(http.server.BaseHTTPRequestHandler):
    """Runs a program for each request, as git-http-backend(1) describes it. Subclasses
    set the members."""

    program = ()
    variables: dict = {}

    def do_GET(self):  # pylint: disable=invalid-name
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        variables = {"REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query,
                     "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(length),
                     "REMOTE_ADDR": "127.0.0.1"}
        for name in ("Content-Encoding", "Git-Protocol", "Accept-Encoding"):
            if name in self.headers:
                variables["HTTP_" + name.upper().replace("-", "_")] = self.headers[name]
        done = subprocess.run(self.program, input=body, capture_output=True, check=False, timeout=600,
                              env=known_git.environment(**self.variables, **variables))
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode().splitlines()]
        self.send_response(int(next((value for name, value in lines if name == "Status"), "200").split()[0]))
        for name, value in lines:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET

    def log_message(self, *_arguments):
        pass


@contextlib.contextmanager
def web_server(program, **variables):
    """Its address."""
    handler = type("Handler", (Cgi,), {"program": program, "variables": variables})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class ServedTest(known_git.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.root = self.directory / "root"
        self.root.mkdir()
        self.origin = self.root / "origin.git"
        git("init", "-q", "--bare", "--initial-branch=main", self.origin)
        self.grow(1, 6)
        for setting in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant",
                        "transfer.advertiseObjectInfo"):
            git("-C", self.origin, "config", setting, "true")
        self.served = self.directory / "served"
        self.served.mkdir()
        self.file = self.served / "origin.zpack"
        self.convert()
        self.client_variables = {}
        self.addresses = {}
        servers = contextlib.ExitStack()
        self.addCleanup(servers.close)
        ours = servers.enter_context(web_server((known_git.PROGRAM, "http-backend"),
                                                GIT_PROJECT_ROOT=str(self.served)))
        theirs = servers.enter_context(web_server(("git", "http-backend"), GIT_HTTP_EXPORT_ALL="1",
                                                  GIT_PROJECT_ROOT=str(self.root)))
        # Pairs of addresses: of the file, and of the repository.
        self.addresses = {
            "helper": (f"zpack::{self.file}", f"file://{self.origin}"),
            "ssh": (f"ours:{self.file}", f"theirs:{self.origin}"),
            "http": (f"{ours}/origin.git", f"{theirs}/origin.git")}
        self.make_ssh()

    def make_ssh(self):
        """A command that does here what a host with git-zpack as the login shell and a
        host with Git would do."""
        program = self.directory / "ssh"
        program.write_text("#!/bin/sh\n"
                           "while test \"$1\" != ours && test \"$1\" != theirs; do shift; done\n"
                           "if test \"$1\" = theirs; then eval \"exec $2\"; fi\n"
                           f"SSH_ORIGINAL_COMMAND=$2 exec git-zpack shell --root {shlex.quote(str(self.served))}\n")
        program.chmod(0o755)
        self.client_variables = {"GIT_SSH_COMMAND": shlex.quote(str(program)), "GIT_SSH_VARIANT": "ssh"}
        ours, theirs = self.addresses["ssh"]
        self.addresses["ssh"] = ours.replace(str(self.file), "origin.git"), theirs

    def grow(self, first, last):
        """Commits on two branches with merges, tags of every kind, and large and small
        blobs."""
        text = ""
        for number in range(first, last + 1):
            for branch in ("main", "side"):
                mark = f"refs/heads/{branch}"
                text += f"commit {mark}\ncommitter C <c@example.com> {1700000000 + 100 * number} +0100\n"
                text += f"data <<END\n{branch} {number}\nEND\n"
                if 1 < number == first:
                    text += f"from {mark}^0\n"
                if number % 3 == 0 and branch == "main":
                    text += "merge refs/heads/side\n"
                text += f"M 100644 inline dir/{branch}{number % 2}\ndata <<END\n{number}\nEND\n"
                text += "M 100644 inline large\ndata <<END\n" + f"{number} {branch}\n" * 50 + "END\n"
            text += f"tag v{number}\nfrom refs/heads/main\ntagger C <c@example.com> 1700000000 +0100\n"
            text += "data <<END\ntag\nEND\n"
        git("-C", self.origin, "fast-import", "--quiet", "--force", stdin=text)
        git("-C", self.origin, "update-ref", "refs/tags/tree", "refs/heads/side^{tree}")
        git("-C", self.origin, "update-ref", "refs/tags/blob", "refs/heads/main:large")

    def convert(self):
        zpack("convert", "-q", "--force", self.origin, self.file)

    def client(self, *arguments, check=True, **options):
        return known_git.run("git", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
                             "-c", "transfer.fsckObjects=true", *arguments, check=check,
                             **self.client_variables, **options)

    def client_of(self, address):
        path = self.fresh("client")
        git("init", "-q", "--bare", "--initial-branch=none", path)
        git("-C", path, "config", "remote.origin.url", address)
        return path

    def state(self, path):
        shallow = path / "shallow"
        return (self.refs(path), self.objects(path),
                sorted(shallow.read_text().splitlines()) if shallow.exists() else [])

    def for_each_transport(self, check, versions=("0", "1", "2")):
        """Calls check(version, addresses)."""
        for name, addresses in self.addresses.items():
            for version in PROTOCOLS[name]:
                if version in versions:
                    with self.subTest(transport=name, version=version):
                        check(version, addresses)

    def expect_same(self, version, addresses, *sequence):
        """Both clients do the same, print the same, and have the same afterwards."""
        results = []
        for address in addresses:
            path = self.client_of(address)
            printed = []
            for words in sequence:
                done = self.client("-C", path, "-c", f"protocol.version={version}", *words, check=False)
                text = re.sub(r"(?m)^(remote: |From ).*\n", "", done.stdout + done.stderr)
                printed.append((done.returncode, text))
            results.append((printed, self.state(path)))
        self.assertEqual(results[0], results[1])
        for code, text in results[0][0]:
            self.assertEqual(code, 0, text)

    def test_clones(self):
        def check(version, addresses):
            states = []
            for address in addresses:
                path = self.fresh("clone")
                self.client("-c", f"protocol.version={version}", "clone", "-q", "--mirror", address, path)
                states.append(self.state(path))
            self.assertEqual(states[0], states[1])

        self.for_each_transport(check)

    def test_fetches(self):
        commit = git("-C", self.origin, "rev-parse", "v3^0").strip()

        def check(version, addresses):
            for name, sequence in FETCHES.items():
                with self.subTest(fetch=name):
                    self.expect_same(version, addresses, *[
                        [word.replace("{v3}", commit) for word in words] for words in sequence])

        self.for_each_transport(check)

    def test_fetches_what_is_new(self):
        clients = {}

        def clone(version, addresses):
            clients[addresses, version] = [self.client_of(address) for address in addresses]
            for path in clients[addresses, version]:
                self.client("-C", path, "fetch", "-q", "origin", "+refs/*:refs/*")

        def check(version, addresses):
            states = []
            for path in clients[addresses, version]:
                self.client("-C", path, "-c", f"protocol.version={version}", "fetch", "-q", "--prune",
                            "origin", "+refs/*:refs/*")
                states.append(self.state(path))
            self.assertEqual(states[0], states[1])

        self.for_each_transport(clone)
        self.grow(7, 8)
        git("-C", self.origin, "update-ref", "-d", "refs/tags/v2")
        self.convert()
        self.for_each_transport(check)

    def test_lists_refs(self):
        def check(version, addresses):
            for options, patterns in (([], []), (["--symref"], []), (["--tags", "--refs"], []),
                                      (["--sort=-v:refname"], ["main", "v*"]), (["--heads", "--exit-code"], [])):
                ours, theirs = (self.client("-c", f"protocol.version={version}", "ls-remote", *options, address,
                                            *patterns).stdout for address in addresses)
                self.assertEqual(ours, theirs)

        self.for_each_transport(check)

    def test_fetches_what_a_filter_left_out(self):
        shown = ("log", "-p", "--branches", "--remotes", "--format=%T")
        expected = git("-C", self.origin, *shown)

        def check(version, addresses):
            for kind in FILTERS:
                with self.subTest(filter=kind):
                    clone = self.fresh("partial")
                    self.client("-c", f"protocol.version={version}", "clone", "-q", "--no-checkout",
                                f"--filter={kind}", addresses[0], clone)
                    missing = git("-C", clone, "rev-list", "--all", "--objects", "--missing=print",
                                  GIT_NO_LAZY_FETCH="1")
                    self.assertIn("\n?", missing)
                    self.client("-C", clone, "-c", f"protocol.version={version}", "checkout", "-q", "main")
                    self.assertEqual(self.client("-C", clone, "status", "--porcelain").stdout, "")
                    self.assertEqual(self.client("-C", clone, *shown).stdout, expected)

        self.for_each_transport(check, ("0", "2"))

    def test_batches_fetch_objects(self):
        names = git("-C", self.origin, "rev-list", "--all", "--objects", "--no-object-names").split()
        commands = "".join(f"info {name}\n" for name in names) + f"contents {names[-1]}\n"
        expected = git("-C", self.origin, "cat-file", "--batch-command", stdin=commands)

        def check(_, addresses):
            clone = self.fresh("partial")
            self.client("clone", "-q", "--bare", "--filter=blob:none", addresses[0], clone)
            self.assertEqual(self.client("-C", clone, "cat-file", "--batch-command", stdin=commands).stdout,
                             expected)

        self.for_each_transport(check, ("2",))

    def test_backfill(self):
        if known_git.version() < (2, 49):
            self.skipTest("git backfill came with 2.49")

        def check(_, addresses):
            clone = self.fresh("partial")
            self.client("clone", "-q", "--bare", "--filter=blob:none", addresses[0], clone)
            self.client("-C", clone, "backfill", "--min-batch-size=3")
            self.assertNotIn("?", git("-C", clone, "rev-list", "HEAD", "--objects", "--missing=print",
                                      GIT_NO_LAZY_FETCH="1"))

        self.for_each_transport(check, ("2",))

    def batch(self, address, version, form, commands, **variables):
        """What 'cat-file --batch-command' says in a client. Skips the test if the Git cannot
        ask for objects of a remote, which came after 2.55."""
        done = self.client("-C", self.client_of(address), "-c", f"protocol.version={version}", "cat-file",
                           f"--batch-command{form}", stdin=commands, check=False, **variables)
        if "unknown command" in done.stderr:
            self.skipTest("this Git does not ask for objects of a remote")
        # What Git prints next depends on which of its processes ends first.
        return done.returncode, done.stdout, done.stderr.partition("\n")[0]

    def test_sizes_of_remote_objects(self):
        names = git("-C", self.origin, "rev-list", "--all", "--objects", "--no-object-names").split()
        names += [git("-C", self.origin, "rev-parse", "v1").strip(), "0" * 39 + "1", names[0]]
        asked = {"all": "remote-object-info origin " + " ".join(names) + "\n",
                 "unknown": f"remote-object-info origin {'1' * 40}\n",
                 "twice": f"remote-object-info origin {names[0]}\nremote-object-info origin {names[1]}\n"
                          f"info {names[0]}\n"}

        def check(version, addresses):
            for name, commands in asked.items():
                for form in ("", "=%(objectname) %(objectsize)", "=%(objectname)", "=%(objecttype)"):
                    ours, theirs = (self.batch(address, version, form, commands) for address in addresses)
                    self.assertEqual(ours, theirs, (name, form))
                    self.assertEqual(ours[0] == 0, version == "2", ours)

        self.for_each_transport(check)

    def test_sizes_of_remote_objects_are_a_setting(self):
        git("-C", self.origin, "config", "--unset", "transfer.advertiseObjectInfo")
        settings = self.directory / "settings"
        settings.write_text("[transfer]\n\tadvertiseObjectInfo = false\n")
        ours, theirs = (self.batch(address, "2", "", f"remote-object-info origin {'1' * 40}\n",
                                   GIT_CONFIG_GLOBAL=str(settings)) for address in self.addresses["ssh"])
        self.assertEqual(ours, theirs)
        self.assertIn("object-info capability is not enabled", ours[2])


def main():
    known_git.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
