// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What damage of each single part of files that depend on each other costs:
// nothing but what the part itself holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "format/constants.h"
#include "support/chain_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class ChainPartsTest : public ChainFixture {
 protected:
  // A file, and one that depends on it, of a partial clone that lacks a blob.
  // The salvage of the sound file has everything else.
  void AddTwo(const std::vector<std::string>& options) {
    Write("f", "1\n");
    Write("d/g", "2\n");
    Commit("1");
    repo_.Git({"tag", "-a", "-m", "a tag", "v1"});
    repo_.Git({"config", "uploadpack.allowFilter", "true"});
    repo_.Git({"config", "uploadpack.allowAnySHA1InWant", "true"});
    Require(RunProcess({"git", "clone", "-q", "--bare", "--filter=blob:none",
                        "file://" + repo_.path(), clone_})
                .ok(),
            "clone");
    std::vector<std::string> first = {"convert", "-q", "--allow-promised"};
    first.insert(first.end(), options.begin(), options.end());
    first.insert(first.end(), {clone_, File(0)});
    Output(first);
    const std::string blob = repo_.Git({"rev-parse", "HEAD:f"});
    Require(RunProcess({"git", "-C", clone_, "cat-file", "-e", blob}).ok(),
            "fetch");
    Output({"convert", "-q", "--allow-promised", "--onto", File(0), clone_,
            File(1)});
    all_ = Salvaged();
  }
  // What salvage brings back of the second file, and what it says.
  std::string Salvaged() {
    const ProcessResult result =
        RunZpack({"salvage", "-f", "-q", "--json", File(1), back_});
    report_ = Json::parse(result.out, nullptr, false);
    EXPECT_FALSE(report_.is_discarded()) << result.err;
    return RunProcess({"git", "-C", back_, "cat-file", "--batch-all-objects",
                       "--batch-check"})
               .out +
           RunProcess({"git", "-C", back_, "show-ref", "--head", "-d"}).out;
  }
  // Names and places of all parts that are no blocks.
  static std::vector<std::pair<std::string, size_t>> Parts(
      const std::string& file) {
    const size_t size = ReadFile(file).size();
    std::vector<std::pair<std::string, size_t>> parts = {
        {"header", 40},
        {"trailer", size - static_cast<size_t>(format::kTrailerSize)},
        {"file hash", size - 1}};
    const Json chunks = Json::parse(Output({"show", "--json", file}))["chunks"];
    for (const auto& chunk : chunks) {
      const auto offset = chunk["offset"].get<size_t>();
      const auto id = chunk["id"].get<std::string>();
      parts.emplace_back(id, offset);
      parts.emplace_back(id, offset + chunk["size"].get<size_t>() / 2);
    }
    return parts;
  }
  static void Flip(const std::string& file, size_t at) {
    std::string bytes = ReadFile(file);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    WriteFile(file, bytes);
  }
  void ExpectNoObjectIsLost() {
    for (const int number : {0, 1}) {
      const std::string sound = ReadFile(File(number));
      for (const auto& [name, at] : Parts(File(number))) {
        SCOPED_TRACE(File(number) + ' ' + name + ' ' + std::to_string(at));
        Flip(File(number), at);
        EXPECT_EQ(Salvaged(), all_) << report_.dump();
        EXPECT_EQ(RunZpack({"list-refs", File(1)}).exit_code, 0);
        EXPECT_EQ(RunZpack({"verify", "-q", File(1)}).exit_code, 1);
        EXPECT_EQ(RunZpack({"verify", "-q", File(number)}).exit_code, 1);
        WriteFile(File(number), sound);
      }
    }
  }

  std::string clone_ = dir_ / "clone.git";
  std::string back_ = dir_ / "back.git";
  std::string all_;
  Json report_;
};

TEST_F(ChainPartsTest, NoPartCostsObjectsThatOthersHold) {
  AddTwo({});
  ExpectNoObjectIsLost();
}

TEST_F(ChainPartsTest, NoPartCostsObjectsIfTheFirstFileLeavesItsIdsOut) {
  AddTwo({"--profile", "cold"});
  ExpectNoObjectIsLost();
}

// The file above states the same hash of the ids, which proves them.
TEST_F(ChainPartsTest, ADamagedHashOfIdsIsSaidAndDoneWithout) {
  AddTwo({"--profile", "cold"});
  const std::string below = File(0);
  const std::string refs = Output({"list-refs", File(1)});
  const std::string ids =
      Output({"cat-file", "--batch-check", "--batch-all-objects", File(1)});
  for (const auto& [name, at] : Parts(below)) {
    if (name == "OIDH") Flip(below, at + 1);
  }
  const auto says = AllOf(HasSubstr("chunk 'OIDH'"), HasSubstr(below));
  const ProcessResult listed = RunZpack({"list-refs", File(1)});
  EXPECT_EQ(listed.out, refs);
  EXPECT_THAT(listed.err, says);
  const ProcessResult checked =
      RunZpack({"cat-file", "--batch-check", "--batch-all-objects", File(1)});
  EXPECT_EQ(checked.out, ids);
  EXPECT_THAT(checked.err, says);
  Salvaged();
  EXPECT_THAT(report_["lost_parts"], Contains("OIDH of '" + below + "'"));
  for (const std::string& file : {File(0), File(1)}) {
    const ProcessResult verified = RunZpack({"verify", "--json", file});
    EXPECT_EQ(verified.exit_code, 1) << verified.err;
    const Json report = Json::parse(verified.out, nullptr, false);
    EXPECT_THAT(report["damages"].dump(), says);
    EXPECT_EQ(report["objects_damaged"], 0);
    EXPECT_EQ(report["objects_verified"], report["objects"]);
  }
  // Alone, only the trailer proves that its ids are all.
  EXPECT_EQ(RunZpack({"cat-file", "-t", below, "HEAD"}).out, "commit\n");
  const auto salvaged = [&] {
    return RunZpack({"salvage", "-f", below, back_}).err;
  };
  const auto is_unproven = HasSubstr("computed and cannot be checked");
  EXPECT_THAT(salvaged(), Not(is_unproven));
  const std::string with_trailer = ReadFile(below);
  Flip(below, with_trailer.size() - format::kTrailerSize + 9);
  EXPECT_THAT(salvaged(), is_unproven);
  EXPECT_EQ(RunZpack({"cat-file", "-t", below, "HEAD"}).exit_code, 128);
  EXPECT_EQ(RunZpack({"list-refs", below}).exit_code, 0);
  EXPECT_EQ(RunZpack({"verify", "-q", below}).exit_code, 1);
  WriteFile(below, with_trailer);
  EXPECT_EQ(RunZpack({"convert", "-q", "--onto", below, repo_.path(), File(2)})
                .exit_code,
            128);
  EXPECT_FALSE(std::filesystem::exists(File(2)));
}

// The ids of the files above are in their index, so only what names a lost
// object itself is lost with it.
TEST_F(ChainPartsTest, ALostBlockOfAFileWithoutIdsCostsNoMoreThanWithThem) {
  std::mt19937 random(5);
  std::string text = Lines(random, 300);
  for (int i = 0; i < 3; ++i) {
    text += Lines(random, 2);
    Write("d/f", text);
    Commit("commit " + std::to_string(i));
    repo_.Git({"tag", "-a", "-m", "a tag", "v" + std::to_string(i)});
    Add(i, i == 0 ? std::vector<std::string>{"--profile", "cold"}
                  : std::vector<std::string>{});
  }
  const auto blocks =
      Json::parse(Output({"show", "--blocks", "--json", File(0)}))["blocks"];
  const std::string sound = ReadFile(File(0));
  for (const auto& block : blocks) {
    Flip(File(0), block["offset"].get<size_t>() + 60);
    Json report = Json::parse(
        RunZpack({"salvage", "-f", "-q", "--json", File(2), back_}).out);
    SCOPED_TRACE(block.dump() + report.dump());
    const std::string objects =
        RunProcess({"git", "-C", back_, "cat-file", "--batch-all-objects",
                    "--batch-check"})
            .out;
    // Names an object of the file before it, which is there.
    for (const std::string name : {"v2", "v2^{commit}", "v2^{tree}"}) {
      const bool is_stored_as_delta = name == "v2^{tree}" &&
                                      block["type"] != "commit" &&
                                      block["type"] != "tag";
      if (is_stored_as_delta) continue;
      const std::string id = repo_.Git({"rev-parse", name});
      EXPECT_THAT(objects, HasSubstr(id)) << name;
      EXPECT_THAT(report["lost_ids"].dump(), Not(HasSubstr(id)));
    }
    WriteFile(File(0), sound);
  }
}

}  // namespace
}  // namespace zpack::testing
