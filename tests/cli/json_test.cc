// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What programs read: '--json' of every command parses and says what Git says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "convert/convert_phases.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

class JsonTest : public ::testing::Test {
 protected:
  JsonTest() : repo_(dir_ / "repo"), tip_(repo_.History(3)) {
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    repo_.WriteLooseRef("refs/remotes/o/HEAD", "ref: refs/remotes/o/gone\n");
    repo_.PackAll();
    file_ = dir_ / "x.zpack";
  }

  // Nothing but one JSON document on standard output, nothing else anywhere.
  Json Run(const std::vector<std::string>& arguments, int exit_code = 0) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << ::testing::PrintToString(result);
    EXPECT_EQ(result.err, "");
    Json document = Json::parse(result.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << result.out;
    return document;
  }
  Json Convert() {
    return Run({"convert", "--force", "--json", repo_.path(), file_});
  }

  static std::vector<std::string> Phases(const Json& json) {
    std::vector<std::string> titles;
    for (const Json& phase : json["phases"]) {
      EXPECT_GE(phase["seconds"], 0.0);
      titles.push_back(phase["title"]);
    }
    return titles;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string file_;
};

TEST_F(JsonTest, ConvertCountsWhatGitCounts) {
  const Json json = Convert();
  std::map<std::string, std::pair<uint64_t, uint64_t>> expected;
  for (const std::string& line :
       SplitLines(repo_.Git({"cat-file", "--batch-all-objects",
                             "--batch-check=%(objecttype) %(objectsize)"}))) {
    const size_t space = line.find(' ');
    auto& [count, bytes] = expected[line.substr(0, space)];
    ++count;
    bytes += std::stoull(line.substr(space + 1));
  }
  uint64_t objects = 0;
  for (const char* const type : {"commit", "tree", "blob", "tag"}) {
    EXPECT_EQ(json["types"][type]["count"], expected[type].first) << type;
    EXPECT_EQ(json["types"][type]["raw_bytes"], expected[type].second) << type;
    EXPECT_GT(json["types"][type]["stored_bytes"], 0U) << type;
    objects += expected[type].first;
  }
  EXPECT_EQ(json["objects"], objects);
  EXPECT_EQ(json["refs"], 3U);
}

TEST_F(JsonTest, ConvertAccountsForEveryByte) {
  const Json json = Convert();
  uint64_t sum = json["index_bytes"];
  for (const Json& type : json["types"]) {
    sum += type["stored_bytes"].get<uint64_t>();
  }
  EXPECT_EQ(sum, json["file_bytes"]);
  EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(file_));
  uint64_t pack_bytes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(repo_.path() + "/objects/pack")) {
    const auto extension = entry.path().extension();
    if (extension == ".pack" || extension == ".idx" || extension == ".rev") {
      pack_bytes += entry.file_size();
    }
  }
  EXPECT_EQ(json["source_pack_bytes"], pack_bytes);
}

TEST_F(JsonTest, TellsTheTimeOfEachPhase) {
  EXPECT_THAT(Phases(Convert()),
              ElementsAre("Opening repository", "Enumerating objects",
                          "Counting objects", "Grouping paths",
                          "Compressing objects", "Checking checksums",
                          "Verifying objects", "Comparing objects"));
  EXPECT_THAT(Phases(Run({"verify", "--json", "--level", "connectivity",
                          "--against", repo_.path(), file_})),
              ElementsAre("Checking checksums", "Verifying objects",
                          "Checking connectivity", "Comparing objects"));
  EXPECT_THAT(Phases(Run({"restore", "--json", file_, dir_ / "restored.git"})),
              ElementsAre("Writing objects", "Checking checksums"));
  EXPECT_THAT(
      Phases(Run({"repack", "-F", "--json", repo_.path()})),
      ElementsAre("Opening repository", "Enumerating objects",
                  "Counting objects", "Grouping paths", "Compressing objects",
                  "Writing objects", "Verifying objects"));
}

TEST_F(JsonTest, PhasesOfConvertAreThoseThatItsEstimateSupposes) {
  for (const auto& [read_back, option] :
       {std::pair(ReadBack::kYes, "--no-progress"),
        std::pair(ReadBack::kNo, "--no-verify")}) {
    std::vector<std::string> titles;
    for (const auto& phase : cli::ConvertPhases(Profile::kFast, read_back)) {
      EXPECT_GT(phase.share, 0);
      titles.emplace_back(PhaseTitle(phase.phase));
    }
    EXPECT_EQ(Phases(Run({"convert", "--force", "--json", option, repo_.path(),
                          file_})),
              titles);
  }
}

TEST_F(JsonTest, ConvertTellsMemoryAndVerification) {
  const Json json = Convert();
  EXPECT_GT(json["peak_rss_bytes"], 1000000U);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(Run({"convert", "--json", "--no-verify", repo_.path(),
                 dir_ / "y.zpack"})["verified"],
            false);
}

TEST_F(JsonTest, VerifyOfAGoodFile) {
  Convert();
  for (const char* const level :
       {"structure", "checksums", "objects", "connectivity"}) {
    const Json json = Run({"verify", "--json", "--level", level, "--against",
                           repo_.path(), file_});
    EXPECT_EQ(json["ok"], true);
    EXPECT_EQ(json["file"], file_);
    EXPECT_EQ(json["repository"], repo_.path());
    EXPECT_EQ(json["level"], level);
    EXPECT_EQ(json["objects"], 19U);
    EXPECT_EQ(json["damages"], Json::array());
    EXPECT_EQ(json["differences"], Json::array());
  }
  const Json json = Run({"verify", "--json", file_});
  EXPECT_EQ(json["objects_verified"], json["objects"]);
  EXPECT_GT(json["bytes_verified"], 0U);
}

TEST_F(JsonTest, VerifyOfADamagedFileTellsOffsetsAndObjects) {
  Convert();
  const Json show = Run({"show", "--json", file_});
  const Json& block = show["blocks"][0];
  const uint64_t middle =
      block["offset"].get<uint64_t>() + block["size"].get<uint64_t>() / 2;
  std::string bytes = ReadFile(file_);
  bytes[middle] = static_cast<char>(bytes[middle] ^ 0x20);
  WriteFile(file_, bytes);
  const Json json = Run({"verify", "--json", "--max-errors=all", file_}, 1);
  EXPECT_EQ(json["ok"], false);
  // Every object of the block is named.
  size_t named = 0;
  for (const Json& damage : json["damages"]) {
    EXPECT_TRUE(damage.contains("offset"));
    if (!damage.contains("object")) continue;
    EXPECT_EQ(damage["offset"], block["offset"]);
    ++named;
  }
  EXPECT_EQ(named, block["object_count"]);
}

TEST_F(JsonTest, VerifyTellsDifferences) {
  Convert();
  const std::string extra = repo_.WriteBlob("extra");
  repo_.SetRef("refs/heads/main", repo_.Git({"rev-parse", "main~"}));
  repo_.SetRef("refs/heads/\xff", tip_);
  const Json json =
      Run({"verify", "--json", "--against", repo_.path(), file_}, 1);
  std::map<std::string, std::string> kinds;
  for (const Json& row : json["differences"]) {
    kinds[row.contains("subject_hex") ? row["subject_hex"] : row["subject"]] =
        row["kind"];
  }
  EXPECT_EQ(kinds[extra], "missing");
  EXPECT_EQ(kinds["refs/heads/main"], "different");
  EXPECT_EQ(kinds[RawToHex("refs/heads/\xff")], "missing");
  EXPECT_EQ(kinds.size(), 3U);
}

TEST_F(JsonTest, RestoreTellsWhatItWrote) {
  Convert();
  const Json json = Run({"restore", "--json", file_, dir_ / "restored"});
  EXPECT_EQ(json["objects"], 19U);
  EXPECT_EQ(json["refs"], 3U);
  uint64_t bytes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(dir_ / "restored/objects/pack")) {
    bytes += entry.file_size();
  }
  EXPECT_EQ(json["pack_bytes"], bytes);
}

TEST_F(JsonTest, ShowDescribesTheWholeFile) {
  Convert();
  const Json json = Run({"show", "--json", file_});
  EXPECT_EQ(json["object_format"], "sha1");
  EXPECT_EQ(json["objects"], 19U);
  EXPECT_EQ(json["refs"], 3U);
  EXPECT_EQ(json["head"]["symref"], "refs/heads/main");
  EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(file_));
  EXPECT_EQ(json["file_hash"].get<std::string>().size(), 64U);
  uint64_t objects = 0;
  for (const Json& block : json["blocks"]) {
    if (block["segment_offset"] == 0) {
      objects += block["object_count"].get<uint64_t>();
    }
  }
  EXPECT_EQ(objects, 19U);
}

TEST_F(JsonTest, ListRefsTellsEveryKindOfRef) {
  repo_.SetRef("refs/heads/la\xe4tin", tip_);
  WriteFile(repo_.path() + "/shallow",
            repo_.Git({"rev-parse", "main~2"}) + '\n');
  Convert();
  const Json json = Run({"list-refs", "--json", file_});
  EXPECT_EQ(json["head"]["symref"], "refs/heads/main");
  EXPECT_EQ(json["head"]["target"], tip_);
  EXPECT_EQ(json["shallow"].size(), 1U);
  ASSERT_EQ(json["refs"].size(), 4U);
  const std::string tag = repo_.Git({"rev-parse", "refs/tags/v1"});
  EXPECT_EQ(json["refs"][0]["name_hex"], RawToHex("refs/heads/la\xe4tin"));
  EXPECT_EQ(json["refs"][1],
            (Json{{"name", "refs/heads/main"}, {"target", tip_}}));
  EXPECT_EQ(json["refs"][2], (Json{{"name", "refs/remotes/o/HEAD"},
                                   {"symref", "refs/remotes/o/gone"}}));
  EXPECT_EQ(
      json["refs"][3],
      (Json{{"name", "refs/tags/v1"}, {"target", tag}, {"peeled", tip_}}));
}

TEST_F(JsonTest, EmptyRepositoryHasEmptyLists) {
  const RepoBuilder empty(dir_ / "empty");
  const Json converted = Run({"convert", "--json", empty.path(), file_});
  EXPECT_EQ(converted["objects"], 0U);
  const Json refs = Run({"list-refs", "--json", file_});
  EXPECT_EQ(refs["refs"], Json::array());
  EXPECT_FALSE(refs["head"].contains("target"));
  EXPECT_EQ(Run({"show", "--json", file_})["blocks"], Json::array());
  EXPECT_EQ(Run({"verify", "--json", file_})["ok"], true);
}

}  // namespace
}  // namespace zpack::testing
