// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Partial clones that lack objects become files and come back as partial
// clones, which fetch what is missing from the same remote.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PartialCloneTest : public ::testing::Test {
 protected:
  PartialCloneTest() {
    base_.History(6);
    base_.PackAll();
    base_.Git({"config", "uploadpack.allowFilter", "true"});
    base_.Git({"config", "uploadpack.allowAnySHA1InWant", "true"});
  }

  // Clones without what `filter` says.
  RepoBuilder Clone(const std::string& filter,
                    const std::vector<std::string>& options = {"--bare"}) {
    std::vector<std::string> arguments = {"clone", "-q", "--filter=" + filter};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"file://" + base_.path(), clone_});
    EXPECT_TRUE(RunGit(arguments, dir_.path()).ok());
    return RepoBuilder::Existing(clone_);
  }
  ProcessResult Convert(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "--allow-promised"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {clone_, file_});
    return RunZpack(arguments);
  }
  RepoBuilder Restore(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"restore", "-f"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {file_, restored_});
    const ProcessResult restored = RunZpack(arguments);
    EXPECT_TRUE(restored.ok()) << restored.err;
    return RepoBuilder::Existing(restored_);
  }
  // Ids of missing objects, each after '?'.
  static std::vector<std::string> Missing(const RepoBuilder& repo) {
    std::vector<std::string> missing;
    for (const std::string& line : SplitLines(
             repo.Git({"rev-list", "--objects", "--all", "--missing=print"}))) {
      if (line.starts_with('?')) missing.push_back(line.substr(1));
    }
    return missing;
  }
  ProcessResult Verify(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"verify"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(file_);
    return RunZpack(arguments);
  }

  TempDir dir_;
  RepoBuilder base_{dir_ / "base"};
  std::string clone_ = dir_ / "clone";
  std::string file_ = dir_ / "x.zpack";
  std::string restored_ = dir_ / "restored.git";
};

TEST_F(PartialCloneTest, ComesBackAndFetchesWhatIsMissing) {
  const RepoBuilder clone = Clone("blob:none");
  const std::vector<std::string> missing = Missing(clone);
  ASSERT_FALSE(missing.empty());
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok()) << converted.err;
  const std::string count =
      std::to_string(missing.size()) + " promised objects are not in the file";
  EXPECT_THAT(converted.err, HasSubstr(count));
  for (const char* level :
       {"structure", "checksums", "objects", "connectivity"}) {
    const ProcessResult verified =
        Verify({"--level", level, "--against", clone_});
    EXPECT_TRUE(verified.ok()) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr(count));
  }

  const RepoBuilder restored = Restore();
  EXPECT_EQ(Missing(restored), missing);
  EXPECT_TRUE(restored.TryGit({"fsck"}).ok());
  EXPECT_EQ(restored.Git({"config", "remote.origin.url"}),
            "file://" + base_.path());
  EXPECT_EQ(restored.Git({"config", "remote.origin.partialclonefilter"}),
            "blob:none");
  EXPECT_EQ(restored.Git({"config", "extensions.partialClone"}), "origin");
  // Git fetches it now.
  EXPECT_EQ(restored.Git({"cat-file", "blob", missing[0]}),
            base_.Git({"cat-file", "blob", missing[0]}));
  EXPECT_EQ(Missing(restored).size(), missing.size() - 1);
  ASSERT_TRUE(
      restored.TryGit({"worktree", "add", "-q", dir_ / "tree", "main"}).ok());
  EXPECT_TRUE(restored.TryGit({"fsck"}).ok());
}

TEST_F(PartialCloneTest, MissingTreesArePromisedToo) {
  const RepoBuilder clone = Clone("tree:0");
  const size_t missing = Missing(clone).size();
  ASSERT_TRUE(Convert().ok());
  EXPECT_TRUE(Verify({"--level=connectivity", "--against", clone_}).ok());
  const RepoBuilder restored = Restore();
  EXPECT_EQ(Missing(restored).size(), missing);
  EXPECT_TRUE(restored.TryGit({"fsck"}).ok());
  EXPECT_EQ(restored.Git({"ls-tree", "-r", "main"}),
            base_.Git({"ls-tree", "-r", "main"}));
}

TEST_F(PartialCloneTest, LocalCommitsMayShareWhatIsPromised) {
  const RepoBuilder clone = Clone("blob:none");
  CommitFields fields;
  fields.tree = clone.Git({"rev-parse", "main^{tree}"});
  fields.parents = {clone.Git({"rev-parse", "main"})};
  clone.SetRef("refs/heads/mine", clone.WriteCommit(fields));
  ASSERT_TRUE(Convert().ok());
  EXPECT_TRUE(Verify({"--level=connectivity", "--against", clone_}).ok());
  EXPECT_EQ(Restore().Git({"rev-parse", "mine"}),
            clone.Git({"rev-parse", "mine"}));
}

TEST_F(PartialCloneTest, MissingObjectsThatNobodyPromisedAreRefused) {
  const RepoBuilder clone = Clone("blob:none");
  const std::string lost = HashObject("blob", "lost");
  CommitFields fields;
  fields.tree = clone.WriteTree(TreeEntryBytes("100644", "x", lost));
  clone.SetRef("refs/heads/mine", clone.WriteCommit(fields));
  ExpectRefused(clone_, dir_,
                {"is incomplete: 1 object is missing and not promised", lost},
                {"--allow-promised"});
}

TEST_F(PartialCloneTest, WithoutARemoteNothingIsPromised) {
  const RepoBuilder clone = Clone("blob:none");
  // As in Git, the filter alone would be a promise.
  clone.Git({"config", "--unset", "remote.origin.promisor"});
  clone.Git({"config", "--unset", "remote.origin.partialclonefilter"});
  ExpectRefused(clone_, dir_, {"not promised"}, {"--allow-promised"});
}

TEST_F(PartialCloneTest, ACompleteRepositoryGivesTheSameBytes) {
  Clone("blob:limit=1g");
  ASSERT_TRUE(Convert().ok());
  const std::string other = dir_ / "other.zpack";
  ASSERT_TRUE(RunZpack({"convert", clone_, other}).ok());
  EXPECT_EQ(ReadFile(file_), ReadFile(other));
  EXPECT_THAT(RunZpack({"show", file_}).out, Not(HasSubstr("promis")));
}

TEST_F(PartialCloneTest, FetchedObjectsAreANewerRepository) {
  const RepoBuilder clone = Clone("blob:none");
  const std::string missing = Missing(clone).front();
  ASSERT_TRUE(Convert().ok());
  clone.Git({"cat-file", "blob", missing});  // fetches it
  const ProcessResult compared = Verify({"--against", clone_});
  EXPECT_EQ(compared.exit_code, 1);
  EXPECT_THAT(compared.err,
              HasSubstr("object " + missing + " is only promised"));
  EXPECT_TRUE(Verify({"--against", clone_, "--allow-newer"}).ok());
}

TEST_F(PartialCloneTest, AnOlderFileIsABaseAndABaseOfACompleteOne) {
  const RepoBuilder clone = Clone("blob:none");
  ASSERT_TRUE(Convert().ok());
  clone.Git({"cat-file", "blob", Missing(clone).front()});
  clone.SetRef("refs/heads/new",
               clone.SimpleCommit("new", {clone.Git({"rev-parse", "main"})}));
  const std::string base = dir_ / "base.zpack";
  fs::rename(file_, base);
  const ProcessResult converted = Convert({"--base", base});
  ASSERT_TRUE(converted.ok()) << converted.err;
  EXPECT_THAT(converted.err, Not(HasSubstr("cannot use")));
  EXPECT_THAT(Verify({"--level=connectivity", "--against", clone_}).out,
              HasSubstr("promised objects are not in the file"));
  EXPECT_TRUE(Restore().TryGit({"fsck"}).ok());

  // Once everything is there, nothing is promised any more.
  for (const std::string& id : Missing(clone)) {
    clone.Git({"cat-file", "blob", id});
  }
  ASSERT_THAT(Missing(clone), IsEmpty());
  fs::remove(base);
  fs::rename(file_, base);
  ASSERT_TRUE(Convert({"--base", base}).ok());
  EXPECT_THAT(Verify({"--level=connectivity", "--against", clone_}).out,
              Not(HasSubstr("promised")));
  EXPECT_THAT(RunZpack({"show", file_}).out, Not(HasSubstr("promised")));
}

TEST_F(PartialCloneTest, ShallowAndPartialGoTogether) {
  Clone("blob:none", {"--bare", "--depth=2"});
  ASSERT_TRUE(Convert().ok());
  EXPECT_TRUE(Verify({"--level=connectivity", "--against", clone_}).ok());
  EXPECT_TRUE(Restore().TryGit({"fsck"}).ok());
}

TEST_F(PartialCloneTest, AnyNumberOfThreadsGivesTheSameBytes) {
  Clone("blob:none");
  ASSERT_TRUE(Convert({"--threads=1"}).ok());
  const std::string one = ReadFile(file_);
  ASSERT_TRUE(Convert({"--threads=4", "-f"}).ok());
  EXPECT_EQ(ReadFile(file_), one);
}

TEST_F(PartialCloneTest, TrustedSettingsDoNotRepeatTheUrl) {
  Clone("blob:none");
  ASSERT_TRUE(Convert().ok());
  const RepoBuilder restored = Restore({"--trust"});
  EXPECT_EQ(restored.Git({"config", "--get-all", "remote.origin.url"}),
            "file://" + base_.path());
  EXPECT_TRUE(restored.TryGit({"fsck"}).ok());
}

// Git before 2.45 cannot open the result.
TEST_F(PartialCloneTest, RestoresIntoReftablesAsWell) {
  Clone("blob:none");
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(
      RunZpack({"restore", "--ref-format=reftable", file_, restored_}).ok());
  EXPECT_THAT(ReadFile(restored_ + "/config"),
              AllOf(HasSubstr("refstorage = reftable"),
                    HasSubstr("partialClone = \"origin\"")));
  EXPECT_TRUE(Verify({"--against", restored_}).ok());
}

TEST_F(PartialCloneTest, ReachableObjectsAloneAreConnectedToo) {
  Clone("blob:none").WriteBlob("reached by nothing");
  ASSERT_TRUE(Convert({"--reachable"}).ok());
  EXPECT_TRUE(Verify({"--level=connectivity"}).ok());
  EXPECT_TRUE(Restore().TryGit({"fsck"}).ok());
}

}  // namespace
}  // namespace zpack::testing
