#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What the Git on PATH leaves in a repository that is used and maintained: packs of
every kind, indexes of several packs, bitmaps, worktrees, submodules, and what every task
of 'git maintenance' writes. Each repository is converted, verified, restored, served and
repacked. ZPACK_GIT makes ctest run these tests with another Git.

    leftovers_test.py GIT_ZPACK [unittest options]
"""

import pathlib
import re
import sys
import unittest

import known_git
from known_git import git, run, zpack

# By name: the version of Git that has it, and commands of a shell in the work tree of a
# repository with packs and loose objects. `commit` and `pack` are functions below.
COMMANDS = {
    "one pack": ((2, 39), "git repack -q -a -d"),
    "one pack for each commit": ((2, 39), "for i in 1 2 3 4; do commit $i; pack; done"),
    "bitmap": ((2, 39), "git repack -q -a -d --write-bitmap-index"),
    "bitmap with tables": ((2, 39), "git -c pack.writeBitmapLookupTable=true repack -q -a -d -b"),
    "bitmap with pseudo-merges": (
        (2, 46), "git config bitmapPseudoMerge.all.pattern refs/ && git config bitmapPseudoMerge.all.threshold now"
                 " && git config bitmapPseudoMerge.all.stableThreshold never && git repack -q -a -d -b"),
    "paths": ((2, 49), "git -c pack.usePathWalk=true repack -q -a -d -F"),
    "walk by paths": ((2, 50), "git repack -q -a -d -F --path-walk"),
    "hash of names": ((2, 49), "git repack -q -a -d -F --name-hash-version=2"),
    "index of several packs": ((2, 39), "commit 1; pack; commit 2; pack; git multi-pack-index write"),
    "its bitmap": ((2, 39), "git multi-pack-index write --bitmap"),
    "index of several packs, version 2": (
        (2, 54), "commit 1; pack; git -c midx.version=2 multi-pack-index write --bitmap"),
    "index of several packs, version 1": (
        (2, 54), "commit 1; pack; git -c midx.version=1 multi-pack-index write"),
    "chain of indexes": (
        (2, 47), "for i in 1 2 3; do commit $i; pack; git multi-pack-index write --incremental; done"
                 " && test -s .git/objects/pack/multi-pack-index.d/multi-pack-index-chain"),
    "chain of indexes with bitmaps": (
        (2, 50), "for i in 1 2 3; do commit $i; pack; git multi-pack-index write --incremental --bitmap; done"),
    "chain by repack": (
        (2, 55), "for i in 1 2 3; do commit $i; git repack -q -d --geometric=2 --write-midx=incremental; done"),
    "geometric": ((2, 39), "for i in 1 2 3; do commit $i; git repack -q -d --geometric=2 --write-midx -b; done"),
    "cruft": ((2, 39), "git update-ref -d refs/heads/side; git reflog expire --expire=now --all;"
                       " git repack -q -d --cruft"),
    "combined cruft": (
        (2, 50), "for i in 1 2; do commit $i; git reset -q --hard HEAD^; git reflog expire --expire=now --all;"
                 " git repack -q -d --cruft --combine-cruft-below-size=1m; done"),
    "cruft and an index of several packs": (
        (2, 39), "git reset -q --hard HEAD^; git reflog expire --expire=now --all;"
                 " git repack -q -d --cruft --write-midx"),
    "kept packs": ((2, 39), "git repack -q -a -d; for p in .git/objects/pack/*.pack; do echo why > ${p%pack}keep; done;"
                            " commit 1; git repack -q -a -d"),
    "indexes of packs, version 1": ((2, 39), "git -c pack.indexVersion=1 repack -q -a -d"),
    "no reverse indexes": ((2, 39), "git -c pack.writeReverseIndex=false repack -q -a -d"),
    "filtered into another pack": (
        (2, 43), "git repack -q -a -d --filter=blob:none --filter-to=\"$PWD/.git/objects/pack/pack\""),
    "commit-graphs": ((2, 39), "git commit-graph write --reachable --changed-paths --split; commit 1;"
                               " git -c commitGraph.changedPathsVersion=2 commit-graph write --split --changed-paths"
                               " --reachable"),
    "packed refs": ((2, 39), "git pack-refs --all"),
    "optimised refs": ((2, 52), "git refs optimize --all"),
    "refs moved to tables": ((2, 46), "git refs migrate --ref-format=reftable"),
    "refs moved to tables and back": (
        (2, 48), "git refs migrate --ref-format=reftable; git refs migrate --ref-format=files"),
    "worktree": ((2, 39), "git worktree add -q -b other ../linked; git -C ../linked commit -q --allow-empty -m other"),
    "relative worktree": ((2, 48), "git worktree add -q --relative-paths -b other ../linked"),
    "relative worktrees by a setting": (
        (2, 48), "git -c worktree.useRelativePaths=true worktree add -q --detach ../linked"),
    "worktree with tables": (
        (2, 45), "git worktree add -q -b other ../linked; cd ../linked; git bisect start -q; git bisect bad"),
    "settings of a worktree": ((2, 39), "git worktree add -q -b other ../linked;"
                                        " git config extensions.worktreeConfig true;"
                                        " git -C ../linked config --worktree core.sparseCheckout true"),
    "sparse index": ((2, 39), "git sparse-checkout set --cone --sparse-index dir; git update-ref refs/x HEAD"),
    "split index": ((2, 39), "git update-index --split-index --untracked-cache; echo x > new; git add new"),
    "submodule": ((2, 39), "git -c protocol.file.allow=always submodule --quiet add ../inner sub"),
    "submodule with a path of its own": (
        (2, 54), "git config core.repositoryFormatVersion 1; git config extensions.submodulePathConfig true;"
                 " git -c protocol.file.allow=always submodule --quiet add ../inner sub;"
                 " git config --get-regexp gitdir"),
    "replaced commit": ((2, 39), "git replace --graft HEAD HEAD^^"),
    "notes and stashes": ((2, 39), "git notes add -m x; echo x > a; git add a; git stash -q; git stash apply -q;"
                                   " echo y > b; git stash -q -u"),
    "unfinished": ((2, 39), "git checkout -q -b topic HEAD^; echo other > file; git commit -q -a -m other;"
                            " git merge -q main || true; test -e .git/MERGE_HEAD"),
    "unfinished rebase": ((2, 39), "git checkout -q -b topic HEAD^; echo other > file; git commit -q -a -m other;"
                                   " git rebase -q main || true"),
    "new files beside objects": ((2, 39), "echo x > .git/objects/info/new;"
                                          " mkdir .git/objects/new .git/objects/info/dir;"
                                          " echo x > .git/objects/new/file; echo x > .git/objects/pack/pack-x.new;"
                                          " echo x > .git/objects/pack/tmp_pack_x"),
    "maps of other ids": ((2, 39), "mkdir .git/objects/object-map; echo x > .git/objects/object-map/map-x.map"),
    "lists of downloads": ((2, 39), "git update-server-info"),
    "reftable with many tables": (
        (2, 45), "git refs migrate --ref-format=reftable; git config reftable.geometricFactor 255;"
                 " for i in 1 2 3 4 5; do git -c reftable.blockSize=256 update-ref refs/heads/b$i HEAD; done"),
    "rerere": ((2, 39), "git config rerere.enabled true; mkdir -p .git/rr-cache/x; echo x > .git/rr-cache/x/preimage"),
    "hooks in settings": ((2, 54), "git config hook.x.command 'exit 0'; git config hook.x.event post-commit"),
    "history rewritten": ((2, 54), "git history reword HEAD || true"),
}
FUNCTIONS = """
set -e
export GIT_EDITOR=true
commit() { echo "content $1" >> file; git commit -q -a -m "$1"; }
pack() { git repack -q -d; }
"""
# In a partial clone; `more` fetches some more.
PARTIAL = {
    "as it is": ((2, 39), ""),
    "more fetched": ((2, 39), "more; git show HEAD~2 > /dev/null"),
    "one pack": ((2, 39), "more; git repack -q -a -d"),
    "geometric": ((2, 53), "more; git repack -q -d --geometric=2; commit 1; git repack -q -d --geometric=2"),
    "geometric with an index": ((2, 53), "more; commit 1; git repack -q -d --geometric=2 --write-midx"),
    "filled": ((2, 49), "git backfill"),
    "maintained": ((2, 39), "more; git maintenance run --quiet --task=loose-objects --task=incremental-repack"
                            " --task=commit-graph --task=prefetch"),
}


class LeftoversTest(known_git.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.version = known_git.version()
        inner = self.directory / "inner"
        git("init", "-q", "--initial-branch=main", inner)
        git("-C", inner, "commit", "-q", "--allow-empty", "-m", "inner")

    def shell(self, commands, cwd):
        done = run("sh", "-c", FUNCTIONS + commands, cwd=cwd, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def make(self):
        """Packed and loose objects, branches, tags and what nothing refers to."""
        # In a directory of its own, for what the commands put beside the work tree.
        made = self.fresh() / "work"
        git("init", "-q", "--initial-branch=main", made)
        self.shell("mkdir dir; ln -s file link; for i in 1 2 3 4 5 6 7 8; do seq $i 60 > dir/$i; echo $i > file;"
                   " git add .; git commit -q -m $i; done; git branch side HEAD^; git tag -a -m tag v1 HEAD~3;"
                   " git repack -q -a -d; echo 9 > file; git commit -q -a -m 9; git tag light;"
                   " echo unreachable | git hash-object -w --stdin", made)
        (made.parent / "inner").symlink_to(self.directory / "inner")
        return made

    def for_each(self, table, check):
        """Calls check(commands)."""
        for name, (since, commands) in table.items():
            if since <= self.version:
                with self.subTest(name):
                    check(commands)

    def expect_everything(self, made):
        file, _ = self.expect_round_trip(made)
        self.expect_served(made, file)
        self.expect_repacked(made)

    def test_commands(self):
        def check(commands):
            made = self.make()
            self.shell(commands, made)
            self.expect_everything(made)

        self.for_each(COMMANDS, check)

    def test_tasks_of_maintenance(self):
        text = run("git", "maintenance", "run", "-h", check=False).stdout
        self.assertIn("--task", text)
        # Git names the tasks only in its manual.
        tasks = ["gc", "commit-graph", "prefetch", "loose-objects", "incremental-repack", "pack-refs"]
        if self.version >= (2, 50):
            tasks += ["reflog-expire", "worktree-prune", "rerere-gc"]
        if self.version >= (2, 52):
            tasks.append("geometric-repack")
        together = self.make()
        for task in tasks:
            with self.subTest(task=task):
                made = self.make()
                for path in (made, together):
                    self.shell(f"commit {task}; git maintenance run --quiet --task={task}", path)
                self.expect_everything(made)
        self.expect_everything(together)

    def make_partial(self):
        origin = self.make()
        git("-C", origin, "config", "uploadpack.allowFilter", "true")
        git("-C", origin, "config", "uploadpack.allowAnySHA1InWant", "true")
        made = self.fresh() / "clone"
        git("clone", "-q", "--filter=blob:none", f"file://{origin}", made)
        more = f"more() {{ for i in 1 2 3; do (cd '{origin}'; commit more$i); git pull -q; done; }}\n"
        return made, more

    def test_partial_clones(self):
        def check(commands):
            made, more = self.make_partial()
            self.shell(more + commands, made)
            options = []
            if commands != "git backfill":
                self.expect_refused(made, "--allow-promised")
                options.append("--allow-promised")
            self.expect_round_trip(made, *options)
            before = self.objects(made)
            zpack("repack", "-q", "-a", "-d", made)
            self.assertEqual(self.objects(made), before)
            git("-C", made, "fsck", "--full")

        self.for_each(PARTIAL, check)

    def test_maps_of_other_ids_are_named(self):
        """As Git's documents describe them; Git writes them only with a second hash."""
        for name in ("loose-object-idx", "object-map/map-1.map"):
            made = self.make()
            path = made / ".git/objects" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("x")
            self.shell("git config core.repositoryFormatVersion 1;"
                       " git config --file .git/config extensions.compatObjectFormat sha256", made)
            self.expect_refused(made, f"compatobjectformat.*{re.escape(name)}")


def main():
    known_git.PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()


if __name__ == "__main__":
    main()
