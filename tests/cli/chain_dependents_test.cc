// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// No command takes away a file that another one needs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/chain_fixture.h"
#include "zpack/consolidate.h"
#include "zpack/convert.h"
#include "zpack/progress.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ChainDependentsTest : public ChainFixture {
 protected:
  ChainDependentsTest() { AddThree(); }

  // `command` fails, and file 1 still has all that it depends on.
  void ExpectRefusal(const std::vector<std::string>& command) {
    const std::string before = ReadFile(File(0));
    const ProcessResult result = RunZpack(command);
    EXPECT_TRUE(result.exit_code == 128 || result.exit_code == 129)
        << ::testing::PrintToString(command) << result.err;
    EXPECT_EQ(ReadFile(File(0)), before) << ::testing::PrintToString(command);
  }

  std::vector<std::string> ReplaceBase() {
    return {"convert", "-qf", repo_.path(), File(0)};
  }
};

TEST_F(ChainDependentsTest, ADamagedFileDependsOnTheBase) {
  const std::string whole = ReadFile(File(1));
  for (const std::string& damaged :
       {whole + '\0', whole.substr(0, whole.size() - 1),
        whole.substr(0, whole.size() - 80), whole.substr(0, 500)}) {
    WriteFile(File(1), damaged);
    ExpectRefusal(ReplaceBase());
    EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", File(0)}),
              File(1) + '\n');
  }
}

TEST_F(ChainDependentsTest, AFileThatCannotBeReadMayDependOnTheBase) {
  const std::string whole = ReadFile(File(1));
  fs::remove(File(2));
  for (const size_t left : {100, 200}) {
    WriteFile(File(1),
              whole.substr(0, left) + std::string(whole.size() - left, '\xff'));
    ExpectRefusal(ReplaceBase());
    EXPECT_THAT(Error({"show", "--dependents", dir_ / "out", File(0)}),
                HasSubstr("x.1.zpack"));
    EXPECT_THAT(
        Error({"show", "--json", "--dependents", dir_ / "out", File(0)}),
        HasSubstr("cannot tell"));
    const std::string other = dir_ / "other.zpack";
    Output({"convert", "-qf", repo_.path(), other});
    ExpectRefusal({"protect", "-f", "-o", File(0), other});
    ExpectRefusal({"archive", "-o", File(0), other, "HEAD"});
    // With the same objects, nothing can be lost.
    const std::string same = dir_ / "same.zpack";
    const std::string base = ReadFile(File(0));
    Output({"protect", "-qf", "-o", same, File(0)});
    Output({"protect", "-qf", "-o", File(0), same});
    WriteFile(File(0), base);
  }
  WriteFile(File(1), whole);
  EXPECT_EQ(RunZpack({"convert", "-qff", repo_.path(), File(0)}).exit_code, 0);
}

TEST_F(ChainDependentsTest, OtherFilesAreInNobodysWay) {
  WriteFile(File(1), ReadFile(File(1)).substr(0, 500));
  WriteFile(dir_ / "out/empty.zpack", "");
  WriteFile(dir_ / "out/text.zpack", "This is no such file.\n");
  fs::create_directory(dir_ / "out/directory.zpack");
  fs::create_symlink("nowhere", dir_ / "out/link.zpack");
  const std::string alone = dir_ / "out/alone.zpack";
  Output({"convert", "-q", repo_.path(), alone});
  Output({"convert", "-qf", repo_.path(), alone});
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", alone}), "");
}

TEST_F(ChainDependentsTest, ABaseUnderAnotherNameIsNeeded) {
  const std::string base = dir_ / "out/base.zpack";
  fs::rename(File(0), base);
  Output({"protect", "-q", base});
  ExpectWhole(File(2));
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", base}),
            File(1) + '\n');
  EXPECT_THAT(Error({"convert", "-qf", repo_.path(), base}),
              HasSubstr("depends on it"));
}

TEST_F(ChainDependentsTest, ABaseWithOtherFilesOfTheRepositoryDoesNotFit) {
  const std::string hook = repo_.git_dir() + "/hooks/update";
  const std::string base = dir_ / "base/x.zpack";
  const std::string fork = dir_ / "fork/x.zpack";
  for (const char* const name : {"base", "fork"}) {
    fs::create_directory(dir_ / name);
  }
  WriteFile(hook, "one\n");
  Output({"convert", "-q", repo_.path(), base});
  Output({"convert", "-q", "--onto", base, repo_.path(), fork});
  ExpectWhole(base);
  const std::vector<std::string> verify = {"verify", "--backing", dir_ / "base",
                                           fork};
  Output(verify);
  Output({"protect", "-q", base});
  Output(verify);
  WriteFile(hook, "two\n");
  Output({"convert", "-q", "--update", repo_.path(), base});
  EXPECT_THAT(Error(verify), HasSubstr("which is not in"));
  EXPECT_THAT(Error({"restore", "--backing", dir_ / "base", fork,
                     dir_ / "restored.git"}),
              HasSubstr("depends on 'x.zpack'"));
}

TEST_F(ChainDependentsTest, WhatIsNoFileUnderTheNameOfTheBaseIsPassedOver) {
  const std::string place = dir_ / "place";
  fs::create_directory(place);
  fs::rename(File(0), place + "/x.0.zpack");
  const std::vector<std::string> command = {"list-refs", "--backing", place,
                                            File(1)};
  const std::string refs = Output(command);
  fs::create_directory(File(0));
  EXPECT_EQ(Output(command), refs);
  fs::remove(File(0));
  fs::create_symlink("x.0.zpack", File(0));
  EXPECT_EQ(Output(command), refs);
  fs::remove(place + "/x.0.zpack");
  EXPECT_THAT(Error(command), HasSubstr("which is not in"));
}

TEST_F(ChainDependentsTest, ADamagedBaseIsNeeded) {
  Output({"protect", "-q", File(0)});
  fs::resize_file(File(0), fs::file_size(File(0)) - 10);
  ExpectRefusal(ReplaceBase());
}

TEST_F(ChainDependentsTest, ACopyOfTheBaseIsNot) {
  const std::string copy = dir_ / "out/copy.zpack";
  fs::copy_file(File(0), copy);
  Output({"convert", "-qf", repo_.path(), copy});
  ExpectWhole(File(2));
  // Another name of the base is no copy.
  fs::remove(copy);
  fs::rename(File(0), copy);
  fs::create_symlink("copy.zpack", File(0));
  EXPECT_THAT(Error({"convert", "-qf", repo_.path(), copy}),
              HasSubstr("depends on it"));
}

TEST_F(ChainDependentsTest, WhatIsMadeOfAFileDoesNotReplaceItsBase) {
  const std::string base = File(0);
  const std::string file = File(1);
  Output({"protect", "-q", "-o", dir_ / "protected.zpack", file});
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"protect", "-f", "-o", base, file},
           {"protect", "-f", "-o", base, dir_ / "protected.zpack"},
           {"restore", "-f", "--bundle", base, file},
           {"report", "-f", "--html", base, file},
           {"archive", "-o", base, file, "HEAD"},
           {"attest", "-o", base, file},
           {"verify", "--format", "json", "-o", base, file},
           {"consolidate", "-f", file, base},
           {"consolidate", "-ff", file, base}}) {
    ExpectRefusal(command);
  }
}

TEST_F(ChainDependentsTest, ARepairedFileDoesNotReplaceABase) {
  const std::string file = File(1);
  Output({"protect", "-q", file});
  std::string bytes = ReadFile(file);
  bytes[300] = static_cast<char>(bytes[300] ^ 1);
  WriteFile(file, bytes);
  ExpectRefusal({"repair", "-f", "-o", File(0), file});
  EXPECT_EQ(RunZpack({"repair", "-q", "--in-place", file}).exit_code, 0);
  ExpectWhole(File(2));
}

TEST_F(ChainDependentsTest, WhatServesAsWellMayReplaceABase) {
  const std::string safe = dir_ / "safe";
  Output({"protect", "-q", "-o", safe + ".zpack", File(0)});
  fs::copy(dir_ / "out", safe);
  const std::string base = safe + "/x.0.zpack";
  const auto damage = [](const std::string& path, size_t at) {
    std::string bytes = ReadFile(path);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    WriteFile(path, bytes);
  };
  damage(base, 1000);
  Output({"protect", "-q", "-f", "-o", base, File(0)});
  ExpectWhole(safe + "/x.2.zpack");
  fs::resize_file(base, 1000);
  damage(safe + ".zpack", 1000);
  EXPECT_EQ(
      RunZpack({"repair", "-q", "-f", "-o", base, safe + ".zpack"}).exit_code,
      0);
  ExpectWhole(safe + "/x.2.zpack");
  // Twice, as every night.
  for (int i = 0; i < 2; ++i) {
    for (const int number : {0, 1, 2}) {
      Output({"protect", "-q", "-f", "-o",
              safe + "/x." + std::to_string(number) + ".zpack", File(number)});
    }
  }
  ExpectWhole(safe + "/x.2.zpack");
}

TEST_F(ChainDependentsTest, WhatIsMadeOfAnotherFileDoesNotReplaceABase) {
  const std::string base = ReadFile(File(1));
  const std::string link = dir_ / "report.json";
  fs::create_symlink(File(1), link);
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"archive", "-o", File(1), File(0), "HEAD"},
           {"restore", "-f", "--bundle", File(1), File(0)},
           {"report", "-f", "--html", File(1), File(0)},
           {"report", "-f", "--html", File(1), repo_.path()},
           {"attest", "-o", link, File(0)},
           {"verify", "--format", "json", "-o", link, File(0)},
           {"protect", "-f", "-o", File(1), File(0)}}) {
    EXPECT_NE(RunZpack(command).exit_code, 0)
        << ::testing::PrintToString(command);
    EXPECT_TRUE(ReadFile(File(1)) == base) << ::testing::PrintToString(command);
  }
}

TEST_F(ChainDependentsTest, AMirrorOfTheBaseIsNotNeeded) {
  const std::string mirror = dir_ / "out/mirror.zpack";
  repo_.Git({"update-ref", "refs/heads/other", "HEAD"});
  for (const int number : {0, 1, 2}) fs::remove(File(number));
  Add(0);
  Output({"convert", "-q", repo_.path(), mirror});
  Write("g", "new");
  Commit("new");
  Add(1);
  // Neither states the hash that file 1 states.
  Output({"protect", "-q", File(0)});
  Output({"protect", "-q", mirror});
  Output({"convert", "-q", "--update", repo_.path(), mirror});
  ExpectWhole(File(1));
}

TEST_F(ChainDependentsTest, ALinkLeadsToADamagedBase) {
  fs::resize_file(File(0), 1000);
  const std::string link = dir_ / "link.zpack";
  fs::create_symlink(File(0), link);
  const std::string other = dir_ / "other.zpack";
  Output({"convert", "-q", repo_.path(), other});
  ExpectRefusal({"protect", "-f", "-o", link, other});
  ExpectRefusal({"consolidate", "-f", other, link});
  ExpectRefusal({"convert", "-f", repo_.path(), link});
}

TEST_F(ChainDependentsTest, AFileOfAnyNameDependsOnTheBase) {
  const std::string odd = dir_ / "out/increment";
  fs::rename(File(1), odd);
  fs::remove(File(2));
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", File(0)}),
            odd + '\n');
  ExpectRefusal(ReplaceBase());
}

TEST_F(ChainDependentsTest, ABaseWithAnotherReflogOfTheSameLengthDoesNotFit) {
  const std::string log = repo_.git_dir() + "/logs/refs/heads/log";
  const std::string id = repo_.Git({"rev-parse", "HEAD"});
  const std::string none(id.size(), '0');
  const auto line = [&](const std::string& from, const std::string& text) {
    return from + ' ' + id + " a <a@b> 1 +0000\t" + text + '\n';
  };
  const std::string place = dir_ / "place";
  fs::create_directory(place);
  repo_.Git({"update-ref", "refs/heads/log", id});
  for (const std::string text : {"one", "two"}) {
    WriteFile(log, line(none, text));
    Output({"convert", "-q", repo_.path(), place + '/' + text + ".zpack"});
  }
  WriteFile(log, line(none, "two") + line(id, "three"));
  const std::string file = dir_ / "file.zpack";
  Output({"convert", "-q", "--onto", place + "/two.zpack", repo_.path(), file});
  const std::vector<std::string> verify = {"verify", "--backing", place, file};
  Output(verify);
  Output({"protect", "-q", place + "/two.zpack"});
  Output(verify);
  fs::rename(place + "/one.zpack", place + "/two.zpack");
  EXPECT_THAT(Error(verify), HasSubstr("which is not in"));
}

TEST_F(ChainDependentsTest, ARestoredRepositoryDoesNotReplaceABase) {
  const std::string repository = dir_ / "w.git";
  Output({"restore", "-q", File(2), repository});
  const std::string objects = repository + "/objects";
  fs::rename(File(0), objects + "/x.0.zpack");
  for (const char* const command : {"restore", "salvage"}) {
    EXPECT_THAT(
        Error({command, "-qf", "--backing", objects, File(2), repository}),
        HasSubstr("would be replaced"));
  }
  EXPECT_TRUE(fs::exists(objects + "/x.0.zpack"));
}

TEST_F(ChainDependentsTest, StaleParityOfFilesBelowIsNamed) {
  Output({"protect", "-q", "--beside", File(2)});
  const std::string parity = File(0) + ".zpar";
  fs::rename(File(2) + ".zpar", parity);
  EXPECT_THAT(RunZpack({"verify", File(1)}).err,
              HasSubstr('\'' + parity + "' is the parity of another version"));
  fs::remove(parity);
  fs::create_directory(parity);
  Output({"verify", File(1)});
}

TEST_F(ChainDependentsTest, TheParityOfFilesBelowIsChecked) {
  Output({"protect", "-q", "--beside", File(0)});
  const std::string parity = File(0) + ".zpar";
  const std::string sound = ReadFile(parity);
  std::string bytes = sound;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(parity, bytes);
  EXPECT_THAT(Error({"verify", File(1)}, 1),
              AllOf(HasSubstr("parity is damaged"),
                    HasSubstr("repair --in-place '" + File(0) + '\''),
                    Not(HasSubstr("salvage"))));
  Output({"verify", "--own", File(1)});

  WriteFile(parity, sound);
  bytes = ReadFile(File(0));
  bytes[200] = static_cast<char>(bytes[200] ^ 1);
  WriteFile(File(0), bytes);
  const std::string repair = "git zpack repair '" + File(0) + '\'';
  EXPECT_THAT(Error({"verify", File(1)}, 1),
              AllOf(HasSubstr("the parity can repair the file: " + repair),
                    Not(HasSubstr("salvage"))));
  EXPECT_THAT(Error({"restore", File(1), dir_ / "restored.git"}),
              HasSubstr("if the file has parity: " + repair));
  Output({"repair", "-q", "--in-place", File(0)});
  ExpectWhole(File(2));
}

// Gives a file its name when the first object has been written.
class Appearance final : public ProgressSink {
 public:
  Appearance(std::string from, std::string to)
      : from_(std::move(from)), to_(std::move(to)) {}
  void Begin(Phase /*phase*/, uint64_t /*objects*/,
             uint64_t /*bytes*/) override {}
  void Advance(uint64_t /*objects*/, uint64_t /*bytes*/) override {
    std::error_code error;
    fs::rename(from_, to_, error);
  }
  void End() override {}

 private:
  std::string from_;
  std::string to_;
};

TEST_F(ChainDependentsTest, AFileThatComesMeanwhileIsSeen) {
  const std::string hidden = dir_ / "hidden";
  const std::string base = ReadFile(File(0));
  fs::remove(File(2));
  fs::rename(File(1), hidden);
  Appearance appearance(hidden, File(1));
  ConvertOptions options;
  options.overwrite = Overwrite::kYes;
  options.run.progress = &appearance;
  const auto converted = zpack::Convert(repo_.path(), File(0), options);
  ASSERT_FALSE(converted);
  EXPECT_THAT(converted.error().message, HasSubstr("depends on it"));
  EXPECT_EQ(ReadFile(File(0)), base);

  fs::rename(File(1), hidden);
  const std::string other = dir_ / "other.zpack";
  Output({"convert", "-q", repo_.path(), other});
  ConsolidateOptions join;
  join.overwrite = Overwrite::kYes;
  join.run.progress = &appearance;
  const auto joined = Consolidate(other, File(0), join);
  ASSERT_FALSE(joined);
  EXPECT_THAT(joined.error().message, HasSubstr("depends on it"));
  EXPECT_EQ(ReadFile(File(0)), base);
}

}  // namespace
}  // namespace zpack::testing
