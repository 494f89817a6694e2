# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""A repository, its file, and statements about it, for the tests of 'attest'.

The identifiers of Software Heritage are computed here from the repository, by
their specification alone.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TYPES = {"commit": "revision", "tree": "directory", "blob": "content", "tag": "release"}


class Program:
    """The program under test."""

    path = None


def main():
    """Runs the tests of the module that is the program; the first argument is the
    program under test."""
    Program.path = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()


def environment(**more):
    kept = {name: os.environ[name] for name in
            ("LSAN_OPTIONS", "ASAN_OPTIONS", "HOME", "TMPDIR") if name in os.environ}
    return kept | {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                   "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
                   "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
                   "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
                   "GIT_AUTHOR_DATE": "1700000000 +0000",
                   "GIT_COMMITTER_DATE": "1700000000 +0000"} | more


def run(*command, **options):
    variables = options.pop("variables", {})
    return subprocess.run(command, capture_output=True, check=False, timeout=600,
                          env=environment(**variables), **options)


def zpack(*arguments, **options):
    return run(Program.path, *arguments, **options)


class Repository:
    """A bare repository, and what its owner can say of it with Git alone."""

    def __init__(self, path, object_format="sha1"):
        self.path = path
        self.git("init", "-q", "--bare", "-b", "main", f"--object-format={object_format}", path,
                 inside=False)

    def git(self, *arguments, inside=True, stdin=None):
        place = ("-C", self.path) if inside else ()
        done = run("git", *place, *arguments, input=stdin)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def word(self, *arguments, **options):
        return self.git(*arguments, **options).decode().strip()

    def commit(self, text, *parents):
        blob = self.word("hash-object", "-w", "--stdin", stdin=text.encode())
        tree = self.word("mktree", stdin=f"100644 blob {blob}\tfile\n".encode())
        named = [word for parent in parents for word in ("-p", parent)]
        return self.word("commit-tree", *named, "-m", text, tree)

    def write_ref(self, name, text):
        path = os.path.join(os.fsencode(self.path), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)

    def names(self):
        """All refs, also those that lead nowhere, with the text of their files."""
        refs = {}
        for directory, _, files in os.walk(os.path.join(os.fsencode(self.path), b"refs")):
            for name in files:
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    refs[os.path.relpath(path, os.fsencode(self.path))] = file.read().strip()
        packed = pathlib.Path(self.path, "packed-refs")
        if packed.exists():
            for line in packed.read_bytes().splitlines():
                if line[:1] not in b"#^":
                    target, name = line.split(b" ", 1)
                    refs.setdefault(name, target)
        return refs

    def type_of(self, target):
        done = run("git", "-C", self.path, "cat-file", "-t", target)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def snapshot(self):
        branches = self.names() | {b"HEAD": pathlib.Path(self.path, "HEAD").read_bytes().strip()}
        manifest = b""
        for name, text in sorted(branches.items()):
            if text.startswith(b"ref: "):
                kind, target = "alias", text[5:]
            else:
                kind = TYPES.get(self.type_of(text.decode()), "dangling")
                target = b"" if kind == "dangling" else bytes.fromhex(text.decode())
            manifest += b"%s %s\0%d:%s" % (kind.encode(), name, len(target), target)
        content = b"snapshot %d\0" % len(manifest) + manifest
        return "swh:1:snp:" + hashlib.sha1(content).hexdigest()

    def counts(self):
        lines = self.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
        return {f"{kind}s": lines.count(kind.encode()) for kind in TYPES}


class AttestCase(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.repository = Repository(str(self.directory / "project.git"))
        self.file = str(self.directory / "project.zpack")
        self.statement = str(self.directory / "project.intoto.json")

    def fill(self, repository=None):
        repository = repository or self.repository
        first = repository.commit("one")
        tip = repository.commit("two", first)
        tag = repository.word("mktag", stdin=(
            f"object {tip}\ntype commit\ntag v1\ntagger A <a@example.com> 1700000000 +0000\n\n"
            "version 1\n").encode())
        for name, target in (("refs/heads/main", tip), ("refs/tags/v1", tag),
                             ("refs/tags/light", first)):
            repository.git("update-ref", name, target)
        return tip

    def convert(self, *options, repository=None):
        path = (repository or self.repository).path
        done = zpack("convert", "-q", "-f", *options, path, self.file)
        self.assertEqual(done.returncode, 0, done.stderr)

    def attest(self, *options):
        done = zpack("attest", *options, self.file)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout.decode("utf-8"))

    def check(self, statement, *options, code=0):
        """Standard output and standard error of 'verify --attestation'."""
        text = statement if isinstance(statement, bytes) else json.dumps(statement).encode()
        pathlib.Path(self.statement).write_bytes(text)
        done = zpack("verify", "--attestation", self.statement, *options, self.file)
        self.assertEqual(done.returncode, code, (text[:2000], done.stdout, done.stderr))
        return done.stdout.decode(), done.stderr.decode()

    def expect_true(self, statement, repository=None):
        """Everything in the statement is what Git says of the repository."""
        repository = repository or self.repository
        show = json.loads(zpack("show", "--json", self.file).stdout)
        content = pathlib.Path(self.file).read_bytes()
        self.assertEqual(list(statement), ["_type", "subject", "predicateType", "predicate"])
        self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual(statement["subject"], [
            {"name": "project.zpack", "digest": {"sha256": hashlib.sha256(content).hexdigest()}}])
        predicate = statement["predicate"]
        self.assertEqual(predicate["format"], {"version": show["format_version"],
                                               "requiredFeatures": show["required_features"],
                                               "optionalFeatures": show["optional_features"]})
        self.assertEqual(predicate["fileBytes"], len(content))
        self.assertEqual(predicate["fileHash"], show["file_hash"])
        self.assertEqual(predicate["objectFormat"], repository.word(
            "rev-parse", "--show-object-format"))
        listing = repository.git("for-each-ref", "--format=%(objectname) %(refname)")
        self.assertEqual(predicate["refs"], {"count": len(repository.names()),
                                             "sha256": hashlib.sha256(listing).hexdigest()})
        self.assertEqual(predicate["refs"]["sha256"], hashlib.sha256(
            run("git", "-C", repository.path, "show-ref").stdout).hexdigest())
        head = run("git", "-C", repository.path, "rev-parse", "-q", "--verify", "HEAD")
        target = head.stdout.decode().strip() or None
        self.assertEqual(predicate["head"]["target"], target)
        if predicate["objectFormat"] == "sha256":
            self.assertIsNone(predicate["swhid"])
            return
        self.assertEqual(predicate["swhid"]["snapshot"], repository.snapshot())
        self.assertEqual(predicate["swhid"]["revision"],
                         f"swh:1:rev:{target}" if target and
                         repository.type_of(target) == "commit" else None)
