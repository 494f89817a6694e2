// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that depend on each other: written, read as one, joined, and refused
// where one of them is missing or another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "format/file_header.h"
#include "format/refs_chunk.h"
#include "support/chain_fixture.h"
#include "support/repair.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using ChainTest = ChainFixture;

TEST_F(ChainTest, RandomHistoriesComeBack) {
  for (const std::string profile : {"balanced", "cold"}) {
    SCOPED_TRACE(profile);
    std::mt19937 random(11);
    const auto below = [&](unsigned n) { return random() % n; };
    std::vector<std::string> branches = {profile};
    repo_.Git({"checkout", "-q", "-b", profile});
    int files = 0;
    for (int step = 0; step < 40; ++step) {
      const std::string name =
          "d" + std::to_string(below(3)) + "/f" + std::to_string(below(30));
      switch (below(8)) {
        case 0:
          std::filesystem::remove_all(repo_.path() + '/' + name);
          break;
        case 1:
          branches.push_back(profile + std::to_string(branches.size()));
          repo_.Git({"checkout", "-q", "-b", branches.back()});
          break;
        case 2:
          repo_.Git({"checkout", "-q", branches[below(branches.size())]});
          break;
        case 3:
          repo_.Git({"tag", "-f", "-a", "-m", "tag", profile + "-tag"});
          break;
        case 4:
          if (branches.size() > 2) {
            repo_.Git({"checkout", "-q", branches.front()});
            repo_.Git({"branch", "-q", "-D", branches.back()});
            branches.pop_back();
          }
          break;
        default:
          Write(name, (std::filesystem::exists(repo_.path() + '/' + name)
                           ? ReadFile(repo_.path() + '/' + name)
                           : Lines(random, 100)) +
                          Lines(random, 3));
      }
      Commit("step " + std::to_string(step));
      if (below(4) == 0) {
        std::filesystem::remove(File(files));
        Add(files++, {"--profile", profile});
      }
    }
    std::filesystem::remove(File(files));
    Add(files, {"--profile", profile});
    ExpectWhole(File(files));
    EXPECT_EQ(FilesBelow(File(files)), static_cast<size_t>(files));
    const std::string one = dir_ / "one.zpack";
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{},
          {"--from", "2"},
          {"--from", "4"},
          {"--geometric", "2"},
          {"--profile", "max"},
          {"--profile", "cold"},
          {"--profile", "fast", "--from", "3"}}) {
      SCOPED_TRACE(::testing::PrintToString(options));
      std::vector<std::string> command = {"consolidate", "-qf", "--backing",
                                          dir_ / "out"};
      command.insert(command.end(), options.begin(), options.end());
      command.insert(command.end(), {File(files), dir_ / "out/one.zpack"});
      Output(command);
      ExpectWhole(dir_ / "out/one.zpack");
      std::filesystem::remove(dir_ / "out/one.zpack");
    }
  }
}

TEST_F(ChainTest, AnotherFileIsNotTakenForTheOneBelow) {
  AddThree();
  std::filesystem::rename(File(1), dir_ / "kept");
  std::filesystem::copy(File(0), File(1));
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("depends on 'x.1.zpack'"));
  // As many objects, and other ones.
  Write("other", "one");
  Commit("other");
  std::filesystem::remove(File(1));
  Output({"convert", "-q", "--onto", File(0), repo_.path(), File(1)});
  EXPECT_THAT(Error({"cat-file", "-p", File(2), "HEAD"}),
              HasSubstr("depends on 'x.1.zpack'"));
  // Empty.
  std::filesystem::rename(dir_ / "kept", File(1));
  std::filesystem::resize_file(File(1), 0);
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("depends on 'x.1.zpack'"));
}

// Although the hash in its trailer cannot be read.
TEST_F(ChainTest, ACutFileBelowIsDamagedAndNotAbsent) {
  AddThree();
  for (const int number : {0, 1}) {
    const std::string sound = ReadFile(File(number));
    for (const size_t left :
         {sound.size() - 1, sound.size() / 2, size_t{200}}) {
      SCOPED_TRACE(File(number) + ' ' + std::to_string(left));
      std::filesystem::resize_file(File(number), left);
      const std::string damage =
          "depends on '" +
          std::filesystem::path(File(number)).filename().string() +
          "' (file hash ";
      const std::string why = "), which is damaged: file of " +
                              std::to_string(left) + " bytes where the header";
      EXPECT_THAT(Error({"verify", File(2)}, 1),
                  AllOf(HasSubstr(damage), HasSubstr(why),
                        HasSubstr("says " + std::to_string(sound.size()) +
                                  ": '" + File(number) + "'")));
      const auto report =
          nlohmann::json::parse(RunZpack({"verify", "--json", File(2)}).out);
      EXPECT_EQ(report["damages"].size(), 1U);
      const std::string restored =
          Error({"restore", File(2), dir_ / "back.git"});
      EXPECT_THAT(restored, AllOf(HasSubstr(damage), HasSubstr(why)));
    }
    WriteFile(File(number), sound);
  }
  std::filesystem::remove(File(0));
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("which is not in"));
}

TEST_F(ChainTest, DamageOfAFileBelowIsFoundThere) {
  AddThree();
  const auto blocks = nlohmann::json::parse(
      Output({"show", "--blocks", "--json", File(1)}))["blocks"];
  std::string bytes = ReadFile(File(1));
  const auto offset = blocks[0]["offset"].get<size_t>();
  bytes[offset + 60] = static_cast<char>(bytes[offset + 60] ^ 1);
  WriteFile(File(1), bytes);
  const std::string report = Error({"verify", File(2)}, 1);
  EXPECT_THAT(report, HasSubstr("in block 0 at offset " +
                                std::to_string(offset) + " of '" + File(1)));
  EXPECT_THAT(report, Not(HasSubstr("of '" + File(2))));
  Error({"verify", File(1)}, 1);
  Output({"verify", "-q", File(0)});
}

TEST_F(ChainTest, OutsideIdsOfAFileBelowAreNotNumbersOfAFileAbove) {
  // The parent of a shallow boundary is an outside id, whose number the next
  // file gives to its first object.
  Write("f", "1\n");
  Commit("1");
  const std::string clone = dir_ / "clone";
  RunProcess(
      {"git", "clone", "-q", "--depth", "1", "file://" + repo_.path(), clone});
  Output({"convert", "-q", clone, File(0)});
  WriteFile(clone + "/f", "2\n");
  RunProcess({"git", "-C", clone, "-c", "user.name=a", "-c", "user.email=a@b",
              "commit", "-qam", "2"});
  Output({"convert", "-q", "--onto", File(0), clone, File(1)});
  // Without the index, ids follow from the objects.
  for (const auto& chunk :
       nlohmann::json::parse(Output({"show", "--json", File(1)}))["chunks"]) {
    if (chunk["id"] != "OIDP") continue;
    std::string bytes = ReadFile(File(1));
    const auto at = chunk["offset"].get<size_t>() + 20;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    WriteFile(File(1), bytes);
  }
  const std::string back = dir_ / "back.git";
  const ProcessResult result = RunZpack({"salvage", "--json", File(1), back});
  EXPECT_EQ(nlohmann::json::parse(result.out)["lost_objects"], 0);
  const auto walk = [](const std::string& repository) {
    return RunProcess(
               {"git", "-C", repository, "rev-list", "--objects", "HEAD"})
        .out;
  };
  EXPECT_EQ(walk(back), walk(clone));
}

TEST_F(ChainTest, AFileBelowMayBeProtectedOrJoined) {
  AddThree();
  Output({"protect", "-q", File(0)});
  Output({"protect", "-q", File(1)});
  Output({"protect", "-q", File(2)});
  ExpectWhole(File(2));
  Output({"consolidate", "-q", File(1), dir_ / "one"});
  std::filesystem::remove(File(0));
  std::filesystem::rename(dir_ / "one", File(1));
  ExpectWhole(File(2));
  EXPECT_EQ(FilesBelow(File(2)), 1U);
  // Encoded again, its objects have other numbers.
  Output({"consolidate", "-q", "--profile", "max", File(1), dir_ / "max"});
  std::filesystem::rename(dir_ / "max", File(1));
  Output({"verify", "-q", File(1)});
  EXPECT_THAT(Error({"verify", File(2)}), HasSubstr("depends on 'x.1.zpack'"));
}

TEST_F(ChainTest, TwoForksOnOneBaseStayApart) {
  Write("f", "common\n");
  Commit("base");
  Add(0);
  const std::string base = repo_.Git({"rev-parse", "HEAD"});
  Write("secret", "of one fork\n");
  Commit("one");
  const std::string secret = repo_.Git({"rev-parse", "HEAD:secret"});
  Output({"convert", "-q", "--onto", File(0), repo_.path(), File(1)});
  repo_.Git({"reset", "-q", "--hard", "HEAD^"});
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  Write("other", "of the other fork\n");
  Commit("two");
  Output({"convert", "-q", "--onto", File(0), repo_.path(), File(2)});
  ExpectWhole(File(2));
  Output({"verify", "-q", "--level", "connectivity", File(1)});
  Output({"verify", "-q", "--against", repo_.path(), File(2)});
  Error({"verify", "-q", "--against", repo_.path(), File(1)}, 1);
  Output({"consolidate", "-q", File(2), dir_ / "own.zpack"});
  ExpectWhole(dir_ / "own.zpack");
  const std::string id = secret.substr(0, secret.find('\n'));
  for (const std::string& file : {File(2), (dir_ / "own.zpack")}) {
    EXPECT_THAT(Error({"cat-file", "-e", file, id}, 1), IsEmpty()) << file;
  }
  EXPECT_EQ(Output({"cat-file", "-p", File(1), id}), "of one fork\n");
}

TEST_F(ChainTest, AnIncompleteTreeBelowIsNotTakenToBeComplete) {
  Write("f", "1\n");
  Commit("1");
  // A tree that nothing reaches, whose blob is missing.
  WriteFile(dir_ / "blob", "lost\n");
  const std::string blob = repo_.Git({"hash-object", "-w", dir_ / "blob"});
  Write("sub/g", "lost\n");
  repo_.Git({"add", "-A"});
  const std::string tree = repo_.Git({"write-tree"});
  repo_.Git({"reset", "-q", "--hard"});
  std::filesystem::remove(repo_.git_dir() + "/objects/" + blob.substr(0, 2) +
                          '/' + blob.substr(2));
  Add(0);
  std::filesystem::copy(File(0), dir_ / "update.zpack");
  const std::string commit =
      repo_.Git({"commit-tree", "-m", "now", "-p", "HEAD", tree});
  repo_.Git({"update-ref", "refs/heads/now", commit});
  EXPECT_THAT(Error({"convert", repo_.path(), dir_ / "fresh.zpack"}),
              HasSubstr(blob));
  EXPECT_THAT(Error({"convert", "--onto", File(0), repo_.path(), File(1)}),
              HasSubstr(blob));
  EXPECT_THAT(Error({"convert", "--base", File(0), repo_.path(), File(1)}),
              HasSubstr(blob));
  EXPECT_THAT(
      Error({"convert", "--update", repo_.path(), dir_ / "update.zpack"}),
      HasSubstr(blob));
}

TEST_F(ChainTest, OwnBlocksOnAColdFileAreVerifiedAgainAndAgain) {
  Write("f", "1\n");
  Commit("1");
  Add(0, {"--profile", "cold"});
  Write("f", "2\n");
  Commit("2");
  Add(1);
  for (int i = 0; i < 2; ++i) {
    const auto report =
        nlohmann::json::parse(Output({"verify", "--json", "--own", File(1)}));
    EXPECT_EQ(report["ok"], true);
    EXPECT_EQ(
        report["scope"]["objects_left_out"],
        nlohmann::json::parse(Output({"show", "--json", File(0)}))["objects"]);
  }
}

TEST_F(ChainTest, WhatTheRepositoryHasLostStays) {
  AddThree();
  const std::string gone = repo_.Git({"rev-parse", "HEAD"});
  repo_.Git({"reset", "-q", "--hard", "HEAD^"});
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  Add(3);
  Output({"verify", "-q", "--level", "connectivity", File(3)});
  const std::string id = gone.substr(0, gone.find('\n'));
  EXPECT_EQ(Output({"cat-file", "-t", File(3), id}), "commit\n");
  EXPECT_EQ(Output({"list-refs", File(3)}).find(id), std::string::npos);
  Output(
      {"convert", "-q", "--no-loss", "--onto", File(3), repo_.path(), File(4)});
}

TEST_F(ChainTest, WhatAFileBelowLacksMayBeInTheOneAbove) {
  Write("f", "1\n");
  Write("g", "2\n");
  Commit("1");
  repo_.Git({"config", "uploadpack.allowFilter", "true"});
  repo_.Git({"config", "uploadpack.allowAnySHA1InWant", "true"});
  const std::string clone = dir_ / "clone.git";
  RunProcess({"git", "clone", "-q", "--bare", "--filter=blob:none",
              "file://" + repo_.path(), clone});
  const std::string f = repo_.Git({"rev-parse", "HEAD:f"});
  const std::string g = repo_.Git({"rev-parse", "HEAD:g"});
  Output({"convert", "-q", "--allow-promised", clone, File(0)});
  for (int i = 1; i < 3; ++i) {
    RunProcess({"git", "-C", clone, "cat-file", "-e", i == 1 ? f : g});
    Output({"convert", "-q", "--allow-promised", "--onto", File(i - 1), clone,
            File(i)});
  }
  const auto promised = [&](int number) {
    return nlohmann::json::parse(
        Output({"show", "--json", File(number)}))["promised_objects"];
  };
  EXPECT_EQ(promised(1), promised(0).get<int>() - 1);
  EXPECT_EQ(promised(2), promised(0).get<int>() - 2);
  EXPECT_THAT(Error({"cat-file", "-p", File(1), g}), HasSubstr("promised"));
  EXPECT_EQ(Output({"cat-file", "-p", File(2), g}), "2\n");
  Output({"verify", "-q", "--level", "connectivity", File(2)});
  Output({"consolidate", "-q", File(2), dir_ / "one.zpack"});
  // The list of a file below is not needed, and its damage is found.
  const auto chunks =
      nlohmann::json::parse(Output({"show", "--json", File(1)}))["chunks"];
  std::string bytes = ReadFile(File(1));
  for (const auto& chunk : chunks) {
    if (chunk["id"] != "PROM") continue;
    const auto at = chunk["offset"].get<size_t>() + 20;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
  WriteFile(File(1), bytes);
  EXPECT_THAT(Error({"verify", File(2)}, 1), HasSubstr(File(1)));
  EXPECT_EQ(Output({"cat-file", "-p", File(2), g}), "2\n");
  Output({"restore", "-q", File(2), dir_ / "back.git"});
}

TEST_F(ChainTest, ParentsBeyondAShallowBoundaryCanCome) {
  AddThree();
  for (int i = 0; i < 3; ++i) std::filesystem::remove(File(i));
  const std::string clone = dir_ / "clone.git";
  RunProcess({"git", "clone", "-q", "--bare", "--depth", "1",
              "file://" + repo_.path(), clone});
  Output({"convert", "-q", clone, File(0)});
  RunProcess({"git", "-C", clone, "fetch", "-q", "--unshallow"});
  Output({"convert", "-q", "--onto", File(0), clone, File(1)});
  Output(
      {"verify", "-q", "--level", "connectivity", "--against", clone, File(1)});
  const std::string count = repo_.Git({"rev-list", "--count", "HEAD"}) + '\n';
  EXPECT_EQ(Output({"rev-list", "--all", "--count", File(1)}), count);
  Output({"consolidate", "-q", File(1), dir_ / "one.zpack"});
  EXPECT_EQ(Output({"rev-list", "--all", "--count", dir_ / "one.zpack"}),
            count);
  Output({"restore", "-q", dir_ / "one.zpack", dir_ / "back.git"});
}

TEST_F(ChainTest, AChainEndsAfter255Files) {
  Write("f", "1");
  Commit("1");
  for (int i = 0; i < 255; ++i) Add(i, {"--no-verify"});
  ExpectWhole(File(254));
  const std::string message =
      "'" + File(255) + "' depends on more than 254 other files";
  EXPECT_THAT(Error({"convert", "--onto", File(254), repo_.path(), File(255)}),
              HasSubstr(message));
  Output({"consolidate", "-q", "--from", "200", File(254), dir_ / "one.zpack",
          "--backing", dir_ / "out"});
}

// Gives `file` the hash that it says it depends on.
void PointAtItself(const std::string& file) {
  const std::string text = ReadFile(file);
  Bytes bytes(text.begin(), text.end());
  const uint64_t refs = LoadBigEndian<uint32_t>(&bytes[24]);
  constexpr size_t kHash = format::kChunkHeaderSize + 4 + 32;
  std::ranges::copy(std::span(bytes).last(32),
                    bytes.begin() + static_cast<ptrdiff_t>(refs + kHash));
  RepairChecksums(bytes);
  WriteFile(file, std::string(bytes.begin(), bytes.end()));
}

TEST_F(ChainTest, ACircleIsRefused) {
  Write("f", "1");
  Commit("1");
  Add(0);
  Add(1);
  Add(2);  // has no objects, so that the numbers fit
  PointAtItself(File(2));
  std::filesystem::rename(File(2), File(1));
  EXPECT_THAT(Error({"verify", File(1)}, 1), HasSubstr("depends on itself"));
}

TEST_F(ChainTest, ManyRefsOfWhichFewMoveCostLittle) {
  Write("f", "1");
  Commit("1");
  std::string refs;
  for (int i = 0; i < 5000; ++i) {
    refs += "create refs/heads/r" + std::to_string(i) + " HEAD\n";
  }
  WriteFile(dir_ / "refs", refs);
  RunProcess({"sh", "-c",
              "git -C '" + repo_.path() + "' update-ref --stdin < '" +
                  (dir_ / "refs") + "'"});
  Add(0);
  Write("f", "2");
  Commit("2");
  repo_.Git({"update-ref", "refs/heads/r7", "HEAD"});
  repo_.Git({"update-ref", "-d", "refs/heads/r8"});
  repo_.Git({"update-ref", "refs/heads/r5000", "HEAD"});
  Add(1);
  EXPECT_LT(std::filesystem::file_size(File(1)), 4000U);
  ExpectWhole(File(1));
}

TEST_F(ChainTest, FilesAreStoredAsDifferences) {
  std::mt19937 random(9);
  const std::string git = repo_.git_dir();
  const std::string large = Lines(random, 20000);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(
        std::filesystem::path(git + '/' + name).parent_path());
    WriteFile(git + '/' + name, text);
  };
  write("hooks/pre-push", "#!/bin/sh\n" + large);
  write("info/exclude", large);
  write("description", "before\n");
  Commit("1");
  Add(0);
  write("description", large);
  write("info/exclude", large + "one more\n");  // continued
  Add(1);
  EXPECT_LT(std::filesystem::file_size(File(1)), large.size());
  ExpectWhole(File(1));
  std::filesystem::remove(git + "/description");
  write("info/exclude", "short\n");
  std::filesystem::permissions(
      git + "/hooks/pre-push",
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  Add(2);
  EXPECT_LT(std::filesystem::file_size(File(2)), 4000U);
  ExpectWhole(File(2));
  Add(3, {"--without", "hooks"});
  EXPECT_THAT(Output({"list-files", File(3)}), Not(HasSubstr("hooks/")));
  Output({"consolidate", "-q", "--from", "2", File(3), File(4)});
  EXPECT_EQ(Output({"list-files", File(4)}), Output({"list-files", File(3)}));
  EXPECT_EQ(Output({"cat-extra", File(4), "info/exclude"}), "short\n");
}

TEST_F(ChainTest, Sha256) {
  const std::string repository = dir_ / "sha256";
  RunProcess({"git", "init", "-q", "--object-format=sha256", repository});
  const auto commit = [&](const std::string& text) {
    WriteFile(repository + "/f", text);
    RunProcess({"git", "-C", repository, "add", "f"});
    RunProcess({"git", "-C", repository, "-c", "user.name=a", "-c",
                "user.email=a@b", "commit", "-qm", text});
  };
  commit("1");
  Output({"convert", "-q", repository, File(0)});
  commit("2");
  Output({"convert", "-q", "--onto", File(0), repository, File(1)});
  Output({"verify", "-q", "--level", "connectivity", "--against", repository,
          File(1)});
  EXPECT_THAT(Error({"convert", "--onto", File(1), repo_.path(), File(2)}),
              HasSubstr("the object format of '" + File(1) + "' is sha256"));
}

TEST_F(ChainTest, LargeObjectsAreEncodedAgainPieceByPiece) {
  std::mt19937 random(5);
  std::string large;
  while (large.size() < (size_t{3} << 20)) {
    large += static_cast<char>(random() % 64);
  }
  Write("large", large);
  Commit("1");
  Add(0, {"--block-size", "64k"});
  Write("f", "2");
  Commit("2");
  Add(1);
  Output(
      {"consolidate", "-q", "--profile", "fast", File(1), dir_ / "one.zpack"});
  ExpectWhole(dir_ / "one.zpack");
}

}  // namespace
}  // namespace zpack::testing
