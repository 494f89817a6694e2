// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names with suffixes and paths stand for the objects that Git finds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RevisionNamesTest : public ::testing::Test {
 protected:
  RevisionNamesTest() : repo_(dir_ / "repo"), tip_(repo_.History(6)) {
    const std::string blob = repo_.WriteBlob("content");
    repo_.WriteTree("");
    const std::string inner =
        repo_.WriteTree(TreeEntryBytes("100644", "a b", blob) +
                        TreeEntryBytes("100644", "c}", blob));
    tree_ = repo_.WriteTree(TreeEntryBytes("40000", "dir", inner) +
                            TreeEntryBytes("40000", "empty", kEmptyTree) +
                            TreeEntryBytes("100644", "file", blob) +
                            TreeEntryBytes("100644", "file^{tree}", blob) +
                            TreeEntryBytes("160000", "module", FakeId('b')));
    CommitFields fields;
    fields.tree = tree_;
    fields.parents = {tip_, repo_.SimpleCommit("side", {tip_}, 5)};
    const std::string merge = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", merge);
    const std::string tag = repo_.WriteTag(merge, "commit", "v1");
    repo_.SetRef("refs/tags/v1", tag);
    repo_.SetRef("refs/tags/outer", repo_.WriteTag(tag, "tag", "outer"));
    repo_.SetRef("refs/tags/of-blob", repo_.WriteTag(blob, "blob", "of-blob"));
    repo_.SetRef("refs/tags/of-tree", repo_.WriteTag(tree_, "tree", "of-tree"));
    repo_.SetRef("refs/heads/a/b-gx", merge);
    describe_ = "v0-3-g" + merge.substr(0, 10);
  }

  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }
  // What our program says of one name.
  std::string Check(const std::string& name) const {
    ProcessOptions options;
    options.input = name + '\n';
    const std::string line =
        RunZpack({"cat-file", "--batch-check", file_}, options).out;
    return line.substr(0, line.find('\n'));
  }
  // Of both programs, what they say of each name.
  void ExpectSame(const std::vector<std::string>& names) const {
    std::string input;
    for (const std::string& name : names) input += name + '\n';
    ProcessOptions options;
    options.input = input;
    const auto ours =
        SplitLines(RunZpack({"cat-file", "--batch-check", file_}, options).out);
    const auto gits =
        SplitLines(repo_.TryGit({"cat-file", "--batch-check"}, input).out);
    ASSERT_EQ(gits.size(), names.size());
    ASSERT_EQ(ours.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(ours[i], gits[i]) << names[i];
    }
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string tree_;
  std::string describe_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(RevisionNamesTest, EverySuffixOfEveryKindOfRef) {
  Convert();
  std::vector<std::string> names;
  for (const std::string base : {"HEAD", "@", "main", "v1", "outer", "of-blob",
                                 "of-tree", "none", "", "a/b-gx"}) {
    for (const std::string suffix : {"",
                                     "^",
                                     "~",
                                     "^0",
                                     "~0",
                                     "^1",
                                     "^2",
                                     "^3",
                                     "~1",
                                     "~3",
                                     "~6",
                                     "~7",
                                     "~99",
                                     "^^",
                                     "^2~2",
                                     "^2^^",
                                     "~2^2",
                                     "^{}",
                                     "^{commit}",
                                     "^{tree}",
                                     "^{blob}",
                                     "^{tag}",
                                     "^{object}",
                                     "^{tree}^{tree}",
                                     "^{tree}^",
                                     "^{commit}~1^{tree}",
                                     "^{nonsense}",
                                     "^{",
                                     "^}",
                                     "~1x",
                                     "^99999999999999999999",
                                     "~4294967297",
                                     "^{}~1",
                                     ":"}) {
      names.push_back(base + suffix);
    }
  }
  ExpectSame(names);
}

TEST_F(RevisionNamesTest, Paths) {
  Convert();
  std::vector<std::string> names;
  for (const std::string base :
       {"HEAD", "v1", "outer", "of-tree", "of-blob", "HEAD^{tree}", "HEAD~1",
        "HEAD^{commit}^{tree}", "none", "HEAD^{no:colon}"}) {
    for (const std::string path :
         {":",         ":file",        ":dir",       ":dir/",   ":dir/a b",
          ":dir/c}",   ":dir/none",    ":none",      ":file/",  ":file/x",
          ":dir//a b", ":/file",       ":empty",     ":empty/", ":empty/x",
          ":module/x", ":file^{tree}", ":dir/a b:x", ":DIR",    ":di",
          ":dirx"}) {
      // Git takes the type from the middle of such a name.
      if (base.ends_with('}') && path.ends_with('}')) continue;
      names.push_back(base + path);
    }
  }
  ExpectSame(names);
}

TEST_F(RevisionNamesTest, IdsAndDescriptions) {
  Convert();
  const std::string id = repo_.Git({"rev-parse", "main"});
  ExpectSame({id + "^2", id.substr(0, 12) + "~2", id.substr(0, 12) + ":file",
              describe_, describe_ + "~1", "a/b-0-g" + id, "v0-a1-g" + id,
              "g" + id, "v0-g", "v0-1-gabc", tree_ + ":dir",
              FakeId('e') + "^{tree}", FakeId('e') + ":file"});
}

// Git takes these for the object until 2.48.
TEST_F(RevisionNamesTest, AnIdAfterAnythingButARefAndACountIsNoDescription) {
  Convert();
  const std::string id = repo_.Git({"rev-parse", "main"});
  for (const std::string start :
       {"", "v0", "v0-", "-1", "v0-x1", "v0-1x", "v..0-1", "v0.lock-1", "1"}) {
    const std::string name = start + "-g" + id;
    EXPECT_EQ(Check(name), name + " missing");
  }
}

// Git looks for the path after the brace until 2.48.
TEST_F(RevisionNamesTest, ABraceInTheNameOfARefHidesNoPath) {
  repo_.SetRef("refs/heads/a{b", repo_.Git({"rev-parse", "main"}));
  Convert();
  const std::string blob = Check("main:file");
  EXPECT_EQ(Check("a{b:file"), blob);
  EXPECT_EQ(Check("a{b^{commit}:file"), blob);
  EXPECT_EQ(Check("main^{:file"), "main^{:file missing");
}

TEST_F(RevisionNamesTest, ShallowCommitsHaveNoParents) {
  WriteFile(repo_.git_dir() + "/shallow", tip_ + '\n');
  Convert();
  ExpectSame({"HEAD", "HEAD~1", "HEAD~2", "HEAD^2", "HEAD^2~1", "HEAD^2~2"});
}

TEST_F(RevisionNamesTest, ASearchOfNothingIsOnlyASuffix) {
  Convert();
  ExpectSame({":/", "HEAD^{/}", "^{/}", "HEAD:/"});
  for (const std::string range : {":/", "^:/", "HEAD...:/", ":/..HEAD"}) {
    const ProcessResult result =
        RunZpack({"rev-list", "--count", file_, range, "main"});
    EXPECT_EQ(result.exit_code, 128) << range;
  }
}

TEST_F(RevisionNamesTest, ErrorsNameWhatIsMissing) {
  Convert();
  const auto error = [&](const std::string& name) {
    const ProcessResult result = RunZpack({"cat-file", "-t", file_, name});
    EXPECT_EQ(result.exit_code, 128) << name;
    return result.err;
  };
  EXPECT_THAT(error("HEAD^{tree}:dir/none"),
              HasSubstr("path 'dir/none' does not exist in 'HEAD^{tree}'"));
  EXPECT_THAT(error("main^3"), HasSubstr("'main^3' leads beyond commit"));
  EXPECT_THAT(error("main~1^2"), HasSubstr(", which has 1 parent\n"));
  EXPECT_THAT(error("of-blob^{tree}"), HasSubstr("does not lead to a tree"));
  EXPECT_THAT(error("none^{tree}"), HasSubstr("no object or ref 'none'"));
}

// What Git says of it counts the uses of a name, which are its own.
TEST_F(RevisionNamesTest, WarnsOfAmbiguousRefsAsGitDoes) {
  const std::string id = repo_.Git({"rev-parse", "main"});
  const std::string digits = id.substr(0, 7);
  for (const std::string& name :
       {std::string("v1"), std::string("HEAD"), digits, id}) {
    repo_.SetRef("refs/heads/" + name, tip_);
  }
  Convert();
  const auto warns = [&](std::vector<std::string> words, size_t file,
                         const std::string& name) {
    const ProcessResult git = repo_.TryGit(words);
    words.insert(words.begin() + static_cast<ptrdiff_t>(file), file_);
    const ProcessResult ours = RunZpack(words);
    EXPECT_EQ(ours.exit_code, 0) << ours.err;
    EXPECT_EQ(ours.out, git.out);
    const std::string warning =
        "warning: refname '" + name + "' is ambiguous.\n";
    EXPECT_EQ(ours.err, name.empty() ? "" : warning) << words.back();
    EXPECT_EQ(git.err.find("' is ambiguous.") == std::string::npos,
              name.empty())
        << git.err;
    EXPECT_THAT(git.err, HasSubstr(name.empty() ? "" : warning));
  };
  warns({"rev-list", "v1"}, 1, "v1");
  warns({"rev-list", "tags/v1~2"}, 1, "");
  warns({"rev-list", "^v1~2", "main"}, 1, "v1");
  warns({"rev-list", "main..v1"}, 1, "v1");
  warns({"rev-list", "main^!"}, 1, "");
  warns({"rev-list", "v1^@"}, 1, "v1");
  warns({"rev-list", "--all"}, 1, "");
  warns({"rev-list", digits}, 1, digits);
  warns({"rev-list", id}, 1, id);
  warns({"rev-list", "@"}, 1, "@");
  warns({"rev-list", ":/."}, 1, "");
  warns({"cat-file", "-p", "v1:file"}, 2, "v1");
  warns({"cat-file", "-t", id + "^{tree}"}, 2, id);
  warns({"ls-tree", "v1^{tree}"}, 1, "v1");
  warns({"grep", "-c", "content", "v1"}, 3, "v1");
  warns({"log", "--no-notes", "--no-mailmap", "--format=%H", "-1", "v1"}, 5,
        "v1");
}

TEST_F(RevisionNamesTest, WarnsOfAmbiguousRefsWhereTheNameFails) {
  repo_.SetRef("refs/heads/v1", tip_);
  Convert();
  const std::string warning = "warning: refname 'v1' is ambiguous.\n";
  for (const char* const name :
       {"v1:nope", "v1~99", "v1^{blob}", "v1~99^@", "^v1~99", "main..v1~99",
        "v1~99^!", "v1~99^-"}) {
    const ProcessResult git = repo_.TryGit({"rev-list", name, "--"});
    EXPECT_THAT(git.err, StartsWith(warning)) << name;
    for (const char* const command : {"rev-list", "log"}) {
      const ProcessResult ours = RunZpack({command, file_, name});
      EXPECT_EQ(ours.exit_code, 128);
      EXPECT_THAT(ours.err, StartsWith(warning + "fatal: ")) << name;
    }
  }
  EXPECT_THAT(repo_.TryGit({"rev-list", "nope..v1", "--"}).err,
              StartsWith("fatal: "));
  EXPECT_THAT(RunZpack({"rev-list", file_, "nope..v1"}).err,
              StartsWith("fatal: "));
}

TEST_F(RevisionNamesTest, BatchesWarnOfAmbiguousRefsAsGitDoes) {
  const std::string id = repo_.Git({"rev-parse", "main"});
  repo_.SetRef("refs/heads/v1", tip_);
  repo_.SetRef("refs/heads/" + id, tip_);
  Convert();
  ProcessOptions options;
  options.input = "main\nv1^{tree}\n" + id + "\n" + id + "^0\n" + id + "~1\n" +
                  id + ":file\n";
  const ProcessResult ours =
      RunZpack({"cat-file", "--batch-check", file_}, options);
  EXPECT_EQ(ours.err, "warning: refname 'v1' is ambiguous.\n");
}

TEST_F(RevisionNamesTest, RevListTakesThem) {
  Convert();
  for (const char* const name : {"v1~2", "HEAD^2", "outer^{}", "main~1"}) {
    EXPECT_EQ(RunZpack({"rev-list", file_, name}).out,
              repo_.Git({"rev-list", name}) + '\n');
  }
}

}  // namespace
}  // namespace zpack::testing
