// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that depend on each other, as commands name them, show them, write
// them to standard output, and keep them from being replaced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/chain_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ChainUseTest = ChainFixture;

TEST_F(ChainUseTest, ForceReplacesAFileThatOthersNeedOnlyIfGivenTwice) {
  AddThree();
  const std::string before = ReadFile(File(1));
  const std::string refused = "'" + File(1) + "' cannot be replaced: '" +
                              File(2) +
                              "' depends on it\nhint: use --force "
                              "twice";
  EXPECT_THAT(Error({"convert", "-f", repo_.path(), File(1)}),
              HasSubstr(refused));
  EXPECT_THAT(
      Error({"convert", "-f", "--onto", File(0), repo_.path(), File(1)}),
      HasSubstr(refused));
  EXPECT_THAT(Error({"convert", "--force", "--dry-run", repo_.path(), File(1)}),
              HasSubstr(refused));
  // Of another chain.
  const std::string other = dir_ / "out/other.zpack";
  Output({"convert", "-q", repo_.path(), other});
  EXPECT_THAT(Error({"consolidate", "-f", other, File(1)}), HasSubstr(refused));
  // What a link leads to.
  const std::string link = dir_ / "link.zpack";
  std::filesystem::create_symlink(File(1), link);
  EXPECT_THAT(Error({"convert", "-f", repo_.path(), link}),
              HasSubstr("'" + link + "' cannot be replaced: '" + File(2)));
  EXPECT_TRUE(ReadFile(File(1)) == before);
  ExpectWhole(File(2));
  // The last one is needed by nobody.
  Output({"convert", "-q", "-f", repo_.path(), File(2)});
  Add(3);
  Output({"convert", "-q", "-f", "-f", repo_.path(), File(0)});
  Output({"consolidate", "-q", "--force", "--force", other, File(2)});
  EXPECT_THAT(Error({"verify", File(1)}), HasSubstr("depends on 'x.0.zpack'"));
  Write("f", "other numbers");
  Commit("later");
  Output({"convert", "-qff", "--update", repo_.path(), File(2)});
  ExpectWhole(File(2));
}

// Beside the link first, then beside what the link leads to.
TEST_F(ChainUseTest, ALinkLeadsToAFileThatDependsOnOthers) {
  AddThree();
  const std::string links = dir_ / "links";
  std::filesystem::create_directory(links);
  std::filesystem::create_symlink("../out/x.2.zpack", links + "/link.zpack");
  Output({"verify", "-q", links + "/link.zpack"});
  Output({"convert", "-q", repo_.path(), links + "/x.1.zpack"});
  Output({"verify", "-q", links + "/link.zpack"});
  std::filesystem::rename(File(1), dir_ / "out/renamed.zpack");
  Output({"verify", "-q", links + "/link.zpack"});
  std::filesystem::remove(dir_ / "out/renamed.zpack");
  EXPECT_THAT(Error({"verify", links + "/link.zpack"}),
              HasSubstr("which is not in '" + links + "', '" +
                        std::filesystem::canonical(dir_ / "out").string()));
}

TEST_F(ChainUseTest, AnUpdateOfAFileThatOthersNeedMayChangeNothing) {
  Write("f", "1\n");
  Commit("1");
  Add(0);
  Add(1);
  const std::string before = ReadFile(File(0));
  EXPECT_EQ(nlohmann::json::parse(Output({"convert", "--update", "--json",
                                          repo_.path(), File(0)}))["update"],
            "unchanged");
  EXPECT_TRUE(ReadFile(File(0)) == before);
  repo_.Git({"tag", "t"});
  EXPECT_THAT(Error({"convert", "--update", repo_.path(), File(0)}),
              HasSubstr("'" + File(1) + "' depends on it"));
  // Neither can a file that is of no use as the older one be replaced.
  const std::string other = dir_ / "other.git";
  RunProcess({"git", "init", "-q", "--bare", "--object-format=sha256", other});
  EXPECT_THAT(Error({"convert", "--update", "--force", other, File(0)}),
              HasSubstr("'" + File(1) + "' depends on it"));
  EXPECT_TRUE(ReadFile(File(0)) == before);
}

TEST_F(ChainUseTest, RestoreKeepsDeltasAgainstFilesBelow) {
  AddThree();
  const std::string back = dir_ / "back.git";
  Output({"restore", "-q", File(2), back});
  const auto base_of = [&](const std::string& name) {
    ProcessOptions input;
    input.input = repo_.Git({"rev-parse", name}) + '\n';
    return RunProcess(
               {"git", "-C", back, "cat-file", "--batch-check=%(deltabase)"},
               input)
        .out;
  };
  EXPECT_EQ(base_of("HEAD:d/f"), repo_.Git({"rev-parse", "HEAD^:d/f"}) + '\n');
  EXPECT_EQ(base_of("HEAD^:d/f"),
            repo_.Git({"rev-parse", "HEAD^^:d/f"}) + '\n');
  EXPECT_EQ(RunProcess({"git", "-C", back, "fsck", "--strict"}).exit_code, 0);
}

TEST_F(ChainUseTest, JsonSaysWhatTheNextFileLacks) {
  AddThree();
  repo_.Git({"branch", "gone"});
  Add(3);
  repo_.Git({"branch", "-q", "-D", "gone"});
  const auto lost = [&](const std::string& onto) {
    return nlohmann::json::parse(Output({"convert", "--json", "-f", "--onto",
                                         onto, repo_.path(), File(4)}))["lost"];
  };
  EXPECT_EQ(lost(File(3)),
            nlohmann::json({{"refs", 1}, {"objects", 0}, {"lfs_objects", 0}}));
  EXPECT_EQ(lost(File(2))["refs"], 0);
}

TEST_F(ChainUseTest, AWarningSaysIfTheFilesBelowAreNotFoundThere) {
  AddThree();
  std::filesystem::create_directories(dir_ / "store");
  const std::string next = dir_ / "store/next.zpack";
  const auto warning = [&](std::vector<std::string> command) {
    const ProcessResult result = RunZpack(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string warned =
      "warning: '" + next + "' is not in the directory of '" + File(2) + "'";
  const std::vector<std::string> convert = {"convert", "-qf",        "--onto",
                                            File(2),   repo_.path(), next};
  const std::vector<std::string> consolidate = {
      "consolidate", "-qf", "--from", "2", File(2), next};
  for (const auto& command : {convert, consolidate}) {
    EXPECT_THAT(warning(command), HasSubstr(warned));
    auto named = command;
    named.insert(named.begin() + 1, {"--backing", dir_ / "out"});
    EXPECT_EQ(warning(named), "");
    named[2] = dir_ / "store";
    EXPECT_THAT(warning(named), HasSubstr(warned));
  }
  // The file that is joined is elsewhere, and those that stay are found.
  std::filesystem::copy(File(2), dir_ / "elsewhere.zpack");
  std::filesystem::copy(File(0), dir_ / "store/0.zpack");
  EXPECT_EQ(warning({"consolidate", "-qf", "--backing", dir_ / "out", "--from",
                     "2", dir_ / "elsewhere.zpack", next}),
            "");
}

TEST_F(ChainUseTest, ConsolidateWritesToStandardOutput) {
  AddThree();
  const std::string one = dir_ / "one.zpack";
  Output({"consolidate", "-q", File(2), one});
  ProcessOptions here;
  here.directory = dir_ / "";
  const ProcessResult whole = RunZpack({"consolidate", File(2), "-"}, here);
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_TRUE(whole.out == ReadFile(one));
  EXPECT_THAT(whole.err, HasSubstr("Joined 3 files"));
  EXPECT_THAT(whole.err, HasSubstr("in '-': "));
  const std::string part = dir_ / "out/part.zpack";
  WriteFile(
      part,
      RunZpack({"consolidate", "-q", "--from", "2", File(2), "-"}, here).out);
  ExpectWhole(part);
  EXPECT_FALSE(Exists(dir_ / "-"));
  const ProcessResult next =
      RunZpack({"convert", "--onto", File(2), repo_.path(), "-"}, here);
  WriteFile(File(3), next.out);
  ExpectWhole(File(3));
  EXPECT_THAT(next.err, HasSubstr("'-' holds what '" + File(2) + "' lacks"));
  EXPECT_THAT(next.err, Not(HasSubstr("warning")));
  for (const std::string option : {"--geometric=2", "--json"}) {
    EXPECT_THAT(Error({"consolidate", option, File(2), "-"}, 129),
                HasSubstr("cannot be used with standard output"));
  }
}

TEST_F(ChainUseTest, FormatsForProgramsSayWhatWasNotVerified) {
  AddThree();
  for (const std::string format : {"junit", "github"}) {
    SCOPED_TRACE(format);
    const std::string own =
        Output({"verify", "--own", "--format", format, File(2)});
    EXPECT_THAT(own, AllOf(HasSubstr("own: "), HasSubstr("not checked: ")));
    EXPECT_THAT(own, HasSubstr("objects in the files that it depends on"));
    EXPECT_THAT(Output({"verify", "--sample", "5%", "--seed", "7", "--format",
                        format, File(0)}),
                HasSubstr("sample: "));
    EXPECT_THAT(Output({"verify", "--format", format, File(2)}),
                Not(HasSubstr("not checked: ")));
  }
}

TEST_F(ChainUseTest, ReportListsTheFiles) {
  AddThree();
  EXPECT_THAT(Output({"report", "-q", File(2)}),
              AllOf(HasSubstr(", with the files that it depends on\n"
                              "depends on '" +
                              File(1) + "', "),
                    HasSubstr("\ndepends on '" + File(0) + "', ")));
  const auto report =
      nlohmann::json::parse(Output({"report", "-q", "--json", File(2)}));
  EXPECT_EQ(
      report["depends_on"],
      nlohmann::json::parse(Output({"show", "--json", File(2)}))["depends_on"]);
  EXPECT_EQ(report["depends_on"].size(), 2U);
  EXPECT_THAT(nlohmann::json::parse(
                  Output({"report", "-q", "--json", File(0)}))["depends_on"],
              IsEmpty());
  EXPECT_THAT(Output({"report", "-q", File(0)}), Not(HasSubstr("depends on")));
}

// What a repository has lost, `convert` says in the same words with --onto as
// without it.
TEST_F(ChainUseTest, ALostObjectThatRefsNeedIsNoticed) {
  Write("f", "kept\n");
  Write("g", "lost\n");
  Commit("1");
  Add(0);
  const std::string blob = repo_.Git({"rev-parse", "HEAD:g"});
  Write("f", "new\n");
  Commit("2");
  const std::string object =
      repo_.git_dir() + "/objects/" + blob.substr(0, 2) + '/' + blob.substr(2);
  const std::string content = ReadFile(object);
  std::filesystem::remove(object);
  const std::string plain =
      Error({"convert", repo_.path(), dir_ / "plain.zpack"});
  EXPECT_THAT(plain, AllOf(HasSubstr(blob), HasSubstr("--keep-going")));
  EXPECT_EQ(Error({"convert", "--onto", File(0), repo_.path(), File(1)}),
            plain);
  EXPECT_THAT(Error({"convert", "--keep-going", "--onto", File(0), repo_.path(),
                     File(1)}),
              AllOf(HasSubstr("has lost, such as " + blob),
                    HasSubstr("'git zpack restore', then 'git fetch'")));
  // Damaged, which only reading finds.
  WriteFile(object, "damaged");
  EXPECT_THAT(Error({"convert", "--keep-going", "--onto", File(0), repo_.path(),
                     File(1)}),
              HasSubstr("has lost, such as " + blob));
  EXPECT_FALSE(Exists(File(1)));
  WriteFile(object, content);
  Add(1);
  ExpectWhole(File(1));
  // Once no ref needs it, it may be gone.
  std::filesystem::remove(repo_.path() + "/g");
  repo_.Git({"checkout", "-q", "--orphan", "fresh"});
  Commit("3");
  repo_.Git({"branch", "-q", "-D", "main"});
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  Add(2);
  EXPECT_EQ(Output({"cat-file", "-p", File(2), blob}), "lost\n");
}

TEST_F(ChainUseTest, AFileThatOthersNeedIsNotReplacedByAnother) {
  AddThree();
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", File(1)}),
            File(2) + '\n');
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", File(2)}), "");
  EXPECT_EQ(nlohmann::json::parse(Output({"show", "--dependents", dir_ / "out",
                                          "--json", File(0)}))[0]["path"],
            File(1));
  const std::string before = ReadFile(File(0));
  EXPECT_THAT(Error({"convert", "--update", repo_.path(), File(0)}),
              HasSubstr("'" + File(0) + "' cannot be replaced: '" + File(1) +
                        "' depends on it"));
  EXPECT_THAT(
      Error({"consolidate", "-f", "--profile", "max", File(1), File(1)}),
      HasSubstr("'" + File(1) + "' cannot be replaced: '" + File(2) +
                "' depends on it"));
  EXPECT_TRUE(ReadFile(File(0)) == before);
  Output({"protect", "-q", File(1)});
  EXPECT_EQ(Output({"show", "--dependents", dir_ / "out", File(1)}),
            File(2) + '\n');
  Output({"consolidate", "-qf", File(1), File(1)});
  ExpectWhole(File(2));
}

TEST_F(ChainUseTest, TheNextFileIsNamed) {
  std::filesystem::create_directories(dir_ / "n");
  const std::string name =
      std::filesystem::path(repo_.path()).filename().string();
  const auto numbered = [&](const std::string& number) {
    return (dir_ / "n") + '/' + name + '.' + number + ".zpack";
  };
  const auto latest = [&] {
    return nlohmann::json::parse(Output(
        {"convert", "--json", "--onto-latest", dir_ / "n", repo_.path()}));
  };
  Write("f", "1");
  Commit("1");
  EXPECT_TRUE(latest()["onto"].is_null());
  const auto unchanged = latest();
  EXPECT_EQ(unchanged["update"], "unchanged");
  EXPECT_EQ(unchanged["index_bytes"], 0);
  Write("f", "2");
  Commit("2");
  const auto second = latest();
  EXPECT_EQ(second["onto"]["path"], numbered("0000"));
  EXPECT_EQ(second["output"], numbered("0001"));
  std::filesystem::rename(numbered("0001"), numbered("9999"));
  WriteFile(numbered("abcd"), "");
  WriteFile((dir_ / "n") + "/" + name + "x.99999.zpack", "");
  repo_.Git({"tag", "t"});
  EXPECT_EQ(latest()["onto"]["path"], numbered("9999"));
  EXPECT_EQ(latest()["update"], "unchanged");
  EXPECT_THAT(ListDirectory(dir_ / "n"),
              ElementsAre(name + ".0000.zpack", name + ".10000.zpack",
                          name + ".9999.zpack", name + ".abcd.zpack",
                          name + "x.99999.zpack"));
  ExpectWhole(numbered("10000"));
  EXPECT_EQ(RunZpack({"convert", "--onto-latest", dir_ / "none", repo_.path()})
                .exit_code,
            128);
  // Another repository of the same name.
  const std::string other = dir_ / ("other/" + name);
  RunProcess({"git", "init", "-q", other});
  RunProcess({"git", "-C", other, "-c", "user.name=a", "-c", "user.email=a@b",
              "commit", "-q", "--allow-empty", "-m", "other"});
  EXPECT_THAT(Error({"convert", "--onto-latest", dir_ / "n", other}),
              HasSubstr("another repository"));
  // One without commits is none.
  const std::string empty = dir_ / ("empty/" + name);
  RunProcess({"git", "init", "-q", empty});
  Output({"convert", "-q", "--onto-latest", dir_ / "n", empty});
}

TEST_F(ChainUseTest, AnUnchangedFileWithoutParityIsNamed) {
  std::filesystem::create_directory(dir_ / "n");
  Write("f", "1");
  Commit("1");
  Output({"convert", "-q", "--onto-latest", dir_ / "n", repo_.path()});
  const auto again = [&] {
    return RunZpack({"convert", "-q", "--redundancy", "30%", "--onto-latest",
                     dir_ / "n", repo_.path()})
        .err;
  };
  EXPECT_THAT(again(), HasSubstr(".0000.zpack' has no parity"));
  Write("f", "2");
  Commit("2");
  EXPECT_EQ(again(), "");
  EXPECT_EQ(again(), "");
}

TEST_F(ChainUseTest, WhatAnOlderFileOfTheChainHoldsIsNotHashedAgain) {
  AddThree();
  const auto skipped = [&](const std::string& older, const std::string& file) {
    const auto scope = nlohmann::json::parse(
        Output({"verify", "--json", "--since", older, file}))["scope"];
    return scope["objects_left_out"].get<int>();
  };
  const auto objects = [&](const std::string& file) {
    return nlohmann::json::parse(Output({"show", "--json", file}))["objects"]
        .get<int>();
  };
  const int first = objects(File(0));
  EXPECT_EQ(skipped(File(0), File(1)), first);
  EXPECT_EQ(skipped(File(0), File(2)), first);
  EXPECT_EQ(skipped(File(1), File(2)), first + objects(File(1)));
  const std::string joined = dir_ / "joined.zpack";
  Output({"consolidate", "-q", File(2), joined});
  EXPECT_GE(skipped(File(1), joined), first);
}

TEST_F(ChainUseTest, TheLatestFileIsNamedAfterTheRepository) {
  Write("src/f", "1");
  Commit("1");
  const std::string name =
      std::filesystem::path(repo_.path()).filename().string();
  std::filesystem::create_directory(dir_ / "n");
  Output({"convert", "-q", "--discover", "--onto-latest", dir_ / "n",
          repo_.path() + "/src"});
  EXPECT_THAT(ListDirectory(dir_ / "n"), ElementsAre(name + ".0000.zpack"));
  // No file could depend on the first one.
  const std::string odd = dir_ / "a\nb";
  RunProcess({"git", "init", "-q", odd});
  EXPECT_THAT(Error({"convert", "--onto-latest", dir_ / "n", odd}),
              HasSubstr("a control character"));
}

TEST_F(ChainUseTest, OptionsThatExcludeEachOther) {
  AddThree();
  const std::string file = File(2);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"convert", "--onto", file, "--base", file,
                                 repo_.path(), File(3)},
        {"convert", "--onto", file, "--update", repo_.path(), File(3)},
        {"convert", "--onto", file, "--resume", repo_.path(), File(3)},
        {"convert", "--onto-latest", dir_ / "out", repo_.path(), File(3)},
        {"convert", repo_.path()},
        {"verify", "--own", "--sample", "5%", file},
        {"verify", "--own", "--since", File(1), file},
        {"consolidate", "--from", "2", "--geometric", "2", file, File(3)},
        {"consolidate", "--geometric", "1", file, File(3)},
        {"consolidate", "--from", "0", file, File(3)}}) {
    Error(command, 129);
  }
  EXPECT_THAT(Error({"consolidate", "--from", "4", file, File(3)}),
              HasSubstr("consists of 3 files; none of them is file 4"));
  for (const int below : {0, 1}) {
    EXPECT_THAT(Error({"consolidate", "-f", file, File(below)}),
                HasSubstr("cannot be replaced"));
    EXPECT_THAT(
        Error({"convert", "-f", "--onto", file, repo_.path(), File(below)}),
        HasSubstr("cannot be replaced"));
  }
  ExpectWhole(file);
  EXPECT_THAT(Error({"convert", "--onto", File(1), repo_.path(), file}),
              Not(HasSubstr("--update")));
  EXPECT_THAT(Error({"convert", "--onto", file, "-f", repo_.path(), file}),
              HasSubstr("cannot be replaced by a file that depends on it"));
  EXPECT_THAT(Error({"convert", "--update", repo_.path(), file}),
              HasSubstr("depends on another file"));
}

TEST_F(ChainUseTest, AFileThatIsNotThereIsNamed) {
  AddThree();
  ExpectWhole(File(2));
  std::filesystem::create_directories(dir_ / "other");
  const std::string moved = dir_ / "other/renamed.zpack";
  std::filesystem::rename(File(1), moved);
  const std::string hash = nlohmann::json::parse(Output(
      {"show", "--json", "--backing", dir_ / "out", moved}))["file_hash"];
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"verify", File(2)},
        {"verify", "--own", File(2)},
        {"show", File(2)},
        {"list-refs", File(2)},
        {"cat-file", "-p", File(2), "HEAD:d/f"},
        {"consolidate", File(2), dir_ / "one.zpack"},
        {"restore", File(2), dir_ / "back.git"},
        {"convert", "--onto", File(2), repo_.path(), File(3)}}) {
    EXPECT_THAT(
        Error(command),
        HasSubstr("'" + File(2) + "' depends on 'x.1.zpack' (file hash " +
                  hash + "), which is not in '" + (dir_ / "out") + "'"))
        << ::testing::PrintToString(command);
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "back.git"));
  EXPECT_FALSE(std::filesystem::exists(File(3)));
  Output(
      {"verify", "-q", "--backing", moved, "--backing", dir_ / "out", File(2)});
  Output({"verify", "-q", "--backing", dir_ / "other", "--backing",
          dir_ / "out", File(2)});
  EXPECT_THAT(Error({"verify", "--backing", dir_ / "none", File(2)}),
              HasSubstr(", '" + (dir_ / "none") + "'"));
  // Beside it, a file is found whatever its name is.
  std::filesystem::rename(moved, dir_ / "out/a.zpack");
  ExpectWhole(File(2));
}

TEST_F(ChainUseTest, AMissingFileWithoutObjectsIsNamed) {
  Write("f", "1\n");
  Commit("1");
  Add(0);
  repo_.Git({"tag", "a"});
  Add(1);
  repo_.Git({"tag", "b"});
  Add(2);
  std::filesystem::remove(File(1));
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("depends on 'x.1.zpack'"));
  // No file is below itself.
  std::filesystem::remove(File(0));
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("depends on 'x.1.zpack'"));
}

}  // namespace
}  // namespace zpack::testing
