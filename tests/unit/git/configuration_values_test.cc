// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

// What 'git config --type=<type>' makes of values, compared with `ours`.
template <typename Ours>
void ExpectAsGit(const std::string& type, Ours ours) {
  const testing::TempDir dir;
  for (const std::string value : {"",
                                  "1",
                                  "0",
                                  "-1",
                                  "true",
                                  "TRUE",
                                  "tru",
                                  "yes",
                                  "On",
                                  "off",
                                  "no",
                                  "2",
                                  "1k",
                                  "1K",
                                  "1m",
                                  "-3g",
                                  "1kb",
                                  "k",
                                  "0x10",
                                  "010",
                                  "08",
                                  "+5",
                                  " 5",
                                  "5 ",
                                  "2147483647",
                                  "2147483648",
                                  "3g",
                                  "2097151k",
                                  "1.5",
                                  "--1",

                                  "9223372036854775807",
                                  "9223372036854775808",

                                  "9007199254740992k",
                                  "8589934591g"}) {
    testing::WriteFile(dir / "config", "[a]\n\tb = \"" + value + "\"\n");
    const auto git = testing::RunGit(
        {"config", "-f", dir / "config", "--type=" + type, "a.b"}, dir.path());
    EXPECT_EQ(ours(value), git.ok() ? git.out : "refused") << value;
  }
}

TEST(ConfigurationValues, BooleansAreReadAsGitReadsThem) {
  ExpectAsGit("bool", [](const std::string& value) -> std::string {
    const auto parsed = ParseConfigBool(value);
    if (!parsed) return "refused";
    return *parsed ? "true\n" : "false\n";
  });
  EXPECT_EQ(ParseConfigBool(std::nullopt), true);
}

TEST(ConfigurationValues, NumbersAreReadAsGitReadsThem) {
  ExpectAsGit("int", [](const std::string& value) -> std::string {
    const auto parsed = ParseConfigNumber(value);
    return parsed ? std::to_string(*parsed) + '\n' : "refused";
  });
  EXPECT_FALSE(ParseConfigNumber(std::nullopt));
}

TEST(ConfigurationValues, NumbersHaveLimits) {
  EXPECT_EQ(ParseConfigNumber("1k", 1024), 1024);
  EXPECT_FALSE(ParseConfigNumber("1025", 1024));
  EXPECT_EQ(ParseConfigNumber("-1025", 1024), -1025);
  EXPECT_FALSE(ParseConfigNumber("-1026", 1024));
}

}  // namespace
}  // namespace zpack
