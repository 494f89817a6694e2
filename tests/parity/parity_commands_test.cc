// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'protect', 'repair' and what 'verify' says of parity, as a user sees them.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "format/constants.h"
#include "parity/parity_fixture.h"
#include "support/hostile_file.h"
#include "support/program.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ParityCommands : public ::testing::Test {
 protected:
  ParityCommands() { WriteFile(file_, ContentOfFile(FileSize::kMedium)); }

  void Damage(const std::string& path, size_t at) const {
    std::string content = ReadFile(path);
    content[at] = static_cast<char>(content[at] ^ 1);
    WriteFile(path, content);
  }

  TempDir dir_;
  std::string file_ = dir_ / "a.zpack";
};

TEST_F(ParityCommands, ProtectAndRepairInTheFile) {
  const ProcessResult protect = RunZpack({"protect", file_});
  EXPECT_EQ(protect.exit_code, 0) << ::testing::PrintToString(protect);
  EXPECT_THAT(protect.err, HasSubstr("of damage can be repaired"));
  const std::string original = ReadFile(file_);
  ProcessResult verify = RunZpack({"verify", file_});
  EXPECT_EQ(verify.exit_code, 0);
  EXPECT_THAT(verify.out, HasSubstr("\nparity: "));

  Damage(file_, 1000);
  verify = RunZpack({"verify", file_});
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.out, HasSubstr("can be repaired with 'git zpack repair'"));
  const ProcessResult repair = RunZpack({"repair", file_});
  EXPECT_EQ(repair.exit_code, 0) << ::testing::PrintToString(repair);
  EXPECT_THAT(repair.err, StartsWith("Restored 1 of "));
  EXPECT_TRUE(ReadFile(file_ + ".repaired") == original);
  EXPECT_EQ(RunZpack({"repair", file_}).exit_code, 128);
  EXPECT_EQ(RunZpack({"repair", "--in-place", file_}).exit_code, 0);
  EXPECT_TRUE(ReadFile(file_) == original);
  EXPECT_THAT(RunZpack({"repair", file_}).err, HasSubstr("is undamaged"));
}

// Where the payload of the parity begins, and its size.
std::pair<size_t, size_t> PayloadOfParity(const std::string& content) {
  const size_t chunk = content.find("PARI");
  EXPECT_NE(chunk, std::string::npos);
  const ByteView size = AsBytes(content).subspan(chunk + 8, 8);
  return {chunk + format::kChunkHeaderSize,
          LoadBigEndian<uint64_t>(size.data())};
}

TEST_F(ParityCommands, VerifyFindsAChunkOfParityWithoutPackets) {
  ASSERT_EQ(RunZpack({"protect", "-q", file_}).exit_code, 0);
  const std::string original = ReadFile(file_);
  const auto [begin, size] = PayloadOfParity(original);
  Bytes bytes(AsBytes(original).begin(), AsBytes(original).end());
  std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(begin), size, uint8_t{0});
  RepairFile(bytes);
  WriteFile(file_, std::string(AsText(bytes)));
  const ProcessResult verify = RunZpack({"verify", file_});
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.out, HasSubstr("\nparity: no packet is left\n"));
  EXPECT_EQ(verify.err,
            "error: parity is damaged: no packet is left in chunk 'PARI' of '" +
                file_ +
                "'\nhint: only the parity is damaged; to make it again: git "
                "zpack protect '" +
                file_ + "'\n");
  const auto json =
      nlohmann::json::parse(RunZpack({"verify", "--json", file_}).out);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["parity"]["parity_shards"], 0);
  EXPECT_EQ(json["parity"]["intact"], false);
  EXPECT_EQ(json["parity"]["repairable_bytes"], 0);
  // The hint works.
  ASSERT_EQ(RunZpack({"protect", "-q", file_}).exit_code, 0);
  EXPECT_TRUE(ReadFile(file_) == original);
}

// Shards with right checksums may be wrong: a second writer may have a bug.
TEST_F(ParityCommands, VerifyDoesNotPromiseThatShardsAreRight) {
  ASSERT_EQ(RunZpack({"protect", "-q", file_}).exit_code, 0);
  const std::string original = ReadFile(file_);
  const auto [begin, size] = PayloadOfParity(original);
  Bytes bytes(AsBytes(original).begin(), AsBytes(original).end());
  const std::string_view text = AsText(bytes);
  const size_t packet =
      text.find(std::string_view("ZPAR\3\0\0\0", 8), begin);  // a shard
  ASSERT_LT(packet, begin + size);
  const size_t end = packet + 24 + LoadBigEndian<uint32_t>(&bytes[packet + 20]);
  bytes[packet + 24] ^= 1;
  Bytes checksum;
  ByteWriter(checksum).U64(
      Checksum(ByteView(bytes).subspan(packet, end - packet)));
  std::ranges::copy(checksum, bytes.begin() + static_cast<ptrdiff_t>(end));
  RepairFile(bytes);
  WriteFile(file_, std::string(AsText(bytes)));
  const ProcessResult verify = RunZpack({"verify", file_});
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("\nparity: "));
  EXPECT_THAT(verify.out, Not(HasSubstr("can be repaired")));
  EXPECT_THAT(RunZpack({"repair", file_}).err, Not(HasSubstr("be repaired")));
}

TEST_F(ParityCommands, BesideTheFile) {
  const std::string original = ReadFile(file_);
  ASSERT_EQ(RunZpack({"protect", "-q", "--beside", file_}).exit_code, 0);
  EXPECT_TRUE(ReadFile(file_) == original);
  EXPECT_THAT(ListDirectory(dir_.path()),
              ElementsAre("a.zpack", "a.zpack.zpar"));
  Damage(file_ + ".zpar", 5000);
  const ProcessResult verify = RunZpack({"verify", file_});
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.err, StartsWith("error: parity is damaged: "));
  EXPECT_THAT(verify.err, HasSubstr("hint: only the parity is damaged"));
  EXPECT_THAT(verify.err, Not(HasSubstr("salvage")));
  ASSERT_EQ(RunZpack({"repair", "-q", "--in-place", file_}).exit_code, 0);
  EXPECT_EQ(RunZpack({"verify", file_}).exit_code, 0);

  const std::string moved = dir_ / "elsewhere";
  std::filesystem::rename(file_ + ".zpar", moved);
  Damage(file_, 0);
  EXPECT_EQ(RunZpack({"repair", file_}).exit_code, 128);
  ASSERT_EQ(
      RunZpack({"repair", "-q", "-o", dir_ / "out", file_, moved}).exit_code,
      0);
  EXPECT_TRUE(ReadFile(dir_ / "out") == original);
}

// However little of it there is.
TEST_F(ParityCommands, RepairRefusesTheParityOfAnotherFile) {
  const std::string other = dir_ / "other.zpack";
  WriteFile(other, ContentOfFile(FileSize::kSmall));
  for (const char* const redundancy : {"5%", "100%"}) {
    ASSERT_TRUE(RunZpack({"protect", "-qf", "--beside", "--redundancy",
                          redundancy, other})
                    .ok());
    WriteFile(file_ + ".zpar", ReadFile(other + ".zpar"));
    Damage(file_, 1000);
    const ProcessResult repair = RunZpack({"repair", file_});
    EXPECT_EQ(repair.exit_code, 128) << redundancy;
    EXPECT_THAT(repair.err, HasSubstr("was made for another version of"));
    EXPECT_FALSE(std::filesystem::exists(file_ + ".repaired"));
  }
}

// Nothing is wrong with a file whose parity was made for another version of it.
TEST_F(ParityCommands, VerifyNamesStaleParity) {
  const std::string parity = file_ + ".zpar";
  const std::string warning = "warning: '" + parity +
                              "' is the parity of another version of '" +
                              file_ + "' and cannot repair it; ";
  const auto expect_stale = [&](const std::string& in_text) {
    const ProcessResult verify = RunZpack({"verify", file_});
    EXPECT_EQ(verify.exit_code, 0) << verify.err;
    EXPECT_THAT(verify.out, HasSubstr(": ok, "));
    EXPECT_THAT(verify.out, HasSubstr(in_text));
    EXPECT_THAT(verify.err, StartsWith(warning));
    EXPECT_EQ(RunZpack({"verify", "-q", file_}).err, "");
    const auto json =
        nlohmann::json::parse(RunZpack({"verify", "--json", file_}).out);
    EXPECT_EQ(json["ok"], true);
    EXPECT_EQ(json["stale_parity"], parity);
    EXPECT_EQ(json["parity"].is_null(), in_text.empty());
  };
  ASSERT_EQ(RunZpack({"protect", "-q", "--beside", file_}).exit_code, 0);
  const std::string unprotected = ReadFile(file_);
  EXPECT_THAT(RunZpack({"protect", "-q", file_}).err, StartsWith(warning));
  // Parity in the file is looked at, too.
  expect_stale("parity: ");
  // Damage of stale parity does not matter.
  Damage(parity, 5000);
  expect_stale("parity: ");
  // Without parity in the file, there is none that fits.
  WriteFile(file_, unprotected);
  ASSERT_EQ(RunZpack({"protect", "-qf", "--beside", file_}).exit_code, 0);
  EXPECT_EQ(RunZpack({"verify", file_}).err, "");
  const RepoBuilder repository(dir_ / "other.git");
  repository.History(4);
  const ProcessResult converted =
      RunZpack({"convert", "-qf", repository.path(), file_});
  EXPECT_THAT(converted.err, StartsWith(warning));
  expect_stale("");
  // Made again, it fits.
  EXPECT_EQ(RunZpack({"protect", "-q", "--beside", file_}).err, "");
  EXPECT_EQ(RunZpack({"verify", file_}).err, "");
}

TEST_F(ParityCommands, RepairNamesParityOfWhatItReplaced) {
  const std::string output = dir_ / "out";
  ASSERT_EQ(RunZpack({"protect", "-q", file_}).exit_code, 0);
  WriteFile(output, ReadFile(file_));
  ASSERT_EQ(RunZpack({"protect", "-q", "--beside", output}).exit_code, 0);
  Damage(file_, 0);
  EXPECT_THAT(RunZpack({"repair", "-qf", "-o", output, file_}).err,
              StartsWith("warning: '" + output + ".zpar' is the parity of"));
}

// Which is then what the parity was made for.
TEST_F(ParityCommands, RepairOverTheFileNeedsNoNewParity) {
  ASSERT_TRUE(RunZpack({"protect", "-q", "--beside", file_}).ok());
  Damage(file_, 300);
  const ProcessResult repaired = RunZpack({"repair", "-f", "-o", file_, file_});
  EXPECT_TRUE(repaired.ok());
  EXPECT_THAT(repaired.err, Not(HasSubstr("warning")));
  EXPECT_TRUE(RunZpack({"verify", "-q", file_}).ok());
}

TEST_F(ParityCommands, WithoutParityAnotherCommandIsNamed) {
  const ProcessResult repair = RunZpack({"repair", file_});
  EXPECT_EQ(repair.exit_code, 128);
  EXPECT_THAT(repair.err, HasSubstr("'git zpack salvage'"));
}

TEST_F(ParityCommands, ImpossibleIsExitCodeOne) {
  ASSERT_EQ(RunZpack({"protect", "-q", "--beside", file_}).exit_code, 0);
  WriteFile(file_, ReadFile(file_).substr(100'000));
  const ProcessResult repair = RunZpack({"repair", "--json", file_});
  EXPECT_EQ(repair.exit_code, 1);
  EXPECT_THAT(repair.err, HasSubstr("are lost, and"));
  EXPECT_THAT(repair.err, HasSubstr("nothing was written"));
  EXPECT_THAT(repair.err, HasSubstr("\nhint: for what is left of the file: git "
                                    "zpack salvage "));
  EXPECT_THAT(repair.err, Not(HasSubstr("--keep-going")));
  const auto json = nlohmann::json::parse(repair.out);
  EXPECT_EQ(json["outcome"], "impossible");
  EXPECT_GT(json["lost_codewords"][0]["lost_shards"],
            json["lost_codewords"][0]["restorable_shards"]);
  EXPECT_THAT(ListDirectory(dir_.path()),
              ElementsAre("a.zpack", "a.zpack.zpar"));
}

TEST_F(ParityCommands, ConvertAddsParity) {
  const RepoBuilder repository(dir_ / "r.git");
  repository.History(5);
  const std::string path = dir_ / "new.zpack";
  const ProcessResult convert = RunZpack(
      {"convert", "--json", "--redundancy", "10%", repository.path(), path});
  ASSERT_EQ(convert.exit_code, 0) << ::testing::PrintToString(convert);
  const auto json = nlohmann::json::parse(convert.out);
  EXPECT_EQ(json["file_bytes"], ReadFile(path).size());
  EXPECT_GT(json["parity_bytes"], 0);
  const std::string original = ReadFile(path);
  ASSERT_EQ(RunZpack({"convert", "-q", repository.path(), dir_ / "plain.zpack"})
                .exit_code,
            0);
  ASSERT_EQ(
      RunZpack({"protect", "-q", "--redundancy", "10%", dir_ / "plain.zpack"})
          .exit_code,
      0);
  EXPECT_TRUE(ReadFile(dir_ / "plain.zpack") == original);
  Damage(path, 100);
  ASSERT_EQ(RunZpack({"repair", "-q", "--in-place", path}).exit_code, 0);
  EXPECT_TRUE(ReadFile(path) == original);
}

// The file gets its name before its parity, so a run may end between the two.
TEST_F(ParityCommands, AHintSaysHowToAddTheParityOfAKilledConversion) {
  const RepoBuilder repository(dir_ / "r");
  repository.History(3);
  const std::string path = dir_ / "out/r.zpack";
  std::filesystem::create_directory(dir_ / "out");
  ASSERT_TRUE(RunZpack({"convert", "-q", repository.path(), path}).ok());
  WriteFile(dir_ / "out/.r.zpack.zpack-tmp", "some bytes");
  const ProcessResult resumed =
      RunZpack({"convert", "-q", "--redundancy", "100%", "--resume",
                repository.path(), path});
  EXPECT_EQ(resumed.exit_code, 128);
  EXPECT_THAT(resumed.err,
              AllOf(HasSubstr("already exists"),
                    HasSubstr("\nhint: it is a .zpack file without parity; "
                              "'git zpack protect --redundancy' adds "
                              "parity\n")));
  const ProcessResult protect =
      RunZpack({"protect", "-q", "--redundancy", "100%", path});
  EXPECT_EQ(protect.exit_code, 0) << protect.err;
  EXPECT_THAT(RunZpack({"verify", path}).out, HasSubstr("\nparity: "));
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("r.zpack"));
  // With parity, there is nothing to add.
  EXPECT_THAT(RunZpack({"convert", "-q", "--redundancy", "100%", "--resume",
                        repository.path(), path})
                  .err,
              HasSubstr("hint: it is a .zpack file; --update copies"));
}

TEST_F(ParityCommands, WrongUsage) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"protect"},
        {"protect", "--beside", "--output", "x", file_},
        {"protect", "--redundancy", "0", file_},
        {"protect", "--redundancy", "101%", file_},
        {"protect", "--redundancy", "1.234%", file_},
        {"protect", "--redundancy", "x", file_},
        {"convert", "--redundancy", "0", "r", file_},
        {"repair"},
        {"repair", "--in-place", "--output", "x", file_}}) {
    EXPECT_EQ(RunZpack(arguments).exit_code, 129)
        << ::testing::PrintToString(arguments);
  }
  EXPECT_EQ(
      RunZpack({"protect", "-q", "--redundancy", "12.5%", file_}).exit_code, 0);
}

TEST_F(ParityCommands, PercentagesHaveUpToTwoDecimals) {
  for (const std::string redundancy : {"0.01%", "12.25%", "100.00%"}) {
    EXPECT_EQ(RunZpack({"protect", "-q", "-f", "--redundancy", redundancy, "-o",
                        dir_ / "out", file_})
                  .exit_code,
              0)
        << redundancy;
  }
}

TEST_F(ParityCommands, ProtectKeepsAnExistingOutput) {
  WriteFile(dir_ / "out", "mine");
  EXPECT_EQ(RunZpack({"protect", "-o", dir_ / "out", file_}).exit_code, 128);
  EXPECT_EQ(ReadFile(dir_ / "out"), "mine");
  EXPECT_EQ(
      RunZpack({"protect", "-q", "-f", "-o", dir_ / "out", file_}).exit_code,
      0);
  EXPECT_EQ(RunZpack({"verify", "-q", dir_ / "out"}).exit_code, 0);
}

}  // namespace
}  // namespace zpack::testing
