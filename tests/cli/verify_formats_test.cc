// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What verify prints for people: the level that ran, counts before lists, and
// hashes that anyone can compute. tests/ci/ci_test.py tests the formats for
// programs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

class VerifyFormatsTest : public ::testing::Test {
 protected:
  VerifyFormatsTest() : repo_(dir_ / "repo") {
    repo_.History(5);
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  Json Show() const {
    return Json::parse(RunZpack({"show", "--json", file_}).out);
  }
  void Damage() const {
    const Json show = Show();
    const Json& block = show["blocks"][0];
    std::string bytes = ReadFile(file_);
    bytes[block["offset"].get<size_t>() + block["size"].get<size_t>() / 2] ^= 1;
    WriteFile(file_, bytes);
  }
  ProcessResult Verify(std::vector<std::string> options) const {
    options.insert(options.begin(), "verify");
    options.push_back(file_);
    return RunZpack(options);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(VerifyFormatsTest, TextSaysWhichLevelRan) {
  EXPECT_THAT(Verify({"--level", "structure"}).out,
              HasSubstr("structure only"));
  EXPECT_THAT(Verify({"--level", "checksums"}).out,
              HasSubstr("checksums only"));
  EXPECT_THAT(Verify({}).out,
              EndsWith("objects verified, connectivity not checked\n"));
  EXPECT_THAT(Verify({"--level", "connectivity"}).out,
              EndsWith("objects verified, connectivity ok\n"));
  Damage();
  EXPECT_THAT(Verify({"--level", "connectivity"}).out,
              HasSubstr("connectivity not checked because of the damage"));
}

// A damaged block gives an error for each of its objects.
TEST_F(VerifyFormatsTest, ADamagedBlockIsOneFinding) {
  const Json offset = Show()["blocks"][0]["offset"];
  Damage();
  const Json json = Json::parse(Verify({"--json"}).out);
  const uint64_t objects = json["objects_damaged"];
  ASSERT_GT(objects, 2U);
  EXPECT_GT(json["damage_count"], objects);
  // The block, and the hash of the file.
  EXPECT_EQ(json["finding_count"], 2U);
  ASSERT_THAT(json["damages"], SizeIs(2));
  EXPECT_EQ(json["damages"][0]["objects"], objects);
  EXPECT_EQ(json["damages"][0]["offset"], offset);
  const std::string all = std::to_string(objects) + " objects of the block";
  EXPECT_THAT(json["damages"][0]["message"].get<std::string>(), HasSubstr(all));
  const ProcessResult text = Verify({});
  EXPECT_THAT(text.out, HasSubstr("; 2 errors"));
  EXPECT_THAT(text.err, HasSubstr(all));
  const Json sarif = Json::parse(Verify({"--format=sarif"}).out);
  EXPECT_THAT(sarif["runs"][0]["results"], SizeIs(2));
  EXPECT_EQ(sarif["runs"][0]["results"][0]["properties"]["objects"], objects);
  EXPECT_THAT(Verify({"--format=junit"}).out,
              AllOf(HasSubstr("message=\"2 findings\""), HasSubstr(all)));
  EXPECT_THAT(Verify({"--format=github"}).out, HasSubstr(all));
  // All of them on request.
  const Json each = Json::parse(Verify({"--json", "--max-errors=all"}).out);
  EXPECT_EQ(each["finding_count"], objects + 2);
  EXPECT_THAT(each["damages"], SizeIs(objects + 2));
}

TEST_F(VerifyFormatsTest, AtMostTwentyFindingsAreListed) {
  const RepoBuilder other(dir_ / "other");
  other.History(30);
  const ProcessResult result = Verify({"--against", other.path()});
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<std::string> lines = SplitLines(result.err);
  EXPECT_THAT(lines, SizeIs(21));
  EXPECT_THAT(lines.back(), EndsWith("; '--max-errors=all' lists all"));
  EXPECT_THAT(
      SplitLines(Verify({"--against", other.path(), "--max-errors=all"}).err)
          .size(),
      ::testing::Gt(40U));
}

TEST_F(VerifyFormatsTest, DamageNamesTheNextStep) {
  Damage();
  EXPECT_THAT(Verify({}).err, AllOf(HasSubstr("git zpack restore --keep-going"),
                                    HasSubstr("git zpack salvage")));
  EXPECT_THAT(Verify({"-q"}).err, Not(HasSubstr("hint: ")));
}

TEST_F(VerifyFormatsTest, TheReportGoesToAFileAndTheSummaryToTheTerminal) {
  Damage();
  const std::string report = dir_ / "report";
  for (const char* const format :
       {"text", "json", "junit", "github", "sarif"}) {
    const std::string option = std::string("--format=") + format;
    const ProcessResult direct = Verify({option, "--no-progress"});
    const ProcessResult result = Verify({option, "-o", report});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, HasSubstr(": bad, "));
    EXPECT_THAT(ReadFile(report), HasSubstr("objects of the block"));
    if (std::string_view(format) == "github") {
      EXPECT_EQ(ReadFile(report), direct.out);
    }
  }
  EXPECT_EQ(Verify({"-o", report, "-q"}).out, "");
  const std::string content = ReadFile(file_);
  EXPECT_EQ(Verify({"-o", file_}).exit_code, 129);
  EXPECT_EQ(Verify({"-o", dir_ / "y.zpack"}).exit_code, 129);
  EXPECT_EQ(ReadFile(file_), content);
  EXPECT_EQ(Verify({"-o", dir_ / "none/report"}).exit_code, 128);
}

TEST_F(VerifyFormatsTest, CountsComeBeforeTheListAndTheListHasALimit) {
  Damage();
  // On one stream, in the order of writing.
  const ProcessResult both =
      RunProcess({"sh", "-c", "\"$0\" verify --max-errors=all \"$1\" 2>&1",
                  ZpackBinary(), file_});
  std::vector<std::string> lines = SplitLines(both.out);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("hint: ");
  });
  ASSERT_GT(lines.size(), 4U);
  EXPECT_THAT(lines[0],
              EndsWith("; " + std::to_string(lines.size() - 1) + " errors"));
  const ProcessResult limited = Verify({"--max-errors", "1"});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.out, EndsWith("; 2 errors\n"));
  const std::vector<std::string> listed = SplitLines(limited.err);
  ASSERT_THAT(listed, SizeIs(4));
  EXPECT_THAT(listed[0], StartsWith(lines[1]));
  EXPECT_EQ(listed[1],
            "hint: 1 more finding is not listed; '--max-errors=all' lists all");
  const Json json =
      Json::parse(Verify({"--format=json", "--max-errors=1"}).out);
  EXPECT_THAT(json["damages"], SizeIs(1));
  EXPECT_EQ(json["damage_count"], lines.size() - 1);
  EXPECT_EQ(Verify({"--max-errors=0"}).exit_code, 1);
  EXPECT_EQ(Verify({"--max-errors=x"}).exit_code, 129);
}

TEST_F(VerifyFormatsTest, JsonIsNotRepeatedOnStandardError) {
  const std::string hash = Show()["file_hash"];
  Damage();
  const ProcessResult result = Verify({"--json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["file"], file_);
  EXPECT_EQ(json["repository"], nullptr);
  EXPECT_EQ(json["file_hash"], hash);
}

TEST_F(VerifyFormatsTest, AHashCanBeExpected) {
  std::string hash = Show()["file_hash"];
  EXPECT_EQ(Verify({"--expect-hash", hash}).exit_code, 0);
  std::ranges::transform(hash, hash.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(Verify({"--level=checksums", "--expect-hash", hash}).exit_code, 0);
  const ProcessResult other = Verify({"--expect-hash", std::string(64, 'a')});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out,
              AllOf(HasSubstr(": bad, "), EndsWith("; 1 difference\n")));
  EXPECT_THAT(other.err, AllOf(StartsWith("error: file hash is "),
                               HasSubstr(", not " + std::string(64, 'a'))));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{
           {"--expect-hash", ""},
           {"--expect-hash", "abc"},
           {"--expect-hash", std::string(64, 'g')},
           {"--expect-hash", hash, "--level=structure"}}) {
    EXPECT_EQ(Verify(wrong).exit_code, 129);
  }
}

// The recipe in git-zpack-show(1), with the names of the page.
TEST_F(VerifyFormatsTest, TheFileHashIsComputedWithStandardTools) {
  constexpr const char* kRecipe = R"(
    file=$1
    header=$(od -A n -t u1 -j 24 -N 4 "$file" |
             { read -r a b c d; echo $(((a * 256 + b) * 65536 + c * 256 + d)); })
    { tail -c +$((header + 1)) "$file" | head -c -32
      head -c "$header" "$file"; } | sha256sum
  )";
  const ProcessResult result =
      RunProcess({"bash", "-c", kRecipe, "bash", file_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, Show()["file_hash"].get<std::string>() + "  -\n");
}

TEST_F(VerifyFormatsTest, TheContentDigestIsComputedWithStandardTools) {
  const ProcessResult result = RunProcess(
      {"bash", "-c",
       "git -C \"$1\" cat-file --batch-all-objects "
       "--batch-check='%(objectname)' | LC_ALL=C sort | tr -d '\\n' | "
       "python3 -c 'import sys; "
       "sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' | sha256sum",
       "bash", repo_.path()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, Show()["content_digest"].get<std::string>() + "  -\n");
}

TEST_F(VerifyFormatsTest, FormatsExcludeEachOther) {
  EXPECT_EQ(Verify({"--format=yaml"}).exit_code, 129);
  EXPECT_EQ(Verify({"--format=text", "--json"}).exit_code, 129);
  EXPECT_EQ(Verify({"--format=json", "--json"}).exit_code, 0);
}

TEST_F(VerifyFormatsTest, QuietPrintsOnlyFindings) {
  EXPECT_THAT(Verify({"-q"}).out, IsEmpty());
  Damage();
  const ProcessResult result = Verify({"-q"});
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith("error: "));
  EXPECT_THAT(result.err, Not(HasSubstr("objects verified")));
}

}  // namespace
}  // namespace zpack::testing
