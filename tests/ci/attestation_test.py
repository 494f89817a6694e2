#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""'verify --attestation' finds every field that is wrong, and no statement,
however hostile, does harm.

    attestation_test.py GIT_ZPACK [unittest options]
"""

import json
import os
import pathlib
import random

from attest_case import AttestCase, main, zpack


def includes(stated, actual):
    """Whether a document says all that another says."""
    if isinstance(stated, dict) and isinstance(actual, dict):
        return all(name in stated and includes(stated[name], value)
                   for name, value in actual.items())
    return stated == actual


class AttestationTest(AttestCase):
    def test_another_file(self):
        self.fill()
        self.convert()
        statement = self.attest()
        self.repository.git("update-ref", "refs/heads/main", self.repository.commit("three"))
        self.convert()
        out, err = self.check(statement, code=1)
        for field in ("subject.digest.sha256", "predicate.objects.commits",
                      "predicate.refs.sha256", "predicate.head.target",
                      "predicate.swhid.snapshot", "predicate.fileHash",
                      "predicate.contentDigest"):
            self.assertRegex(err, rf"(?m)^error: {field} is .*, not .* as the statement says$")
        self.assertIn(f", not as '{self.statement}' says", out)
        text, err = self.check(statement, "--json", code=1)
        result = json.loads(text)
        self.assertEqual(err, "")
        self.assertEqual(result["attestation"]["path"], self.statement)
        self.assertTrue(result["attestation"]["compared"])
        self.assertEqual(result["attestation"]["difference_count"], result["difference_count"])
        self.assertIn("subject.digest.sha256", [row["subject"] for row in result["differences"]])
        for form in ("junit", "sarif", "github"):
            text, _ = self.check(statement, "--format", form, code=1)
            self.assertIn("subject.digest.sha256", text)

    def fields(self, value, place=()):
        """The places of all values in a document that are no objects or arrays."""
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in items:
            if isinstance(member, (dict, list)) and member:
                yield from self.fields(member, (*place, key))
            else:
                yield (*place, key)

    @staticmethod
    def changed(value):
        if isinstance(value, bool) or value is None:
            return "changed"
        if isinstance(value, int):
            return value + 1
        if isinstance(value, list):
            return value + ["changed"]
        return value[:-1] + ("0" if value[-1] != "0" else "1")

    def test_each_field(self):
        """Each field changed, removed, null, and of another type."""
        self.fill()
        self.convert()
        text = json.dumps(self.attest("--timestamp", "--against", self.repository.path))
        unchecked = {"name", "verifier", "verifiedAt"}
        count = 0
        for place in self.fields(json.loads(text)):
            dotted = ".".join(str(word) for word in place)
            free = bool(unchecked & set(place))
            kind = "_type" in place or "predicateType" in place
            verification = "verification" in place

            def edited(change, place=place):
                document = json.loads(text)
                parent = document
                for word in place[:-1]:
                    parent = parent[word]
                change(parent, place[-1])
                return document

            def change(parent, key):
                parent[key] = self.changed(parent[key])

            def remove(parent, key):
                del parent[key]

            def null(parent, key):
                parent[key] = None

            def retype(parent, key):
                parent[key] = {"x": 1}

            with self.subTest(dotted):
                refused = kind or verification
                self.check(edited(change), code=0 if free else 128 if refused else 1)
                if place[-1] not in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
                    self.check(edited(remove), code=0 if free else 128)
                self.check(edited(retype), code=0 if free else
                           1 if isinstance(place[-1], int) else 128)
                if place[-2:] != ("verification", "source"):
                    self.check(edited(null), code=0 if free else 128 if refused else 1)
                count += 1
        self.assertGreater(count, 25)

    def test_higher_level(self):
        self.fill()
        self.convert()
        statement = self.attest("--level", "connectivity")
        out, _ = self.check(statement)
        self.assertIn("connectivity ok", out)
        for level in ("structure", "checksums", "objects"):
            _, err = self.check(statement, "--level", level, code=129)
            self.assertIn("below the level of the statement, which is 'connectivity'", err)
        low = self.attest("--level", "checksums")
        out, _ = self.check(low)
        self.assertIn("objects verified", out)
        out, _ = self.check(low, "--level", "checksums")
        self.assertIn("checksums only", out)
        # Nobody can raise the level of a statement without a verification that high.
        statement = self.attest("--level", "checksums")
        statement["predicate"]["verification"]["level"] = "connectivity"
        out, _ = self.check(statement)
        self.assertIn("connectivity ok", out)

    def test_a_renamed_file(self):
        self.fill()
        self.convert()
        statement = self.attest()
        out, _ = self.check(statement)
        self.assertNotIn("subject.name", out)
        os.replace(self.file, self.file + "-new")
        self.file += "-new"
        out, _ = self.check(statement)
        self.assertIn("not checked of the statement: subject.name, predicate.verifier\n", out)

    def test_unknown_fields(self):
        self.fill()
        self.convert()
        statement = self.attest()
        statement["extra"] = 1
        statement["subject"][0]["digest"]["sha512"] = "00"
        statement["predicate"]["refs"]["names"] = ["x"]
        statement["predicate"]["verification"]["more"] = "x"
        statement["predicate"]["\x1b[2J"] = 1
        out, _ = self.check(statement, "--json")
        self.assertEqual(sorted(json.loads(out)["attestation"]["not_checked"]), sorted([
            "extra", "subject.digest.sha512", "predicate.refs.names",
            "predicate.verification.more", "predicate.verifier", '"predicate.\\033[2J"']))

    def test_wrong_usage(self):
        self.fill()
        self.convert()
        text = json.dumps(self.attest())
        pathlib.Path(self.statement).write_text(text, encoding="utf-8")
        for words in (("attest", "--level", "structure"), ("attest", "--level", "all"),
                      ("attest", "--read-source"), ("attest", "--against", ""),
                      ("verify", "--attestation", ""),
                      ("verify", "--sample", "5%", "--attestation", self.statement)):
            self.assertEqual(zpack(*words, self.file).returncode, 129, words)

    def expect_refused(self, text, reason):
        _, err = self.check(text, code=128)
        self.assertRegex(err, reason)
        self.assertEqual(err.count("\n"), 1, err)
        out, _ = self.check(text, "--json", code=128)
        self.assertIn("error", json.loads(out))

    def test_hostile_statements(self):
        self.fill()
        self.convert()
        good = self.attest()
        text = json.dumps(good)
        for document, reason in (
                (b"", "not JSON"), (b"\0", "not JSON"), (b"[]", "not a JSON object"),
                (b"null", "not a JSON object"), (b"{}", "its _type is not"),
                (text.encode() + b"x", "not JSON"), (text.encode()[:-1], "not JSON"),
                (b"[" * 1000000, "nested more than 16 deep"),
                (b'{"a":' * 200000, "nested more than 16 deep"),
                (b" " * (1 << 20) + text.encode(), "more than 1048576 bytes"),
                (text.replace("project.zpack", "\udcff").encode(errors="surrogateescape"),
                 "not JSON"),
                (text.replace('"fileBytes": ', '"fileBytes": 1e999, "x": ').encode(), "not JSON"),
                (text.replace('"fileBytes"', '"fileBytes": 1, "fileBytes"').encode(),
                 "'fileBytes' twice"),
                (json.dumps(good | {"subject": []}).encode(), "not about one subject"),
                (json.dumps(good | {"subject": good["subject"] * 2}).encode(),
                 "not about one subject"),
                (json.dumps(good | {"subject": [1]}).encode(), "it has no subject.digest"),
                (json.dumps(good | {"subject": {}}).encode(), "not about one subject"),
                (json.dumps(good | {"predicate": None}).encode(), "it has no predicate"),
                (json.dumps(good | {"predicate": []}).encode(), "its predicate is not of the type"),
                (json.dumps(good | {"predicateType": "https://slsa.dev/provenance/v1"}).encode(),
                 "its predicateType is not"),
                (json.dumps({"payloadType": "application/vnd.in-toto+json", "payload": "",
                             "signatures": []}).encode(), "envelope")):
            with self.subTest(document=document[:60], reason=reason):
                self.expect_refused(document, reason)
        pathlib.Path(self.statement).unlink()
        done = zpack("verify", "--attestation", self.statement, self.file)
        self.assertEqual(done.returncode, 128)
        self.assertIn(b"does not exist", done.stderr)
        done = zpack("verify", "--attestation", self.directory, self.file)
        self.assertEqual(done.returncode, 128)
        self.assertIn(b"unable to read", done.stderr)

    def test_many_names(self):
        self.fill()
        self.convert()
        good = self.attest()
        many = good | {f"x{number}": 1 for number in range(60000)}
        out, _ = self.check(many, "--json")
        self.assertEqual(len(json.loads(out)["attestation"]["not_checked"]), 20)

    def test_edited_statements(self):
        """Bytes changed, left out and added: an answer, and never a wrong yes."""
        self.fill()
        self.convert()
        text = json.dumps(self.attest()).encode()
        checked = json.loads(text)["predicate"]
        del checked["verifier"]
        chance = random.Random(7)
        for _ in range(150):
            edited = bytearray(text)
            for _ in range(chance.randrange(1, 4)):
                place = chance.randrange(len(edited))
                kind = chance.randrange(3)
                if kind == 0:
                    edited[place] = chance.choice(b'"{}[],:0 \\n\xff\x00e')
                elif kind == 1:
                    del edited[place:place + chance.randrange(1, 20)]
                else:
                    edited[place:place] = edited[:chance.randrange(30)]
            pathlib.Path(self.statement).write_bytes(edited)
            done = zpack("verify", "--level", "objects", "--attestation", self.statement,
                         self.file)
            self.assertIn(done.returncode, (0, 1, 128), (edited, done.stderr))
            if done.returncode == 0:
                self.assertTrue(includes(json.loads(edited)["predicate"], checked), edited)


if __name__ == "__main__":
    main()
