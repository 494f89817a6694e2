// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of another type than what links to them says. What is below them
// would seem to be unreachable, so 'repack' refuses such repositories, like
// Git, and removes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

class RepackWrongTypesTest : public RepackFixture {
 protected:
  RepackWrongTypesTest()
      : blob_(repo_.WriteBlob("needed by few\n")),
        tree_(repo_.WriteTree(TreeEntryBytes("100644", "file", blob_))),
        commit_(Commit(tree_, {})) {
    repo_.SetRef("refs/heads/main", repo_.SimpleCommit("usual\n"));
  }

  std::string Commit(const std::string& tree,
                     const std::vector<std::string>& parents) const {
    CommitFields fields;
    fields.tree = tree;
    fields.parents = parents;
    return repo_.WriteCommit(fields);
  }

  // `wrong` is what the only link to `type` should be.
  void ExpectRefused(const std::string& tip, const std::string& wrong,
                     const std::string& type) {
    repo_.SetRef("refs/heads/wrong", tip);
    repo_.PackAll();
    ASSERT_FALSE(repo_.TryGit({"repack", "-q", "-a", "-d"}).ok());
    for (const std::vector<std::string>& options :
         std::vector<std::vector<std::string>>{{"-a", "-d"},
                                               {"-a", "-d", "-k"},
                                               {"-A", "-d"},
                                               {"--cruft", "-d"}}) {
      const ProcessResult result = Repack(options);
      EXPECT_EQ(result.exit_code, 128);
      EXPECT_THAT(result.err, HasSubstr("object " + wrong + " of '"));
      EXPECT_THAT(result.err, HasSubstr("' is no " + type));
      EXPECT_TRUE(Has(blob_));
    }
    // 'convert' keeps every object.
    EXPECT_TRUE(RunZpack({"convert", "-q", repo_.path(), dir_ / "x"}).ok());
    EXPECT_EQ(RunZpack({"cat-file", "-p", dir_ / "x", blob_}).out,
              "needed by few\n");
  }

  const std::string blob_;
  const std::string tree_;
  const std::string commit_;
};

TEST_F(RepackWrongTypesTest, ACommitAsTheTreeOfACommit) {
  ExpectRefused(Commit(commit_, {}), commit_, "tree");
}

TEST_F(RepackWrongTypesTest, ATreeAsAParent) {
  ExpectRefused(Commit("", {tree_}), tree_, "commit");
}

TEST_F(RepackWrongTypesTest, ACommitAsADirectory) {
  const std::string tree =
      repo_.WriteTree(TreeEntryBytes("40000", "directory", commit_));
  ExpectRefused(Commit(tree, {}), commit_, "tree");
}

TEST_F(RepackWrongTypesTest, ATagAsAParent) {
  const std::string tag = repo_.WriteTag(commit_, "commit", "v1");
  ExpectRefused(Commit("", {tag}), tag, "commit");
}

}  // namespace
}  // namespace zpack::testing
