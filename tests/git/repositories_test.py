#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Repositories that the Git on PATH makes, by every option of 'git init' and 'git clone'
and with every extension that it knows, are converted, verified, restored, served and
repacked, or refused with a sentence that says why. The tables are compared with what
the Git says of itself: a Git that has a new option makes a test fail until the option
has a row. ZPACK_GIT makes ctest run these tests with another Git.

    repositories_test.py GIT_ZPACK [unittest options]
"""

import dataclasses
import pathlib
import re
import sys
import unittest

import known_git
from known_git import git, zpack

NOT_SERVED = "partial clone"


@dataclasses.dataclass
class Way:
    """One use of an option. In arguments and settings, {dir} is the directory of the
    test."""

    arguments: tuple = ()
    since: tuple = (2, 39)  # the version of Git that has it
    settings: tuple = ()  # set afterwards
    convert: tuple = ()  # options; without them, 'promised' is said
    refused: str = ""  # by convert


def way(*arguments, **more):
    return Way(arguments, **more)


# Names that are odd, and names that a file of a reftable or a .zpack file could take for
# something else.
BRANCHES = ("a/b/c", "refs/heads/x", "HEAD", "@", "ä\u200dö", "x" * 200,
            "$(id)", "tags/v1", "%2f", "a'b\"c")

INIT = {
    "bare": [way("--bare")],
    "initial-branch": [way(f"--initial-branch={name}") for name in BRANCHES],
    "object-format": [way("--object-format=sha1"), way("--object-format=sha256"),
                      way("--object-format=sha256", "--bare")],
    "quiet": [way("--quiet")],
    "ref-format": [way("--ref-format=files", since=(2, 45)),
                   way("--ref-format=reftable", since=(2, 45)),
                   way("--ref-format=reftable", "--object-format=sha256", "--bare", since=(2, 45))],
    "separate-git-dir": [way("--separate-git-dir={dir}/place of it"),
                         way("--separate-git-dir={dir}/place.git", "--shared")],
    "shared": [way("--shared"), way("--shared=umask"), way("--shared=group", "--bare"),
               way("--shared=all"), way("--shared=0660", "--bare"), way("--shared=0640")],
    "template": [way("--template="), way("--template={dir}/template"),
                 way("--template={dir}/template", "--bare", "--shared=all")],
}

# Clones of 'origin', which has a submodule, branches and tags.
PROMISED = {"convert": ("--allow-promised",)}
CLONE = {
    "also-filter-submodules": [way("--filter=blob:none", "--recurse-submodules",
                                   "--also-filter-submodules", **PROMISED)],
    "bare": [way("--bare")],
    "branch": [way("--branch=side"), way("--branch=v1"), way("-b", "side", "--bare")],
    "bundle-uri": [way("--bundle-uri={dir}/bundle"), way("--bundle-uri={dir}/bundle", "--bare")],
    "checkout": [way("--no-checkout")],
    "config": [way("-c", "core.compression=9", "-c", "remote.origin.fetch=+refs/notes/*:refs/notes/*"),
               way("-c", "core.logAllRefUpdates=always", "--mirror"),
               way("-c", "core.sharedRepository=group", "-c", "extensions.worktreeConfig=true")],
    "depth": [way("--depth=1"), way("--depth=2", "--bare"), way("--depth=2", "--no-single-branch")],
    "dissociate": [way("--reference={dir}/origin", "--dissociate")],
    "filter": [way("--filter=blob:none", **PROMISED), way("--filter=tree:0", "--bare", **PROMISED),
               way("--filter=blob:limit=50", **PROMISED),
               way("--filter=blob:none", "--depth=1", "--no-checkout", **PROMISED),
               way("--filter=object:type=commit", "--no-checkout", **PROMISED),
               way("--filter=combine:blob:none+tree:1", "--no-checkout", **PROMISED)],
    "hardlinks": [way("--no-hardlinks")],
    "ipv4": [way("--ipv4")],
    "ipv6": [way("--ipv6")],
    "jobs": [way("--jobs=2", "--recurse-submodules")],
    "local": [way("--local"), way("--no-local")],
    "mirror": [way("--mirror")],
    "naked": [way("--naked")],
    "origin": [way("--origin=up/stream")],
    "progress": [way("--progress")],
    "quiet": [way("--quiet")],
    "recurse-submodules": [way("--recurse-submodules"), way("--recurse-submodules=sub")],
    "recursive": [way("--recursive")],
    "ref-format": [way("--ref-format=reftable", since=(2, 45)),
                   way("--ref-format=reftable", "--mirror", since=(2, 45)),
                   way("--ref-format=reftable", "--depth=1", since=(2, 45)),
                   way("--ref-format=reftable", "--filter=blob:none", since=(2, 45), **PROMISED),
                   way("--ref-format=files", "--bare", since=(2, 45))],
    "reference": [way("--reference={dir}/origin"), way("--reference={dir}/origin", "--bare")],
    "reference-if-able": [way("--reference-if-able={dir}/origin"), way("--reference-if-able={dir}/gone")],
    "reject-shallow": [way("--reject-shallow")],
    "remote-submodules": [way("--recurse-submodules", "--remote-submodules")],
    "revision": [way("--revision=refs/heads/side", since=(2, 49)),
                 way("--revision=refs/tags/v1", "--bare", since=(2, 49)),
                 way("--revision=refs/heads/main", "--depth=1", since=(2, 49))],
    "separate-git-dir": [way("--separate-git-dir={dir}/elsewhere")],
    "server-option": [way("-c", "protocol.version=2", "--server-option=x")],
    "shallow-exclude": [way("--shallow-exclude=v1"), way("--shallow-exclude=v1", "--bare")],
    "shallow-since": [way("--shallow-since=@1700000150")],
    "shallow-submodules": [way("--recurse-submodules", "--shallow-submodules")],
    "shared": [way("--shared"), way("--shared", "--bare")],
    "single-branch": [way("--single-branch"), way("--single-branch", "--branch=side", "--bare")],
    "sparse": [way("--sparse"), way("--sparse", "--filter=blob:none", **PROMISED)],
    "tags": [way("--no-tags")],
    "template": [way("--template={dir}/template"), way("--template=", "--bare")],
    "upload-pack": [way("--upload-pack=git-upload-pack")],
    "verbose": [way("--verbose")],
}

# Values of extensions.*: how 'git init' or 'git config' makes such a repository.
V1 = "core.repositoryFormatVersion=1"
COMPATIBLE = "compatobjectformat"
EXTENSIONS = {
    COMPATIBLE: [Way(settings=(V1, "extensions.objectFormat=sha1", "extensions.compatObjectFormat=sha256"),
                     refused="unsupported repository extension .*compatobjectformat")],
    "noop": [Way(settings=("extensions.noop=x",)), Way(settings=(V1, "extensions.noop=x"))],
    "noop-v1": [Way(settings=(V1, "extensions.noop-v1=x")),
                Way(settings=("extensions.noop-v1=x",), refused="v1-only extension")],
    "objectformat": [way("--object-format=sha256"), Way(settings=(V1, "extensions.objectFormat=sha1"))],
    "partialclone": [Way(settings=(V1, "extensions.partialClone=origin"))],
    "preciousobjects": [Way(settings=("extensions.preciousObjects=true",)),
                        Way(settings=(V1, "extensions.preciousObjects=true"))],
    "refstorage": [way("--ref-format=reftable", since=(2, 45)),
                   Way(settings=(V1, "extensions.refStorage=files"), since=(2, 45)),
                   Way(settings=(V1, "extensions.refStorage=files://{made}/.git"), since=(2, 54)),
                   Way(settings=(V1, "extensions.refStorage=files://."), since=(2, 54)),
                   way("--ref-format=reftable", since=(2, 54),
                       settings=("extensions.refStorage=reftable://.",)),
                   Way(settings=(V1, "extensions.refStorage=files://{dir}/refs"), since=(2, 54),
                       refused="in another directory"),
                   Way(settings=(V1, "extensions.refStorage=reftable://{dir}/refs"), since=(2, 54),
                       refused="in another directory")],
    "relativeworktrees": [Way(settings=(V1, "extensions.relativeWorktrees=true"), since=(2, 48))],
    "submodulepathconfig": [Way(settings=(V1, "extensions.submodulePathConfig=true"), since=(2, 54))],
    "worktreeconfig": [Way(settings=("extensions.worktreeConfig=true",)),
                       Way(settings=(V1, "extensions.worktreeConfig=true"))],
}


def history(branch):
    """For 'git fast-import': commits, a merge, a note, tags of several kinds, a symbolic
    link and a program."""
    text, mark = "", 0

    def data(content):
        return f"data {len(content.encode())}\n{content}\n"

    def commit(ref, content, *parents):
        nonlocal text, mark
        mark += 1
        text += f"commit {ref}\nmark :{mark}\ncommitter C <c@example.com> {1700000000 + 100 * mark} +0100\n"
        text += data(f"commit {mark}")
        for word, parent in zip(("from", "merge"), parents):
            text += f"{word} :{parent}\n"
        for mode, path in (("100644", "dir/file"), ("100755", f"run{mark}"), ("120000", "link")):
            text += f"M {mode} inline {path}\n" + data(f"{content} of {path}\n" * 10)
        return mark

    ref = f"refs/heads/{branch}"
    first = commit(ref, "first")
    second = commit(ref, "second", first)
    side = commit("refs/heads/side", "side", first)
    merged = commit(ref, "merged", second, side)
    text += f"tag v1\nfrom :{first}\ntagger C <c@example.com> 1700000000 +0100\n" + data("tagged")
    text += f"reset refs/tags/light\nfrom :{merged}\n\n"
    commit("refs/notes/commits", "note")
    return text


class MadeTest(known_git.RepositoryTest):
    """What the classes below share."""

    def setUp(self):
        super().setUp()
        self.version = known_git.version()

    def make_template(self):
        template = self.directory / "template"
        for name in ("hooks", "info", "empty", "odd/deep", "branches"):
            (template / name).mkdir(parents=True)
        (template / "hooks/post-update").write_text("#!/bin/sh\nexit 0\n")
        (template / "hooks/post-update").chmod(0o755)
        (template / "info/exclude").write_text("*.o\n")
        (template / "description").write_text("of the template\n")
        (template / "odd/deep/a\nb\\c\"").write_text("odd\n")
        (template / "odd/link").symlink_to("/nonexistent")
        (template / "config").write_text("[custom]\n\tsetting = of the template\n")

    def fill(self, path):
        """Commits in a new repository, and a stash if it has a work tree."""
        head = git("-C", path, "symbolic-ref", "HEAD").strip()
        git("-C", path, "fast-import", "--quiet", "--force", stdin=history(head.removeprefix("refs/heads/")))
        if git("-C", path, "rev-parse", "--is-bare-repository") == "false\n":
            git("-C", path, "reset", "-q", "--hard")
            (path / "dir/file").write_text("changed\n")
            git("-C", path, "stash", "-q")

    def words(self, texts, made):
        return [text.replace("{dir}", str(self.directory)).replace("{made}", str(made)) for text in texts]

    def configure(self, made, settings):
        """As a user who edits the file: Git may not read the result."""
        for setting in self.words(settings, made):
            name, _, value = setting.partition("=")
            directory = git("-C", made, "rev-parse", "--git-dir", check=False).strip() or ".git"
            git("config", "--file", made / directory / "config", name, value)

    def take_through(self, made, one):
        """A repository that was made comes back, or is refused as the row says."""
        if one.refused:
            self.expect_refused(made, one.refused)
            return
        if one.convert:
            self.expect_refused(made, "--allow-promised")
        file, _ = self.expect_round_trip(made, *one.convert)
        if one.convert:
            done = zpack("upload-pack", "--advertise-refs", file, check=False)
            self.assertEqual(done.returncode, 128)
            self.assertRegex(done.stderr, NOT_SERVED)
            return
        self.expect_served(made, file)

    def expect_rows(self, table, names):
        """Each option of the Git has a row, and each row without a newer version an option."""
        self.assertEqual(set(names) - set(table), set(), "a new option needs a row")
        old = {name for name, ways in table.items() if ways[0].since <= (2, 39)}
        self.assertEqual(old - set(names), set(), "the Git has lost an option")

    def ways(self, table):
        for name, ways in table.items():
            for one in ways:
                if one.since <= self.version:
                    yield name, one


class InitTest(MadeTest):
    def test_every_option_has_a_row(self):
        self.expect_rows(INIT, known_git.options_of("init"))

    def test_every_option(self):
        self.make_template()
        for name, one in self.ways(INIT):
            with self.subTest(option=name, arguments=one.arguments):
                made = self.fresh()
                git("init", *self.words(one.arguments, made), made)
                empty, _ = self.expect_round_trip(made)
                zpack("show", empty)
                self.fill(made)
                self.take_through(made, one)
                self.expect_repacked(made)


class ExtensionsTest(MadeTest):
    def test_every_extension_has_a_row(self):
        source = known_git.source_of_git()
        if source:
            names = set(re.findall(r'!strcmp\(ext, "([a-z0-9-]+)"\)', (source / "setup.c").read_text()))
            self.assertIn("objectformat", names)
        else:
            # Newer versions list none of them.
            names = known_git.settings_of("extensions")
        self.assertEqual(names - set(EXTENSIONS), set(), "a new extension needs a row")

    def test_every_extension(self):
        for name, one in self.ways(EXTENSIONS):
            with self.subTest(extension=name, arguments=one.arguments, settings=one.settings):
                made = self.fresh()
                git("init", "-q", *one.arguments, made)
                self.fill(made)
                self.configure(made, one.settings)
                self.take_through(made, one)


    def test_refs_elsewhere_are_refused_but_not_a_mirror(self):
        if self.version < (2, 54):
            self.skipTest("refs elsewhere came with 2.54")
        for storage in ("files", "reftable"):
            with self.subTest(storage=storage):
                refs, made, mirror = self.fresh("refs"), self.fresh(), self.fresh("mirror")
                refs.mkdir()
                git("init", "-q", made, GIT_REFERENCE_BACKEND=f"{storage}://{refs}")
                self.fill(made)
                self.assertTrue(any(refs.iterdir()))
                sentence = f"in another directory, '{refs}'.*git clone --mirror"
                self.expect_refused(made, sentence)
                for command in ("repack", "report"):
                    self.assertRegex(zpack(command, made, check=False).stderr, sentence)
                git("clone", "-q", "--mirror", made, mirror)
                self.assertEqual(self.refs(mirror), self.refs(made))
                self.expect_round_trip(mirror)


class CloneTest(MadeTest):
    def setUp(self):
        super().setUp()
        self.origin = self.directory / "origin"
        inner = self.directory / "inner"
        for path in (inner, self.origin):
            git("init", "-q", "--initial-branch=main", path)
            self.fill(path)
        git("-C", self.origin, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "sub")
        git("-C", self.origin, "commit", "-q", "-m", "submodule", GIT_COMMITTER_DATE="1700001000 +0000")
        for setting in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            for path in (inner, self.origin):
                git("-C", path, "config", setting, "true")
        git("-C", self.origin, "bundle", "create", "-q", self.directory / "bundle", "--all")
        self.make_template()

    def test_every_option_has_a_row(self):
        self.expect_rows(CLONE, known_git.options_of("clone"))

    def test_every_option(self):
        for name, one in self.ways(CLONE):
            with self.subTest(option=name, arguments=one.arguments):
                made = self.fresh()
                is_local = name in ("local", "hardlinks", "shared")
                git("-c", "protocol.file.allow=always", "clone", *self.words(one.arguments, made),
                    self.origin if is_local else f"file://{self.origin}", made)
                self.take_through(made, one)


def main():
    known_git.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
