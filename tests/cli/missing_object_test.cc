// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The error for a repository that lacks an object says what needs the object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MissingObjectTest, TheErrorNamesWhatNeedsIt) {
  const TempDir dir;
  const RepoBuilder repo(dir / "repo");
  const std::string blob = repo.WriteBlob("content");
  const std::string inner =
      repo.WriteTree(TreeEntryBytes("100644", "a \"b\".c", blob) +
                     TreeEntryBytes("160000", "module", FakeId('e')));
  const std::string root =
      repo.WriteTree(TreeEntryBytes("40000", "src", inner));
  CommitFields fields;
  fields.tree = root;
  const std::string first = repo.WriteCommit(fields);
  fields.tree = repo.WriteTree(
      TreeEntryBytes("100644", "other", repo.WriteBlob("other")));
  fields.parents = {first};
  const std::string second = repo.WriteCommit(fields);
  const std::string tag = repo.WriteTag(second, "commit", "v1");
  repo.SetRef("refs/heads/main", second);
  repo.SetRef("refs/tags/v1", tag);

  struct Case {
    std::string missing;
    std::string place;
  };
  for (const Case& test :
       {Case{blob, "'\"src/a \\\"b\\\".c\"' in commit " + first},
        Case{inner, "'src' in commit " + first},
        Case{root, "the tree of commit " + first},
        Case{first, "a parent of commit " + second},
        Case{tag, "ref 'refs/tags/v1'"}}) {
    const std::string path = repo.LooseObjectPath(test.missing);
    std::filesystem::rename(path, dir / "away");
    const ProcessResult result =
        RunZpack({"convert", "-q", repo.path(), dir / "x.zpack"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("1 object is missing: " + test.missing),
                      HasSubstr("; " + test.place + " needs " + test.missing),
                      HasSubstr("git hash-object -w")));
    std::filesystem::rename(dir / "away", path);
  }
  // The target of a tag, which no branch reaches.
  const std::string path = repo.LooseObjectPath(second);
  repo.Git({"update-ref", "-d", "refs/heads/main"});
  std::filesystem::rename(path, dir / "away");
  EXPECT_THAT(RunZpack({"convert", "-q", repo.path(), dir / "x.zpack"}).err,
              HasSubstr("the target of tag " + tag + " needs " + second));
  std::filesystem::rename(dir / "away", path);
  EXPECT_EQ(RunZpack({"convert", "-q", repo.path(), dir / "x.zpack"}).exit_code,
            0);
}

}  // namespace
}  // namespace zpack::testing
