// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "support/matchers.h"
#include "support/random_configuration.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;

Result<std::vector<ConfigEntry>> Parse(std::string_view text) {
  std::vector<ConfigEntry> entries;
  ZPACK_TRY(ParseConfiguration(text, "F", [&](ConfigEntry entry) -> Status {
    entries.push_back(std::move(entry));
    return {};
  }));
  return entries;
}

// "name=value", or "name", for each entry.
std::vector<std::string> Shown(std::string_view text) {
  const auto entries = Parse(text);
  EXPECT_THAT(entries, IsOk()) << text;
  std::vector<std::string> shown;
  if (!entries) return shown;
  for (const auto& [name, value] : *entries) {
    shown.push_back(value ? name + '=' + *value : name);
  }
  return shown;
}

void ExpectBadLine(std::string_view text, int line) {
  EXPECT_THAT(Parse(text), IsError(ErrorCode::kGit, "bad config line " +
                                                        std::to_string(line) +
                                                        " in file 'F'"))
      << text;
}

TEST(ConfigurationParser, AContinuedValueEndsWithTheNextLine) {
  for (const std::string next : {"\n", "# c\n", "; c \\\n", " \n", "\r\n"}) {
    EXPECT_THAT(Shown("[a]\nb = x \\\n" + next + "[c]\nd = e\n"),
                ElementsAre("a.b=x ", "c.d=e"))
        << next;
  }
  EXPECT_THAT(Shown("[a]\nb = x\\\n  y\\\n"), ElementsAre("a.b=x  y"));
  EXPECT_THAT(Shown("[a]\nb = x # \\\nc = d"), ElementsAre("a.b=x", "a.c=d"));
}

TEST(ConfigurationParser, NamesAreInLowerCaseExceptSubsections) {
  EXPECT_THAT(Shown("[Core]\nBare\n[A \"B.c\\\"\\\\\\d\"]\nE-9=\n[F.G]h=i"),
              ElementsAre("core.bare", "a.B.c\"\\d.e-9=", "f.g.h=i"));
  EXPECT_THAT(Shown("x = y\n[ \"s\"]\nz"), ElementsAre("x=y", ".s.z"));
}

TEST(ConfigurationParser, QuotesKeepSpaceAndComments) {
  EXPECT_THAT(Shown("[a]b=  x  \"  ; # \"  y  ; z\nc=\"\\t\\b\\n\"\nd=\" \" "),
              ElementsAre("a.b=x    ; #   y", "a.c=\t\b\n", "a.d= "));
}

TEST(ConfigurationParser, TheByteOrderMarkIsSkippedOnce) {
  EXPECT_THAT(Shown("\xef\xbb\xbf[a]\r\nb\r\n"), ElementsAre("a.b"));
  ExpectBadLine("\xef\xbb[a]\nb", 1);
  ExpectBadLine("\xef\xbb\xbf\xef\xbb\xbf[a]\nb", 1);
}

TEST(ConfigurationParser, RefusesWhatGitRefusesAndNamesTheLine) {
  ExpectBadLine("[a]\n[b\n", 2);
  ExpectBadLine("[a", 2);
  ExpectBadLine("[a \"b\n\"]\n", 1);
  ExpectBadLine("[a b]\n", 1);
  ExpectBadLine("[a]\nb = \"x\n\n", 2);
  ExpectBadLine("[a]\nb = \\x\n", 2);
  ExpectBadLine("[a]\n\nb c\n", 3);
  ExpectBadLine("[]\n", 1);
  ExpectBadLine("9\n", 1);
}

// A name of a section counts for every entry.
TEST(ConfigurationParser, FewBytesCannotStandForManyEntries) {
  std::string text = '[' + std::string(1 << 20, 'a') + "]\n";
  for (int i = 0; i < 100; ++i) text += "b\n";
  EXPECT_THAT(Parse(text), HasCode(ErrorCode::kLimitExceeded));
}

// What 'git config' prints for `text`: entries, or the message of its refusal.
class GitsReading {
 public:
  GitsReading() : keeps_space_(GitKeepsSpace()) {}

  // An entry is "name\nvalue" or "name".
  std::string Read(const std::string& text) const {
    testing::WriteFile(path_, text);
    const auto result = testing::RunGit(
        {"config", "--list", "-z", "--show-origin", "-f", path_}, dir_.path());
    if (result.ok()) return Comparable(result.out);
    std::string reason = result.err.substr(0, result.err.find(" in file"));
    return reason.substr(reason.find("bad config line"));
  }

  std::string ReadOurs(const std::string& text) const {
    std::string out;
    const Status parsed = ParseConfiguration(
        text, path_, [&](const ConfigEntry& entry) -> Status {
          out += "file:" + path_ + '\0' + entry.name;
          if (entry.value) out += '\n' + *entry.value;
          out += '\0';
          return {};
        });
    if (parsed) return Comparable(std::move(out));
    return parsed.error().message.substr(
        0, parsed.error().message.find(" in file"));
  }

 private:
  // Since 2.45; before, Git made a space of each white space.
  bool GitKeepsSpace() const {
    testing::WriteFile(path_, "[a]\nb = x\ty\n");
    return testing::RunGit({"config", "-f", path_, "a.b"}, dir_.path()).out ==
           "x\ty\n";
  }

  std::string Comparable(std::string text) const {
    if (!keeps_space_) {
      std::ranges::replace(text, '\t', ' ');
      std::ranges::replace(text, '\r', ' ');
    }
    return text;
  }

  testing::TempDir dir_;
  std::string path_ = dir_ / "config";
  bool keeps_space_;
};

// ZPACK_CONFIGURATIONS=100000 for more of them.
TEST(ConfigurationParser, RandomFilesAreReadAsGitReadsThem) {
  constexpr unsigned kSeed = 39;
  const char* const count = std::getenv("ZPACK_CONFIGURATIONS");
  const GitsReading git;
  testing::RandomConfiguration random(kSeed);
  size_t refused = 0;
  for (int i = count != nullptr ? std::atoi(count) : 1000; i > 0; --i) {
    const std::string text = random.Next();
    const std::string expected = git.Read(text);
    ASSERT_EQ(git.ReadOurs(text), expected)
        << "seed " << kSeed << ", " << i << " before the end:\n"
        << ::testing::PrintToString(text);
    refused += expected.starts_with("bad config line") ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace zpack
