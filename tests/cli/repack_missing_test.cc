// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' of a repository that has lost objects, compared with 'git repack
// -a -d': every kind of root is combined with every object that can be missing
// below the root. If Git refuses, git-zpack refuses; if Git succeeds, git-zpack
// succeeds and keeps at least what Git keeps. And whatever Git does, nothing is
// lost that a root needs together with a missing object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/missing_objects_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::vector<std::string> kOfCommit = {"commit", "tree", "subtree", "blob",
                                            "parent"};
const std::vector<std::string> kOfTag = {"tag",     "commit", "tree",
                                         "subtree", "blob",   "parent"};
const std::vector<std::string> kOfTree = {"tree", "subtree", "blob"};

std::string ReflogLine(const std::string& before, const std::string& after) {
  return before + ' ' + after +
         " A U Thor <author@example.com> 1700000000 +0000\tmessage\n";
}

class RepackMissingTest : public MissingObjectsFixture {
 protected:
  Root ReflogRoot(const std::string& name, const std::string& id,
                  const std::vector<std::string>& parts) const {
    return {{{name, ReflogLine(FakeId('0'), id) + ReflogLine(id, base_)}},
            parts,
            name};
  }

  Roots Refs() const;
  Roots Worktrees() const;
  Roots Reflogs() const;
  Roots Indexes() const;
  Roots States() const;
  Roots Boundaries() const;
};

auto RepackMissingTest::Refs() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string packed = "# pack-refs with: peeled fully-peeled sorted \n" +
                             chain_.tag + " refs/tags/t\n^" + commit;
  Roots roots = {
      {"packed tag", {{{"packed-refs", packed}}, kOfTag, "refs/tags/t"}},
      {"detached HEAD", {{{"HEAD", commit}}, kOfCommit, "HEAD"}},
      {"symbolic ref",
       {{{"refs/heads/r", commit}, {"refs/heads/s", "ref: refs/heads/r\n"}},
        kOfCommit,
        "refs/heads/r"}},
      {"tag of a tree",
       {{{"refs/tags/t", chain_.tree + '\n'}}, kOfTree, "refs/tags/t"}},
      {"tag of a blob",
       {{{"refs/tags/t", chain_.blob + '\n'}}, {"blob"}, "refs/tags/t"}}};
  for (const char* name :
       {"refs/heads/r", "refs/remotes/origin/r", "refs/stash", "refs/notes/n",
        "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/x"}) {
    roots[name] = {{{name, commit}}, kOfCommit, name};
  }
  roots["replacement"] = {
      {{"refs/replace/" + base_, commit}}, kOfCommit, "refs/replace/" + base_};
  return roots;
}

auto RepackMissingTest::Worktrees() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string linked = "worktrees/linked/";
  Roots roots;
  for (const char* name :
       {"HEAD", "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/x"}) {
    roots[name] = {{{linked + name, commit}}, kOfCommit, linked + name};
  }
  roots["tag"] = {{{linked + "refs/worktree/x", chain_.tag + '\n'}},
                  kOfTag,
                  linked + "refs/worktree/x"};
  // Git does not take it for a worktree.
  roots["worktree without a path"] = {
      {{"worktrees/other/HEAD", commit}}, kOfCommit, "worktrees/other/HEAD"};
  return roots;
}

auto RepackMissingTest::Reflogs() const -> Roots {
  Roots roots;
  for (const char* name :
       {"logs/HEAD", "logs/refs/heads/main", "logs/refs/heads/deleted",
        "logs/refs/stash", "logs/refs/bisect/bad", "worktrees/linked/logs/HEAD",
        "worktrees/linked/logs/refs/worktree/x"}) {
    roots[name] = ReflogRoot(name, chain_.commit, kOfCommit);
  }
  roots["tag"] = ReflogRoot("logs/HEAD", chain_.tag, kOfTag);
  roots["tree"] = ReflogRoot("logs/HEAD", chain_.tree, kOfTree);
  roots["blob"] = ReflogRoot("logs/HEAD", chain_.blob, {"blob"});
  roots["old id only"] = {{{"logs/HEAD", ReflogLine(chain_.commit, base_)}},
                          kOfCommit,
                          "logs/HEAD"};
  return roots;
}

auto RepackMissingTest::Indexes() const -> Roots {
  Roots roots;
  for (const char* kind : {"entry", "conflict", "resolved", "shared", "own"}) {
    roots[kind] = {indexes_.at(kind), {"blob"}, "index"};
  }
  for (const char* kind : {"entry", "resolved", "shared"}) {
    roots[std::string("linked ") + kind] = {
        LinkedIndex(kind), {"blob"}, "worktrees/linked/index"};
  }
  // An entry of the shared index that the index replaces or removes.
  for (const char* kind : {"replaced", "removed"}) {
    roots[kind] = {indexes_.at(kind), {}, "", {"blob"}};
  }
  roots["trees"] = {indexes_.at("trees"), kOfTree, "index"};
  roots["linked trees"] = {LinkedIndex("trees"), kOfTree,
                           "worktrees/linked/index"};
  return roots;
}

auto RepackMissingTest::States() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  Roots roots;
  for (const char* name :
       {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD",
        "BISECT_HEAD", "MERGE_AUTOSTASH", "rebase-merge/orig-head",
        "rebase-merge/autostash", "rebase-apply/orig-head",
        "rebase-apply/autostash", "worktrees/linked/MERGE_HEAD",
        "worktrees/linked/rebase-merge/orig-head"}) {
    roots[name] = {{{name, commit}}, kOfCommit, name};
  }
  roots["AUTO_MERGE"] = {
      {{"AUTO_MERGE", chain_.tree + '\n'}}, kOfTree, "AUTO_MERGE"};
  return roots;
}

auto RepackMissingTest::Boundaries() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string branch = "refs/heads/r";
  const std::vector<std::string> without_parent = {"commit", "tree", "subtree",
                                                   "blob"};
  return {
      {"shallow",
       {{{branch, commit}, {"shallow", commit}},
        without_parent,
        branch,
        {"parent"}}},
      {"shallow parent",
       {{{branch, commit}, {"shallow", chain_.parent + '\n'}},
        kOfCommit,
        branch}},
      {"unneeded shallow", {{{"shallow", commit}}, {}, "", kOfCommit}},
      {"shallow commit in a reflog",
       {{{"logs/HEAD", ReflogLine(chain_.commit, base_)}, {"shallow", commit}},
        without_parent,
        "logs/HEAD",
        {"parent"}}},
      {"graft",
       {{{"info/grafts", base_ + ' ' + commit}}, kOfCommit, "info/grafts"}},
      {"graft of a commit that is gone",
       {{{"info/grafts", FakeId('1') + ' ' + commit}}, {}, "", kOfCommit}},
      {"ORIG_HEAD", {{{"ORIG_HEAD", commit}}, {}, "", kOfCommit}}};
}

TEST_F(RepackMissingTest, BelowRefs) { CompareAll(Refs()); }
TEST_F(RepackMissingTest, BelowRefsOfWorktrees) { CompareAll(Worktrees()); }
TEST_F(RepackMissingTest, BelowReflogs) { CompareAll(Reflogs()); }
TEST_F(RepackMissingTest, BelowIndexes) { CompareAll(Indexes()); }
TEST_F(RepackMissingTest, BelowFilesOfUnfinishedCommands) {
  CompareAll(States());
}
TEST_F(RepackMissingTest, BelowBoundaries) { CompareAll(Boundaries()); }

// Git cannot read such an index. Without the shared part, nobody knows what it
// keeps alive.
TEST_F(RepackMissingTest, SharedIndex) {
  Root root = {indexes_.at("shared"), {}, ""};
  std::erase_if(root.files,
                [](const auto& file) { return file.first != "index"; });
  Compare(root, "nothing", {{"-a"}, {}});
  EXPECT_EQ(Objects(dir_ / "case"), packed_.at("nothing"));
}

// 'convert' removes nothing and stores all objects, so it takes what is there.
TEST_F(RepackMissingTest, ConvertStoresEverythingThatIsThere) {
  const Root reflog = Reflogs().at("logs/HEAD");
  for (const std::string missing : {"parent", "commit", "nothing"}) {
    SCOPED_TRACE(missing);
    const std::string path = Make(reflog, missing);
    const std::string file = dir_ / missing + ".zpack";
    const ProcessResult all = RunZpack({"convert", "-q", path, file});
    EXPECT_EQ(all.exit_code, 0) << ::testing::PrintToString(all);
    const std::vector<std::string> stored =
        SplitLines(RunZpack({"cat-file", "--batch-all-objects",
                             "--batch-check=%(objectname)", file})
                       .out);
    EXPECT_EQ(std::set<std::string>(stored.begin(), stored.end()),
              packed_.at(missing));
  }
}

// Packs that hold nothing else than the new pack are redundant all the same.
TEST_F(RepackMissingTest, OnlyPacksWithUnreachableObjectsStay) {
  const std::string path = Make(Reflogs().at("logs/HEAD"), "commit");
  repo_.Git(
      {"--git-dir=" + path, "pack-objects", "-q", path + "/objects/pack/pack"},
      base_ + '\n');
  ASSERT_THAT(FilesWith(path + "/objects/pack", ".pack"), SizeIs(2));
  const ProcessResult result = RunZpack({"repack", "-d", "--json", path});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("warning: object " + chain_.commit +
                                    " is missing, which 'logs/HEAD' needs\n"));
  EXPECT_THAT(result.err, HasSubstr("warning: 1 pack with unreachable objects "
                                    "stays while objects are missing\n"));
  EXPECT_THAT(result.out, HasSubstr("\"needed_by\": \"logs/HEAD\""));
  EXPECT_THAT(result.out, HasSubstr("\"removed_packs\": 1"));
  EXPECT_EQ(Objects(path), packed_.at("commit"));
}

// Unreachable objects survive in these modes anyway, or are old enough to go.
TEST_F(RepackMissingTest, OtherWaysToRepack) {
  const Roots refs = Refs();
  const Roots worktrees = Worktrees();
  const Roots roots = {{"branch", refs.at("refs/heads/r")},
                       {"HEAD of a worktree", worktrees.at("HEAD")},
                       {"ref of a worktree", worktrees.at("refs/worktree/x")},
                       {"reflog", Reflogs().at("logs/HEAD")},
                       {"index", Indexes().at("linked trees")}};
  const std::vector<Mode> modes = {{{"-a", "-k"}, {"-k"}},
                                   {{"-A"}, {"-A"}},
                                   {{"-A", "--unpack-unreachable=now"},
                                    {"-A", "--unpack-unreachable", "now"}},
                                   {{"--cruft"}, {"--cruft"}},
                                   {{"--cruft", "--cruft-expiration=now"},
                                    {"--cruft", "--cruft-expiration", "now"}}};
  for (const Mode& mode : modes) {
    SCOPED_TRACE(mode.zpack.back());
    CompareAll(roots, mode);
  }
}

}  // namespace
}  // namespace zpack::testing
