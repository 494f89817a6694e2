#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What 'attest' states is what Git and sha256sum say.

    attest_test.py GIT_ZPACK [unittest options]
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil

from attest_case import AttestCase, Repository, main, run, zpack

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "tools/guides/attest.md"


def guide_lines():
    """The commands of the guide with which owners check a statement."""
    (block,) = re.findall(r"(?ms)^```sh\n(sha256sum .*?)^```", GUIDE.read_text())
    return block


class AttestTest(AttestCase):
    def test_states_what_git_says(self):
        for object_format in ("sha1", "sha256"):
            with self.subTest(object_format):
                repository = Repository(str(self.directory / object_format), object_format)
                self.fill(repository)
                self.convert(repository=repository)
                statement = self.attest()
                self.expect_true(statement, repository)
                predicate = statement["predicate"]
                self.assertEqual(predicate["objects"],
                                 repository.counts() | {"promised": 0, "lost": 0})
                self.assertEqual(predicate["head"]["symref"], "refs/heads/main")
                self.assertEqual(predicate["shallowBoundaries"], 0)
                self.assertEqual(predicate["verification"], {"level": "objects", "source": None})
                out, err = self.check(statement)
                self.assertIn(f", as '{self.statement}' says\n", out)
                self.assertEqual(err, "")

    def test_the_guide_prints_what_was_stated(self):
        self.fill()
        self.convert()
        statement = self.attest()
        done = run("bash", "-eu", "-o", "pipefail", "-c", guide_lines(), cwd=self.directory)
        words = [line.split()[0] for line in done.stdout.decode().splitlines()]
        self.assertEqual(words, [statement["subject"][0]["digest"]["sha256"],
                                 statement["predicate"]["refs"]["sha256"],
                                 statement["predicate"]["contentDigest"]])

    def test_no_refs(self):
        self.convert()
        statement = self.attest("--level", "connectivity")
        self.expect_true(statement)
        self.assertEqual(statement["predicate"]["head"],
                         {"symref": "refs/heads/main", "target": None})
        self.assertEqual(statement["predicate"]["refs"]["sha256"], hashlib.sha256(b"").hexdigest())
        self.check(statement)

    def test_detached_head(self):
        tip = self.fill()
        self.repository.git("update-ref", "--no-deref", "HEAD", tip)
        self.convert()
        statement = self.attest()
        self.expect_true(statement)
        self.assertEqual(statement["predicate"]["head"], {"symref": None, "target": tip})
        self.check(statement)

    def test_refs_of_every_kind(self):
        tip = self.fill()
        git = self.repository
        tree = git.word("rev-parse", f"{tip}^{{tree}}")
        blob = git.word("rev-parse", f"{tip}:file")
        tag = git.word("rev-parse", "v1")
        for name, target in (("refs/odd/tree", tree), ("refs/odd/blob", blob),
                             ("refs/heads/tag", tag)):
            git.write_ref(os.fsencode(name), target.encode() + b"\n")
        git.write_ref(b"refs/remotes/o/HEAD", b"ref: refs/heads/main\n")
        git.write_ref(b"refs/remotes/o/gone", b"ref: refs/heads/gone\n")
        git.write_ref(b"refs/remotes/o/chain", b"ref: refs/remotes/o/HEAD\n")
        git.write_ref(b"refs/heads/a.b", tip.encode() + b"\n")
        git.write_ref(b"refs/heads/a/b", tip.encode() + b"\n")
        git.write_ref(b"refs/heads/a-b", tip.encode() + b"\n")
        self.convert()
        statement = self.attest()
        self.expect_true(statement)
        self.check(statement)

    def test_head_that_leads_to_no_commit(self):
        tip = self.fill()
        self.repository.write_ref(b"refs/heads/main", self.repository.word(
            "rev-parse", f"{tip}^{{tree}}").encode() + b"\n")
        self.convert()
        statement = self.attest()
        self.expect_true(statement)
        self.assertIsNone(statement["predicate"]["swhid"]["revision"])

    def test_names_that_are_not_utf_8(self):
        tip = self.fill()
        self.repository.write_ref(b"refs/heads/\xff\xe4", tip.encode() + b"\n")
        pathlib.Path(self.repository.path, "HEAD").write_bytes(b"ref: refs/heads/\xff\xe4\n")
        self.convert()
        statement = self.attest()
        self.expect_true(statement)
        self.assertEqual(statement["predicate"]["head"]["symref"], '"refs/heads/\\377\\344"')
        self.check(statement)
        name = os.fsencode(self.directory) + b"/\xfe.zpack"
        shutil.copy(self.file, name)
        named = json.loads(zpack("attest", name).stdout.decode("utf-8"))
        self.assertEqual(named["subject"][0]["name"], '"\\376.zpack"')

    def test_shallow_file(self):
        self.fill()
        shallow = str(self.directory / "shallow.git")
        self.repository.git("clone", "-q", "--bare", "--depth=1",
                            f"file://{self.repository.path}", shallow, inside=False)
        clone = Repository(shallow)
        self.convert(repository=clone)
        statement = self.attest("--level", "connectivity")
        self.expect_true(statement, clone)
        self.assertEqual(statement["predicate"]["shallowBoundaries"], 1)
        self.check(statement)

    def test_partial_file(self):
        tip = self.fill()
        self.repository.git("config", "uploadpack.allowFilter", "true")
        self.repository.write_ref(b"refs/odd/blob", self.repository.word(
            "rev-parse", f"{tip}:file").encode() + b"\n")
        partial = str(self.directory / "partial.git")
        self.repository.git("clone", "-q", "--bare", "--filter=blob:none",
                            f"file://{self.repository.path}", partial, inside=False)
        clone = Repository(partial)
        clone.write_ref(b"refs/odd/promised", self.repository.word(
            "rev-parse", f"{tip}~:file").encode() + b"\n")
        self.convert("--allow-promised", repository=clone)
        statement = self.attest()
        missing = statement["predicate"]["objects"]["promised"]
        self.assertGreater(missing, 0)
        # Git would fetch what is missing.
        clone.git("config", "--unset", "remote.origin.promisor")
        shutil.move(self.repository.path, self.repository.path + ".away")
        self.assertEqual(statement["predicate"]["swhid"]["snapshot"], clone.snapshot())
        self.assertIn(b"refs/odd/promised", clone.names())
        self.check(statement)

    def test_lost_objects(self):
        tip = self.fill()
        blob = self.repository.word("rev-parse", f"{tip}:file")
        self.repository.write_ref(b"refs/odd/blob", blob.encode() + b"\n")
        pathlib.Path(self.repository.path, "objects", blob[:2], blob[2:]).unlink()
        done = zpack("convert", "-q", "--keep-going", self.repository.path, self.file)
        self.assertEqual(done.returncode, 1)
        statement = self.attest()
        self.assertEqual(statement["predicate"]["objects"]["lost"], 1)
        self.assertEqual(statement["predicate"]["swhid"]["snapshot"], self.repository.snapshot())
        self.check(statement)

    def test_large_object_and_parity(self):
        large = random.Random(1).randbytes(40 << 20)
        self.repository.git("hash-object", "-w", "--stdin", stdin=large)
        self.fill()
        self.convert()
        self.assertEqual(zpack("protect", "-q", "-f", "-o", self.file + "2", self.file).returncode,
                         0)
        os.replace(self.file + "2", self.file)
        statement = self.attest()
        self.expect_true(statement)
        self.assertEqual(statement["predicate"]["objects"],
                         self.repository.counts() | {"promised": 0, "lost": 0})
        self.check(statement)

    def test_the_same_bytes_again(self):
        self.fill()
        self.convert()
        outputs = {zpack("attest", *options, self.file, variables=variables).stdout
                   for options in ((), ("--threads=1",), ("--threads=7",))
                   for variables in ({}, {"SOURCE_DATE_EPOCH": "1"}, {"TZ": "Asia/Tokyo"})}
        self.assertEqual(len(outputs), 1)

    def test_time(self):
        self.fill()
        self.convert()
        for epoch, text in (("0", "1970-01-01T00:00:00Z"), ("1700000000", "2023-11-14T22:13:20Z"),
                            ("253402300799", "9999-12-31T23:59:59Z")):
            done = zpack("attest", "--timestamp", self.file,
                         variables={"SOURCE_DATE_EPOCH": epoch, "TZ": "Asia/Tokyo"})
            self.assertEqual(json.loads(done.stdout)["predicate"]["verifiedAt"], text)
        for epoch in ("", "x", "-1", "1.5", " 1", "253402300800", "9" * 30):
            done = zpack("attest", "--timestamp", self.file,
                         variables={"SOURCE_DATE_EPOCH": epoch})
            self.assertEqual((done.returncode, done.stdout), (128, b""), epoch)
            self.assertIn(b"SOURCE_DATE_EPOCH is not a number of seconds", done.stderr)
        now = json.loads(zpack("attest", "--timestamp", self.file).stdout)
        self.assertRegex(now["predicate"]["verifiedAt"], r"\A20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        out, _ = self.check(now)
        self.assertIn("predicate.verifiedAt", out)

    def test_says_what_was_compared(self):
        self.fill()
        self.convert()
        for options, source in (((), "compared"), (("--read-source",), "read")):
            statement = self.attest("--against", self.repository.path, *options)
            self.assertEqual(statement["predicate"]["verification"]["source"], source)
            self.assertNotIn(str(self.directory), json.dumps(statement))
            out, _ = self.check(statement)
            self.assertIn("predicate.verification.source", out)
            again = ("--against", self.repository.path)
            out, _ = self.check(statement, *again, *options)
            self.assertNotIn("predicate.verification.source", out)
            out, _ = self.check(statement, *again, *options, "--allow-newer")
            self.assertIn("predicate.verification.source", out)
        out, _ = self.check(statement, *again)
        self.assertIn("predicate.verification.source", out)
        # A repository that differs.
        self.repository.git("update-ref", "-d", "refs/tags/light")
        done = zpack("attest", "--against", self.repository.path, self.file)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"refs/tags/light", done.stderr)

    def damage(self):
        content = bytearray(pathlib.Path(self.file).read_bytes())
        block = json.loads(zpack("show", "--json", self.file).stdout)["blocks"][0]
        content[block["offset"] + block["size"] // 2] ^= 1
        pathlib.Path(self.file).write_bytes(content)

    def test_a_damaged_file_gets_no_statement(self):
        self.fill()
        self.convert()
        statement = self.attest()
        self.damage()
        for level in ("checksums", "objects", "connectivity"):
            done = zpack("attest", "--level", level, self.file)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"error: bad checksum", done.stderr)
        output = self.directory / "out.json"
        self.assertEqual(zpack("attest", "-o", output, self.file).returncode, 1)
        self.assertFalse(output.exists())
        out, err = self.check(statement, code=1)
        self.assertIn("not compared with the statement", out)
        self.assertIn("bad checksum", err)
        json_text, _ = self.check(statement, "--json", code=1)
        self.assertEqual(json.loads(json_text)["attestation"]["compared"], False)
        # Its structure is damaged.
        pathlib.Path(self.file).write_bytes(pathlib.Path(self.file).read_bytes()[:-50])
        self.assertEqual(zpack("attest", self.file).returncode, 1)
        self.check(statement, code=1)

    def test_files_that_are_none(self):
        pathlib.Path(self.file).write_bytes(b"no file of ours")
        for path in (self.file, str(self.directory / "none.zpack")):
            done = zpack("attest", path)
            self.assertEqual((done.returncode, done.stdout), (128, b""))

    def test_standard_input_and_several_files(self):
        self.fill()
        self.convert()
        statement = self.attest()
        with open(self.file, "rb") as file:
            done = zpack("attest", "-", stdin=file)
        named = statement["subject"][0].pop("name")
        self.assertEqual(json.loads(done.stdout), statement)
        with open(self.file, "rb") as file:
            pathlib.Path(self.statement).write_text(json.dumps(statement), encoding="utf-8")
            done = zpack("verify", "--attestation", self.statement, "-", stdin=file)
        self.assertEqual(done.returncode, 0)
        other = str(self.directory / "other.zpack")
        bad = str(self.directory / "bad.zpack")
        shutil.copy(self.file, other)
        pathlib.Path(bad).write_bytes(pathlib.Path(self.file).read_bytes()[:-9])
        done = zpack("attest", self.file, bad, other)
        self.assertEqual(done.returncode, 1)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["subject"][0]["name"] for line in lines], [named, "other.zpack"])
        done = zpack("verify", "--attestation", self.statement, self.file, other)
        self.assertEqual(done.returncode, 129)

    def test_output(self):
        self.fill()
        self.convert()
        output = self.directory / "out.json"
        output.write_text("old")
        self.assertEqual(zpack("attest", "-o", output, self.file).returncode, 0)
        self.assertEqual(json.loads(output.read_text()), self.attest())
        self.check(output.read_bytes())
        for name in (self.file, str(self.directory / "x.zpack"), ""):
            self.assertEqual(zpack("attest", "-o", name, self.file).returncode, 129)


if __name__ == "__main__":
    main()
