// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What `salvage` brings back of files that depend on each other, and what it
// says of the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "format/constants.h"
#include "support/chain_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using ChainSalvageTest = ChainFixture;

TEST_F(ChainSalvageTest, SalvageSaysWhatDamageOfEachFileCosts) {
  std::mt19937 random(4);
  std::string text = Lines(random, 300);
  for (int i = 0; i < 3; ++i) {
    text += Lines(random, 2);
    Write("d/f", text);
    Write("new" + std::to_string(i), Lines(random, 50));
    Commit("commit " + std::to_string(i));
    Add(i);
  }
  const std::string back = dir_ / "back.git";
  const auto salvage = [&](const std::string& file, int exit_code) {
    std::filesystem::remove_all(back);
    const ProcessResult result = RunZpack({"salvage", "--json", file, back});
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  };
  // Undamaged, everything comes back.
  const auto whole = salvage(File(2), 0);
  EXPECT_EQ(whole["lost_objects"], 0);
  EXPECT_EQ(RunProcess({"git", "-C", back, "fsck", "--strict"}).exit_code, 0);
  EXPECT_EQ(RunProcess({"git", "-C", back, "rev-parse", "HEAD"}).out,
            repo_.Git({"rev-parse", "HEAD"}) + '\n');
  // Each block of the files below in turn.
  for (const int number : {0, 1}) {
    const std::string sound = ReadFile(File(number));
    const auto blocks = nlohmann::json::parse(
        Output({"show", "--blocks", "--json", File(number)}))["blocks"];
    for (const auto& block : blocks) {
      const auto offset = block["offset"].get<size_t>();
      SCOPED_TRACE(File(number) + " " + std::to_string(offset));
      std::string bytes = sound;
      bytes[offset + 60] = static_cast<char>(bytes[offset + 60] ^ 1);
      WriteFile(File(number), bytes);
      const auto report = salvage(File(2), 1);
      EXPECT_GE(report["lost_objects"], block["object_count"]);
      EXPECT_LT(report["lost_objects"], whole["objects"]);
      ASSERT_EQ(report["damaged_ranges"].size(), 1U);
      EXPECT_EQ(report["damaged_ranges"][0]["path"], File(number));
      EXPECT_EQ(report["damaged_ranges"][0]["offset"], offset);
      EXPECT_EQ(report["lost_ids"].size(), report["lost_objects"]);
      std::filesystem::remove_all(back);
      EXPECT_EQ(
          RunZpack({"restore", "-q", "--keep-going", File(2), back}).exit_code,
          1);
    }
    WriteFile(File(number), sound);
  }
  // Without the file below, what needs nothing of it.
  std::filesystem::remove(File(1));
  const auto alone = salvage(File(2), 1);
  const std::string id = repo_.Git({"rev-parse", "HEAD:new2"});
  EXPECT_EQ(RunProcess({"git", "-C", back, "cat-file", "-t", id}).out,
            "blob\n");
  EXPECT_THAT(alone["damages"][0].dump(), HasSubstr("depends on 'x.1.zpack'"));
  EXPECT_THAT(alone["lost_parts"].dump(), HasSubstr("file below"));
}

// A file below that was protected since has another hash. It still counts as
// the file that was meant if its index or its tables are damaged.
TEST_F(ChainSalvageTest, DamageOfAProtectedFileBelowCostsNoMore) {
  AddThree();
  const std::string back = dir_ / "back.git";
  const std::string plain = ReadFile(File(0));
  ASSERT_TRUE(RunZpack({"protect", "-q", File(0)}).ok());
  const std::string guarded = ReadFile(File(0));
  for (const char* const id : {"OIDP", "ONBP", "FDAT", "FTAB"}) {
    nlohmann::json reports[2];
    for (const bool is_guarded : {false, true}) {
      WriteFile(File(0), is_guarded ? guarded : plain);
      std::string bytes = ReadFile(File(0));
      const auto chunks =
          nlohmann::json::parse(Output({"show", "--json", File(0)}))["chunks"];
      for (const auto& chunk : chunks) {
        if (chunk["id"] != id) continue;
        const size_t at =
            chunk["offset"].get<size_t>() + chunk["size"].get<size_t>() / 2;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
      }
      WriteFile(File(0), bytes);
      const ProcessResult result =
          RunZpack({"salvage", "-f", "-q", "--json", File(2), back});
      reports[is_guarded ? 1 : 0] = nlohmann::json::parse(result.out);
      EXPECT_EQ(RunProcess({"git", "-C", back, "show-ref", "--head"}).out,
                repo_.Git({"show-ref", "--head"}) + '\n')
          << id << result.err;
    }
    EXPECT_EQ(reports[1]["lost_objects"], 0) << id;
    EXPECT_EQ(reports[1]["objects"], reports[0]["objects"]) << id;
  }
}

// What was appended, or cut off without any part, costs nothing.
TEST_F(ChainSalvageTest, OtherSizesCostNoSoundPart) {
  AddThree();
  const std::string back = dir_ / "back.git";
  for (const int number : {0, 1, 2}) {
    const std::string sound = ReadFile(File(number));
    for (const std::string& bytes :
         {sound + '\n', sound + std::string(100'000, '\0'),
          sound.substr(0, sound.size() - 1)}) {
      SCOPED_TRACE(File(number) + ' ' + std::to_string(bytes.size()));
      WriteFile(File(number), bytes);
      const ProcessResult result =
          RunZpack({"salvage", "-f", "--json", File(2), back});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(nlohmann::json::parse(result.out)["lost_objects"], 0);
      EXPECT_EQ(RunProcess({"git", "-C", back, "show-ref", "--head"}).out,
                repo_.Git({"show-ref", "--head"}) + '\n');
      EXPECT_TRUE(RunProcess({"git", "-C", back, "fsck", "--strict"}).ok());
    }
    WriteFile(File(number), sound);
  }
}

// Bytes in which some are other ones, or more, or fewer.
std::string Flipped(std::string bytes, size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}
std::string Inserted(std::string bytes, size_t at, size_t count) {
  return bytes.insert(at, count, 'X');
}
std::string Removed(std::string bytes, size_t at, size_t count) {
  return bytes.erase(at, count);
}

class ShiftedSalvageTest : public ChainSalvageTest {
 protected:
  // Objects that do not come back if a file has these bytes.
  size_t LostWith(int number, const std::string& bytes) const {
    const std::string sound = ReadFile(File(number));
    WriteFile(File(number), bytes);
    const std::string back = dir_ / "back.git";
    const ProcessResult result =
        RunZpack({"salvage", "-f", "-q", "--json", File(2), back});
    WriteFile(File(number), sound);
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(SplitLines(RunProcess({"git", "-C", back, "cat-file",
                                     "--batch-all-objects", "--batch-check"})
                             .out)
                  .size(),
              report["objects"]);
    return report["lost_objects"];
  }
  // The middle of each block and chunk of a file, and both ends of the file.
  std::vector<size_t> Places(int number) const {
    std::vector<size_t> places = {0, 10, ReadFile(File(number)).size() - 1};
    const auto shown = nlohmann::json::parse(
        Output({"show", "--blocks", "--json", File(number)}));
    for (const std::string kind : {"blocks", "chunks"}) {
      for (const auto& row : shown[kind]) {
        places.push_back(row["offset"].get<size_t>() + 30);
      }
    }
    return places;
  }
};

TEST_F(ShiftedSalvageTest, AByteMoreOrLessCostsNoMoreThanAnotherByte) {
  AddThree();
  for (const int number : {0, 1, 2}) {
    const std::string sound = ReadFile(File(number));
    for (const size_t at : Places(number)) {
      SCOPED_TRACE(File(number) + ' ' + std::to_string(at));
      const size_t lost = LostWith(number, Flipped(sound, at));
      EXPECT_LE(LostWith(number, Inserted(sound, at, 1)), lost);
      EXPECT_LE(LostWith(number, Removed(sound, at, 1)), lost);
    }
  }
}

TEST_F(ShiftedSalvageTest, SeveralPlacesCostWhatTheyHold) {
  std::mt19937 random(6);
  for (int i = 0; i < 3; ++i) {
    for (int file = 0; file < 8; ++file) {
      Write("f" + std::to_string(file), Lines(random, 200));
    }
    Commit("commit " + std::to_string(i));
    Add(i, {"--block-size", "4k"});
  }
  for (const int number : {0, 1, 2}) {
    SCOPED_TRACE(number);
    const std::string sound = ReadFile(File(number));
    const auto blocks = nlohmann::json::parse(
        Output({"show", "--blocks", "--json", File(number)}))["blocks"];
    ASSERT_GE(blocks.size(), 6U);
    const auto middle = [&](size_t block) {
      return blocks[block]["offset"].get<size_t>() + 60;
    };
    const std::string flipped =
        Flipped(Flipped(Flipped(sound, middle(4)), middle(2)), middle(1));
    const std::string shifted = Inserted(
        Removed(Inserted(sound, middle(4), 7), middle(2), 3), middle(1), 1);
    EXPECT_LE(LostWith(number, shifted), LostWith(number, flipped));
  }
}

// What belongs to another file of the chain is not taken for this one's.
TEST_F(ShiftedSalvageTest, BytesOfAnotherFileCostNothing) {
  AddThree();
  for (const int number : {0, 1, 2}) {
    const std::string sound = ReadFile(File(number));
    const auto trailer =
        sound.size() - static_cast<size_t>(format::kTrailerSize);
    for (const int other : {0, 1, 2}) {
      SCOPED_TRACE(File(number) + ' ' + File(other));
      const std::string bytes = ReadFile(File(other));
      EXPECT_EQ(LostWith(number, sound + bytes), 0U);
      EXPECT_EQ(LostWith(number, sound + bytes.substr(bytes.size() -
                                                      format::kTrailerSize)),
                0U);
      EXPECT_EQ(LostWith(number, sound.substr(0, trailer) + bytes.substr(0, 9) +
                                     sound.substr(trailer)),
                0U);
    }
  }
}

TEST_F(ChainSalvageTest, SalvageOnACutFileSaysWhatIsLostOfTheOneAbove) {
  std::mt19937 random(5);
  std::string text = Lines(random, 300);
  for (int i = 0; i < 3; ++i) {
    text += Lines(random, 2);
    Write("d/f", text);
    Write("new" + std::to_string(i), Lines(random, 50));
    Commit("commit " + std::to_string(i));
    Add(i);
  }
  const std::string back = dir_ / "back.git";
  const auto salvage = [&] {
    std::filesystem::remove_all(back);
    const ProcessResult result = RunZpack({"salvage", "--json", File(2), back});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  };
  // A part of the file below.
  const std::string sound = ReadFile(File(1));
  std::string bytes = sound;
  const auto chunks =
      nlohmann::json::parse(Output({"show", "--json", File(1)}))["chunks"];
  for (const auto& chunk : chunks) {
    if (chunk["id"] != "FDAT") continue;
    const auto at = chunk["offset"].get<size_t>() + 20;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
  WriteFile(File(1), bytes);
  EXPECT_EQ(salvage()["lost_parts"],
            nlohmann::json({"FDAT of '" + File(1) + "'"}));
  std::filesystem::resize_file(File(1), sound.size() / 2);
  const auto cut = salvage();
  EXPECT_THAT(cut["damages"][0].dump(),
              AllOf(HasSubstr("depends on 'x.1.zpack'"),
                    HasSubstr("file of " + std::to_string(sound.size() / 2) +
                              " bytes")));
  EXPECT_THAT(cut["damages"].dump(), HasSubstr("which it needs, is lost"));
  const std::string lost = cut["lost_ids"].dump();
  for (const std::string name : {"HEAD", "HEAD^{tree}", "HEAD:d/f"}) {
    EXPECT_THAT(lost, HasSubstr(repo_.Git({"rev-parse", name})));
  }
  const std::string id = repo_.Git({"rev-parse", "HEAD:new2"});
  EXPECT_THAT(lost, Not(HasSubstr(id)));
  EXPECT_EQ(RunProcess({"git", "-C", back, "cat-file", "-t", id}).out,
            "blob\n");
}

}  // namespace
}  // namespace zpack::testing
