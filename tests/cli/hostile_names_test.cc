// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that forge lines, command terminals or do not fit a repository, in
// files and in repositories.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/hostile_file.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileNamesTest : public ::testing::Test {
 protected:
  HostileNamesTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {}

  void Convert() const {
    const ProcessResult result =
        RunZpack({"convert", "-q", "--force", repo_.path(), file_});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  // Makes refs of a packed-refs file, which Git would not make itself.
  void PackRefs(std::vector<std::string> names) const {
    std::ranges::sort(names);
    std::string text = "# pack-refs with: peeled fully-peeled sorted \n";
    const std::string tip = repo_.History(1);
    for (const std::string& name : names) text += tip + ' ' + name + '\n';
    WriteFile(repo_.git_dir() + "/packed-refs", text);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(HostileNamesTest, RowsOfStatisticsCannotBeForged) {
  const std::string blob = repo_.WriteBlob("content\n");
  CommitFields fields;
  fields.tree = repo_.WriteTree(
      TreeEntryBytes("100644", "a\n   12  forged", blob) +
      TreeEntryBytes("100644", "b.\x1b[2J\xc2\x9b\x9b", blob) +
      TreeEntryBytes("100644", "c." + std::string(2000, 'x'), blob) +
      TreeEntryBytes("100644", "gr\xc3\xbc\xc3\x9f", blob));
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  Convert();
  const std::string out = RunZpack({"show", "--stats", file_}).out;
  EXPECT_THAT(out, AllOf(Not(HasSubstr("\n   12  forged")),
                         Not(HasSubstr("\x1b")), Not(HasSubstr("\x9b"))));
  for (const std::string& line : SplitLines(out)) EXPECT_LT(line.size(), 320);
}

TEST_F(HostileNamesTest, ErrorsShowNamesInOnePrintableLine) {
  repo_.History(1);
  repo_.WriteLooseRef("refs/heads/y", "ref: x\x1b[2J\x9b\n");
  const ProcessResult result = RunZpack({"convert", repo_.path(), file_});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr(R"("x\033[2J\233")"));
  const ProcessResult missing = RunZpack({"verify", dir_ / "no\nfile"});
  EXPECT_EQ(missing.exit_code, 128);
  EXPECT_THAT(missing.err, HasSubstr("no\\nfile"));
  EXPECT_EQ(SplitLines(missing.err).size(), 1U);
}

TEST_F(HostileNamesTest, JsonTakesNamesThatAreNotUtf8) {
  repo_.SetRef("refs/heads/\xff\x9b", repo_.History(1));
  Convert();
  for (const char* const command : {"show", "list-refs"}) {
    const ProcessResult result = RunZpack({command, "--json", file_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  EXPECT_EQ(RunZpack({"verify", "--json", "--against", repo_.path(), file_})
                .exit_code,
            0);
}

TEST_F(HostileNamesTest, RefsThatCannotBeInOneRepositoryAreNotConverted) {
  PackRefs({"refs/heads/a", "refs/heads/a/b"});
  // By the repository, not when the file is read back.
  const std::string where = " in '" + repo_.path() + "'";
  ExpectRefused(repo_.path(), dir_,
                {"'refs/heads/a' and 'refs/heads/a/b'", where});
  PackRefs({"refs/heads"});
  ExpectRefused(repo_.path(), dir_, {"ref 'refs/heads'", where});
  PackRefs({"refs/heads/" + std::string(5000, 'x')});
  ExpectRefused(repo_.path(), dir_, {"refs/heads/xxx"});
}

TEST_F(HostileNamesTest, SymbolicRefsThatNoRepositoryHoldsAreNotRestored) {
  for (const std::string& name :
       {std::string("refs/heads"), "refs/" + std::string(300, 'x')}) {
    HostileFile file;
    file.refs.refs = {{name, {}, {}, "refs/heads/main"}};
    const Bytes bytes = file.Build();
    WriteFile(file_, std::string(bytes.begin(), bytes.end()));
    const ProcessResult result = RunZpack({"restore", file_, dir_ / "r.git"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr("ref '" + name + "'"));
  }
}

TEST_F(HostileNamesTest, ADamagedSignatureIsDamageAndAnotherFileIsNot) {
  repo_.History(1);
  Convert();
  const std::string good = ReadFile(file_);
  for (const size_t at : {0, 4, 12}) {
    std::string damaged = good;
    damaged[at] ^= 1;
    WriteFile(file_, damaged);
    const ProcessResult result = RunZpack({"verify", file_});
    EXPECT_EQ(result.exit_code, 1) << at;
    EXPECT_THAT(result.err, HasSubstr("damaged signature in header"));
  }
  WriteFile(file_, "PACK" + std::string(100, '\0'));
  EXPECT_EQ(RunZpack({"verify", file_}).exit_code, 128);
}

TEST_F(HostileNamesTest, OddTimesAreOrderedAsInGit) {
  int count = 0;
  const auto add = [&](const std::string& lines) {
    const std::string id = repo_.WriteObject(
        "commit", "tree " + std::string(kEmptyTree) + '\n' + lines + "\n\n" +
                      std::to_string(count) + '\n');
    repo_.SetRef("refs/heads/" + std::to_string(count++), id);
  };
  const std::string author = "author A <a> 5 +0000\n";
  // Without '+3000' and blanks alone, where versions of Git differ.
  for (const char* const time :
       {" 1000 +0000", " -5 +0000", " 99999999999999999999 +0000",
        "  2000 +0000", "700 +0000", " 007000 +0000", " x +0000",
        " -99999999999999999999 +0", " 1000 -0700"}) {
    add(author + "committer A <a>" + time);
  }
  add("committer A <a> 9000 +0000");
  add("x y\n" + author + "committer A <a> 9000 +0000");
  add(author + "x y\ncommitter A <a> 9000 +0000");
  Convert();
  EXPECT_EQ(RunZpack({"rev-list", file_, "--all", "--no-objects"}).out,
            repo_.TryGit({"rev-list", "--all"}).out);
}

}  // namespace
}  // namespace zpack::testing
