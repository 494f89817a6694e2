#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Runs what tools/action and tools/examples offer to CI systems, as far as that
is possible without their hosts: the steps of the action for GitHub, the job for
GitLab and the pre-receive hook, each on a good and on a damaged file. Checks the
formats of 'verify' against their specifications.

    ci_test.py GIT_ZPACK [unittest options]
"""

import contextlib
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ACTION = SOURCE / "tools/action"
PROGRAM = None


def environment(**more):
    """An environment without the settings of whoever runs the tests."""
    kept = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}
    for name in ("LSAN_OPTIONS", "ASAN_OPTIONS", "HOME", "TMPDIR", "ZPACK_MUTANT", "ZPACK_MUTANT_LOG"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return kept | more


def run(*command, cwd, check=True, stdin=None, **variables):
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=stdin,
                          capture_output=True, text=True, errors="surrogateescape",
                          env=environment(**variables))
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class CiTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.repository = self.directory / "project.git"
        self.make_repository(self.repository, 5)
        self.good = self.directory / "good.zpack"
        run(PROGRAM, "convert", "-q", self.repository, self.good, cwd=self.directory)
        self.bad = self.directory / "bad, 100%:\n.zpack"
        self.bad.write_bytes(self.damaged(self.good))

    def make_repository(self, path, commits):
        work = self.directory / (path.name + ".work")
        run("git", "init", "-q", work, cwd=self.directory)
        for number in range(commits):
            (work / "file").write_text(f"line {number}\n" * (number + 1))
            run("git", "add", ".", cwd=work)
            run("git", "commit", "-q", "-m", f"commit {number}", cwd=work)
        run("git", "clone", "-q", "--bare", work, path, cwd=self.directory)

    def damaged(self, file):
        """The bytes of the file with one bit flipped in a block of blobs."""
        shown = json.loads(run(PROGRAM, "show", "--json", file, cwd=self.directory).stdout)
        block = next(row for row in shown["blocks"] if row["type"] == "blob")
        self.damage_offset = block["offset"]
        content = bytearray(file.read_bytes())
        content[block["offset"] + block["size"] // 2] ^= 1
        return bytes(content)

    def verify(self, *options, check=False, **variables):
        return run(PROGRAM, "verify", "--no-progress", *options, cwd=self.directory,
                   check=check, **variables)


class FormatsTest(CiTest):
    def junit(self, *options, code):
        done = self.verify("--format=junit", *options)
        self.assertEqual(done.returncode, code)
        root = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertEqual(root.tag, "testsuites")
        (suite,) = root
        self.assertEqual(suite.tag, "testsuite")
        cases = suite.findall("testcase")
        self.assertEqual(int(suite.get("tests")), len(cases))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertEqual(int(suite.get("errors")), len(suite.findall("testcase/error")))
        for case in cases:
            self.assertEqual(case.get("classname"), "git-zpack.verify")
            float(case.get("time"))
        return cases

    def test_junit_of_a_good_file(self):
        cases = self.junit("--against", self.repository, self.good, code=0)
        self.assertEqual([len(case) for case in cases], [0, 0])
        self.assertIn("level objects", cases[0].get("name"))
        self.assertIn("project.git", cases[1].get("name"))

    def test_junit_of_a_damaged_file(self):
        (case,) = self.junit(self.bad, code=1)
        failure = case.find("failure")
        self.assertEqual(failure.get("type"), "damage")
        self.assertRegex(failure.get("message"), "^[0-9]+ findings?$")
        self.assertIn("damage: ", failure.text)

    def test_junit_of_differences_and_names_that_xml_escapes(self):
        run("git", "update-ref", "refs/heads/<a>&\"b\"", "HEAD", cwd=self.repository)
        cases = self.junit("--against", self.repository, self.good, code=1)
        self.assertIsNone(cases[0].find("failure"))
        self.assertIn("<a>&", cases[1].find("failure").text)

    def test_junit_of_a_missing_file(self):
        (case,) = self.junit("none&.zpack", code=128)
        self.assertIn("none&.zpack", case.find("error").get("message"))

    def test_junit_with_few_findings(self):
        (case,) = self.junit("--max-errors=1", self.bad, code=1)
        self.assertIn("not listed", case.find("failure").text)

    def sarif(self, *options, code):
        """What section 3 of SARIF 2.1.0 requires of what is used."""
        done = self.verify("--format=sarif", *options)
        self.assertEqual(done.returncode, code)
        log = json.loads(done.stdout)
        self.assertEqual(log["version"], "2.1.0")
        self.assertTrue(log["$schema"].startswith("https://"))
        (sarif_run,) = log["runs"]
        driver = sarif_run["tool"]["driver"]
        self.assertEqual(driver["name"], "git-zpack verify")
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for rule in driver["rules"]:
            self.assertIsInstance(rule["shortDescription"]["text"], str)
        (invocation,) = sarif_run["invocations"]
        self.assertIs(invocation["executionSuccessful"], code != 128)
        self.assertEqual(invocation["exitCode"], code)
        for note in invocation["toolExecutionNotifications"]:
            self.assertIn(note["level"], ("none", "note", "warning", "error"))
            self.assertIsInstance(note["message"]["text"], str)
        for result in sarif_run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertEqual(result["level"], "error")
            self.assertIsInstance(result["message"]["text"], str)
            for location in result["locations"]:
                physical = location["physicalLocation"]
                uri = physical["artifactLocation"]["uri"]
                self.assertRegex(uri, r"\A(file:///)?[A-Za-z0-9._~/%-]+\Z")
                if "region" in physical:
                    self.assertGreaterEqual(physical["region"]["byteOffset"], 0)
                    self.assertEqual(physical["region"]["startLine"], 1)
        return sarif_run

    def test_sarif(self):
        self.assertEqual(self.sarif(self.good, code=0)["results"], [])
        results = self.sarif(self.bad, code=1)["results"]
        offsets = {result["locations"][0]["physicalLocation"].get("region", {})
                   .get("byteOffset") for result in results}
        self.assertIn(self.damage_offset, offsets)
        run("git", "update-ref", "refs/heads/new", "HEAD", cwd=self.repository)
        (result,) = self.sarif("--against", self.repository, self.good, code=1)["results"]
        self.assertEqual(result["ruleId"], "missing")
        self.assertEqual(self.sarif("none.zpack", code=128)["results"], [])

    def test_github_escapes_and_paths(self):
        done = self.verify("--format=github", self.bad,
                           GITHUB_WORKSPACE=str(self.directory))
        self.assertEqual(done.returncode, 1)
        for line in done.stdout.splitlines():
            self.assertRegex(line, r"^::(error|notice) file=[^,:]+,title=[^,:]+::[^\n]+$")
            # The name has a line feed, so it stands in quotes.
            self.assertIn('file="bad%2C 100%25%3A\\n.zpack",', line)
        missing = self.verify("--format=github", "./none.zpack")
        self.assertEqual(missing.returncode, 128)
        self.assertRegex(missing.stdout, "^::error file=none.zpack,title=")


class ActionTest(CiTest):
    """The composite action, with GitHub's part of the work done here."""

    def steps(self, **inputs):
        action = yaml.safe_load((ACTION / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        for name in ("name", "description"):
            self.assertIsInstance(action[name], str)
        values = {}
        for name, row in action["inputs"].items():
            self.assertIn("description", row)
            self.assertTrue(row.get("required") or "default" in row, name)
            values[name] = inputs.pop(name.replace("-", "_"), row.get("default"))
        self.assertEqual(inputs, {})
        self.assertIsNotNone(values["file"])
        for step in action["runs"]["steps"]:
            if "uses" in step:
                # The cache of GitHub.
                self.assertRegex(step["uses"], r"\Aactions/cache@v\d+\Z")
                self.assertEqual(step["with"],
                                 {"path": "${{ steps.build.outputs.prefix }}",
                                  "key": "git-zpack-${{ steps.build.outputs.key }}"})
                continue
            self.assertEqual(step["shell"], "bash")
            # Inputs in a script would become code.
            self.assertNotIn("${{", step["run"])
            variables = {
                name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}",
                             lambda match: values[match[1]], text)
                for name, text in step["env"].items()}
            yield step["run"], variables
        self.assertIn("steps.verify.outputs.exit-code",
                      action["outputs"]["exit-code"]["value"])

    def act(self, **inputs):
        """Runs the steps until one fails. Returns its result, and the files that
        steps write for GitHub."""
        files = {name: self.directory / name for name in
                 ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH")}
        for file in files.values():
            file.write_text("")
        done = None
        for script, variables in self.steps(**inputs):
            # As runners start 'shell: bash'.
            done = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script,
                       cwd=self.directory, check=False,
                       GITHUB_ACTION_PATH=str(ACTION), GITHUB_WORKSPACE=str(self.directory),
                       **variables, **{name: str(path) for name, path in files.items()})
            if done.returncode != 0:
                break
        # The first step writes what the second one needs.
        outputs = files["GITHUB_OUTPUT"].read_text().splitlines(keepends=True)
        self.assertRegex("".join(outputs[:2]), r"\Aprefix=/.*\nkey=[\w.-]+\n\Z")
        return done, files["GITHUB_STEP_SUMMARY"].read_text(), "".join(outputs[2:])

    def test_good(self):
        done, summary, output = self.act(file="good.zpack", against=str(self.repository))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^::notice file=good\.zpack,title=git-zpack verify::"
                         r"good\.zpack: ok, .* connectivity ok, compared with ")
        self.assertIn("### git-zpack verify: intact\n\n    good.zpack: ok", summary)
        self.assertEqual(output, "exit-code=0\n")

    def test_damaged(self):
        (self.directory / "bad.zpack").write_bytes(self.bad.read_bytes())
        done, summary, output = self.act(file="bad.zpack")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^::error file=bad\.zpack,title=git-zpack verify::"
                         r"bad\.zpack: bad, ")
        self.assertTrue(any(
            re.match(rf"::error file=bad\.zpack,title=damage::.*offset {self.damage_offset}\b",
                     line) for line in lines), done.stdout)
        self.assertIn("### git-zpack verify: damaged or different\n", summary)
        self.assertIn("    bad.zpack: bad, ", summary)
        self.assertNotIn("::error", summary)
        self.assertEqual(output, "exit-code=1\n")

    def test_names_are_neither_code_nor_markdown(self):
        done, summary, _ = self.act(file=str(self.bad))
        self.assertEqual(done.returncode, 1)
        self.assertIn('    "', summary)
        self.assertIn("100%:\\n.zpack", summary)
        evil = "$(touch pwned)`touch pwned`; touch pwned"
        done, summary, output = self.act(file=evil)
        self.assertEqual(done.returncode, 128)
        self.assertFalse((self.directory / "pwned").exists())
        self.assertIn("### git-zpack verify: not checked\n", summary)
        self.assertEqual(output, "exit-code=128\n")

    def test_options(self):
        shown = json.loads(self.verify("--json", self.good, check=True).stdout)
        done, _, _ = self.act(file="good.zpack", expect_hash=shown["file_hash"])
        self.assertEqual(done.returncode, 0)
        done, _, _ = self.act(file="good.zpack", expect_hash="0" * 64)
        self.assertEqual(done.returncode, 1)
        run("git", "update-ref", "refs/heads/new", "HEAD", cwd=self.repository)
        done, _, _ = self.act(file="good.zpack", against="project.git")
        self.assertEqual(done.returncode, 1)
        self.assertIn("title=missing::", done.stdout)
        done, _, _ = self.act(file="good.zpack", against="project.git", allow_newer="true")
        self.assertEqual(done.returncode, 0)

    def test_ten_annotations_at_most(self):
        done, _, _ = self.act(file=str(self.bad), max_errors="2")
        self.assertEqual(done.stdout.count("::error "), 3)


class InstallTest(unittest.TestCase):
    """tools/action/install where git-zpack is not on the PATH."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.prefix = self.directory / "prefix"
        self.tools = self.directory / "tools"
        self.tools.mkdir()
        self.path = f"{self.tools}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        if shutil.which("git-zpack", path=self.path):
            self.skipTest("git-zpack is installed")

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/bash\n" + text)
        path.chmod(0o755)

    def install(self, *options, check=True, **variables):
        return run(ACTION / "install", *options, cwd=self.directory, check=check,
                   PATH=self.path, ZPACK_PREFIX=str(self.prefix),
                   GITHUB_PATH=str(self.directory / "path"), **variables)

    def asset(self, name="git-zpack-1.0-linux-none.tar.gz"):
        """An archive of a program that prints its version, and its hash."""
        self.program(self.directory / "stem/bin/git-zpack", "echo version 1\n")
        archive = self.directory / name
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(self.directory / "stem", "stem")
        return archive, hashlib.sha256(archive.read_bytes()).hexdigest()

    def test_asset(self):
        archive, digest = self.asset()
        with served(self.directory) as address:
            done = self.install(ZPACK_URL=f"{address}/{archive.name}?download=1",
                                ZPACK_SHA256=digest)
        self.assertEqual(done.stdout, "version 1\n")
        self.assertEqual((self.directory / "path").read_text(), f"{self.prefix}/bin\n")

    def test_debian_package(self):
        # apt-get's part is done here. It reads the file as another user.
        self.program(self.tools / "sudo", 'exec "$@"\n')
        self.program(self.tools / "apt-get",
                     'if [[ $2 != install ]]; then exit; fi\n'
                     '[[ $4 == /*/git-zpack_1.deb && $(stat -c %A "$4") == *r-? ]] || exit 1\n'
                     f'cp "$4" {self.tools}/git-zpack\nchmod +x {self.tools}/git-zpack\n')
        package = self.directory / "git-zpack_1.deb"
        self.program(package, "echo version 1\n")
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
        with served(self.directory) as address:
            done = self.install(ZPACK_URL=f"{address}/{package.name}", ZPACK_SHA256=digest)
        self.assertEqual(done.stdout, "version 1\n")
        (self.tools / "git-zpack").unlink()
        self.assertEqual(self.install(ZPACK_PACKAGE=package.name).stdout, "version 1\n")

    def assert_refused(self, reason, **variables):
        done = self.install(check=False, **variables)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(reason, done.stderr)
        self.assertFalse(self.prefix.exists())

    def test_other_assets_are_refused(self):
        archive, digest = self.asset()
        other, other_digest = self.asset("git-zpack.zip")
        with served(self.directory) as address:
            url = f"{address}/{archive.name}"
            self.assert_refused("SHA-256 is given", ZPACK_URL=url)
            self.assert_refused("SHA-256 is given", ZPACK_URL=url, ZPACK_SHA256="main")
            self.assert_refused("is not the one", ZPACK_URL=url, ZPACK_SHA256="0" * 64)
            self.assert_refused("neither a Debian package", ZPACK_URL=f"{address}/{other.name}",
                                ZPACK_SHA256=other_digest)
            self.assert_refused("cannot download", ZPACK_URL=f"{address}/none.deb",
                                ZPACK_SHA256=digest)

    def test_a_build_is_used_again(self):
        # The compiler's part is done here: the program is one of the system.
        self.program(self.tools / "cmake",
                     'echo "$*" >> calls\nif [[ $1 == --install ]]; then\n'
                     '  mkdir -p "$4/bin"\n  cp "$(type -P true)" "$4/bin/git-zpack"\nfi\n')
        for name in ("apt-get", "sudo"):
            self.program(self.tools / name, "exit 1\n")
        self.install()
        calls = (self.directory / "calls").read_text()
        self.assertEqual(len(calls.splitlines()), 3)
        self.assertIn("libc6", (self.prefix / "packages").read_text().split())
        done = self.install()
        self.assertIn("Found a build of these sources", done.stdout)
        self.assertEqual((self.directory / "calls").read_text(), calls)
        (self.prefix / "key").write_text("another\n")
        self.install()
        self.assertEqual(len((self.directory / "calls").read_text().splitlines()), 6)

    def test_key(self):
        done = self.install("--key")
        self.assertEqual(done.stdout, self.install("--key").stdout)
        self.assertRegex(done.stdout, rf"\Aprefix={self.prefix}\nkey=[\w.]+-[\w.]*-\w+-"
                         r"[0-9a-f]{64}\n\Z")


@contextlib.contextmanager
def served(directory):
    """The address of a web server on this machine with the files of a directory."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    handler = functools.partial(Quiet, directory=directory)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class GitlabTest(CiTest):
    def act(self, **variables):
        template = yaml.safe_load((ACTION / "gitlab.yml").read_text())
        (job,) = template.values()
        self.assertEqual(job["artifacts"]["reports"]["junit"], "git-zpack.xml")
        self.assertEqual(job["artifacts"]["when"], "always")
        script = "\n".join(job["before_script"] + job["script"])
        values = {name: str(value) for name, value in job["variables"].items()}
        values |= {"ZPACK_SOURCE": str(SOURCE)} | variables
        done = run("bash", "-eo", "pipefail", "-c", script, cwd=self.directory, check=False,
                   **values)
        report = self.directory / job["artifacts"]["reports"]["junit"]
        return done, xml.etree.ElementTree.fromstring(report.read_text())

    def test_good(self):
        done, report = self.act(ZPACK_FILE="good.zpack", ZPACK_AGAINST="project.git")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(report.findall(".//testcase")), 2)
        self.assertEqual(report.findall(".//failure"), [])

    def test_damaged(self):
        done, report = self.act(ZPACK_FILE=str(self.bad))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(report.findall(".//failure")), 1)


class PreReceiveTest(CiTest):
    def setUp(self):
        super().setUp()
        self.server = self.directory / "server.git"
        run("git", "init", "-q", "--bare", self.server, cwd=self.directory)
        shutil.copy(SOURCE / "tools/examples/pre-receive", self.server / "hooks/pre-receive")
        self.work = self.directory / "work"
        run("git", "clone", "-q", self.server, self.work, cwd=self.directory)

    def git(self, *arguments, stdin=None):
        return run("git", *arguments, cwd=self.work, stdin=stdin).stdout.strip()

    def blob(self, path):
        return self.git("hash-object", "-w", path)

    def tree(self, **entries):
        """A tree of names with spaces for '_', and 'MODE TYPE ID' or the id of a file."""
        lines = "".join(
            f"{entry if ' ' in entry else '100644 blob ' + entry}\t{name}\0"
            for name, entry in entries.items())
        return self.git("mktree", "-z", "--missing", stdin=lines)

    def commit(self, tree, *parents):
        options = [word for parent in parents for word in ("-p", parent)]
        return self.git("commit-tree", "-m", "m", *options, tree)

    def push(self, *refspecs):
        return run("git", "push", "-q", "origin", *refspecs, cwd=self.work, check=False)

    def assert_refused(self, name, *refspecs):
        before = run("git", "for-each-ref", cwd=self.server).stdout
        done = self.push(*refspecs)
        self.assertNotEqual(done.returncode, 0, name)
        self.assertIn("refused: ", done.stderr, name)
        self.assertEqual(run("git", "for-each-ref", cwd=self.server).stdout, before, name)

    def assert_accepted(self, name, *refspecs):
        done = self.push(*refspecs)
        self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_damaged_file_is_refused_whatever_its_name_and_way(self):
        bad, good = self.blob(self.bad), self.blob(self.good)
        self.assert_accepted("as another file",
                             f"{self.commit(self.tree(**{'old.bin': bad}))}:refs/heads/old")
        old = self.git("rev-parse", "origin/old")
        with_good = self.commit(self.tree(**{"a.zpack": good}), old)
        names = ("new\nline.zpack", " .zpack", "tab\t.zpack", 'quo"te.zpack', "back\\.zpack",
                 "\udce9.zpack", "$(id).zpack", "-.zpack")
        all_good = self.commit(self.tree(**{name: good for name in names}))
        self.assert_accepted("good", f"{all_good}:refs/heads/good")
        for name in names:
            self.assert_refused(name, f"{self.commit(self.tree(**{name: bad}))}:refs/heads/x")
        second = self.tree(**{"a.bin": bad, "b.zpack": bad})
        nested = self.tree(**{"a.bin": bad, "deep": f"040000 tree {second}"})
        renamed = self.commit(self.tree(**{"old.zpack": bad}), old)
        merged = self.commit(self.tree(**{"m.zpack": bad}), old, with_good)
        removed = self.commit(self.tree(**{"old.bin": bad}), renamed)
        ways = {"second name": self.commit(second), "second name below": self.commit(nested),
                "renamed": renamed, "in a merge": merged, "removed again": removed,
                "tree": nested, "file": bad,
                "octopus": self.commit(self.tree(**{"m.zpack": bad}), old, with_good, removed)}
        for name, tip in ways.items():
            self.assert_refused(name, f"{with_good}:refs/heads/more", f"{tip}:refs/tags/light")
        for name in ("renamed", "tree", "file"):
            self.git("tag", "-a", "-f", "-m", "m", "one", ways[name])
            self.git("tag", "-a", "-f", "-m", "m", "two", "one")
            self.assert_refused(f"tag of {name}", "refs/tags/two")
        self.git("replace", bad, good)
        self.assert_accepted("replacement", f"refs/replace/{bad}")
        self.assert_refused("replaced", f"{ways['second name']}:refs/heads/replaced")

    def test_what_is_no_damaged_file_is_accepted(self):
        bad, good = self.blob(self.bad), self.blob(self.good)
        base = self.commit(self.tree(**{"a.zpack": good, "b.zpack": good, "c.bin": bad}))
        link = self.git("hash-object", "-w", "--stdin", stdin="target")
        module = self.commit(self.tree(**{"x": good}))
        self.assert_accepted("link and submodule", "{}:refs/heads/odd".format(self.commit(
            self.tree(**{"l.zpack": f"120000 blob {link}", "m.zpack": f"160000 commit {module}"}))))
        self.assert_accepted("base", f"{base}:refs/heads/main")
        gone = self.commit(self.tree(**{"c.bin": bad}), base)
        self.assert_accepted("removed", f"{gone}:refs/heads/main")
        self.assert_accepted("merge", f"{self.commit(self.tree(**{'a.zpack': good}), gone, base)}"
                             ":refs/heads/main")
        self.assert_accepted("tree, file and tag", f"{base}^{{tree}}:refs/tags/tree",
                             f"{good}:refs/tags/file", f"{link}:refs/tags/text")
        self.assert_accepted("nothing new", f"{base}:refs/heads/again")
        self.assert_accepted("removed refs", ":main", ":refs/tags/file")

    def test_hook(self):
        server, work = self.server, self.work

        def push(name, content):
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_bytes(content)
            run("git", "add", ".", cwd=work)
            run("git", "commit", "-q", "-m", name, cwd=work)
            return run("git", "push", "-q", "origin", "HEAD:main", cwd=work, check=False)

        self.assertEqual(push("a.zpack", self.good.read_bytes()).returncode, 0)
        self.assertEqual(push("note.txt", b"no .zpack file").returncode, 0)
        refused = push("sub/b c.zpack", self.bad.read_bytes())
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("refused: sub/b\\ c.zpack in refs/heads/main", refused.stderr)
        self.assertIn("error: ", refused.stderr)
        self.assertEqual(run("git", "rev-parse", "main", cwd=server).stdout,
                         run("git", "rev-parse", "HEAD~", cwd=work).stdout)
        # Nor when a later commit removes the file.
        (work / "sub/b c.zpack").unlink()
        run("git", "commit", "-q", "-a", "-m", "remove", cwd=work)
        self.assertNotEqual(run("git", "push", "-q", "origin", "HEAD:main", cwd=work,
                                check=False).returncode, 0)
        run("git", "push", "-q", "origin", "HEAD~2:refs/heads/x", cwd=work)
        run("git", "push", "-q", "origin", ":x", cwd=work)


class MagicTest(CiTest):
    def test_file_knows_zpack_files(self):
        magic = SOURCE / "tools/magic/zpack"
        self.assertIsNotNone(shutil.which("file"))
        done = run("file", "-m", magic, "-b", self.good, cwd=self.directory)
        shown = json.loads(run(PROGRAM, "show", "--json", self.good, cwd=self.directory).stdout)
        self.assertEqual(done.stdout, "git-zpack archive, version 1.0, "
                         f"{shown['objects']} objects, SHA-1\n")
        mime = run("file", "-m", magic, "-b", "--mime-type", self.good, cwd=self.directory)
        self.assertEqual(mime.stdout, "application/x-git-zpack\n")
        run("git", "repack", "-adq", cwd=self.repository)
        pack = next((self.repository / "objects/pack").glob("*.pack"))
        self.assertNotIn("zpack", run("file", "-m", magic, "-b", pack,
                                      cwd=self.directory).stdout)
        sha256 = self.directory / "sha256.git"
        run("git", "init", "-q", "--bare", "--object-format=sha256", sha256,
            cwd=self.directory)
        file = self.directory / "sha256.zpack"
        run(PROGRAM, "convert", "-q", sha256, file, cwd=self.directory)
        self.assertIn("0 objects, SHA-256",
                      run("file", "-m", magic, "-b", file, cwd=self.directory).stdout)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
