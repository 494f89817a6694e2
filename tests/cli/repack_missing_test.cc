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

#include "support/missing_roots_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RepackMissingTest : public MissingRootsFixture {};

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
