// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/command_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsError;
using testing::IsOk;
using Variables = std::map<std::string, std::string>;

Result<std::vector<ConfigEntry>> Read(const Variables& variables) {
  return CommandConfiguration([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

void ExpectEntries(const Variables& variables,
                   const std::vector<ConfigEntry>& entries) {
  const auto result = Read(variables);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(*result, entries);
}

void ExpectBogus(const std::string& parameters) {
  EXPECT_THAT(
      Read({{"GIT_CONFIG_PARAMETERS", parameters}}),
      IsError(ErrorCode::kGit, ::testing::HasSubstr("GIT_CONFIG_PARAMETERS")))
      << parameters;
}

TEST(CommandConfiguration, NothingIsNoEntry) {
  ExpectEntries({}, {});
  ExpectEntries({{"GIT_CONFIG_COUNT", ""}, {"GIT_CONFIG_PARAMETERS", ""}}, {});
  ExpectEntries({{"GIT_CONFIG_COUNT", "0"}, {"GIT_CONFIG_KEY_0", "a.b"}}, {});
}

TEST(CommandConfiguration, CountedEntriesComeBeforeParameters) {
  ExpectEntries(
      {{"GIT_CONFIG_COUNT", "2"},
       {"GIT_CONFIG_KEY_0", "pack.window"},
       {"GIT_CONFIG_VALUE_0", "1"},
       {"GIT_CONFIG_KEY_1", "safe.directory"},
       {"GIT_CONFIG_VALUE_1", ""},
       {"GIT_CONFIG_PARAMETERS", "'pack.window'='2'"}},
      {{"pack.window", "1"}, {"safe.directory", ""}, {"pack.window", "2"}});
}

TEST(CommandConfiguration, ParametersAreReadInBothOfGitsForms) {
  ExpectEntries({{"GIT_CONFIG_PARAMETERS",
                  "'a.one'='x y'  'a.two=z=1' 'a.three' 'a.four'= 'a.five='"}},
                {{"a.one", "x y"},
                 {"a.two", "z=1"},
                 {"a.three", std::nullopt},
                 {"a.four", std::nullopt},
                 {"a.five", ""}});
}

TEST(CommandConfiguration, QuotesOfTheShellAreTakenOff) {
  ExpectEntries({{"GIT_CONFIG_PARAMETERS", R"('a.b'='it'\''s '\!'')"}},
                {{"a.b", "it's !"}});
}

TEST(CommandConfiguration, AnyByteOfAValueIsKept) {
  ExpectEntries({{"GIT_CONFIG_PARAMETERS", "'a.b'='\"\\#;\n\t[x]'"}},
                {{"a.b", "\"\\#;\n\t[x]"}});
}

TEST(CommandConfiguration, SubsectionsMayHoldDotsAndQuotes) {
  ExpectEntries({{"GIT_CONFIG_PARAMETERS", "'Url.https://x.y/\"Z.Name'='v'"}},
                {{"url.https://x.y/\"Z.name", "v"}});
}

TEST(CommandConfiguration, MalformedParametersAreRefused) {
  for (const char* const bogus :
       {" 'a.b'", "a.b=c", "'a.b", "'a.b'x", "'a.b'='c", "'a.b'='c'x",
        "'a.b'=c", "'a.b'='c' d"}) {
    ExpectBogus(bogus);
  }
}

TEST(CommandConfiguration, MalformedKeysAreRefused) {
  for (const char* const bad : {"", "a", ".b", ".", "a.", "a b.c", "a.1b",
                                "a.b_c", "a.x\ny.b", "a_b.c"}) {
    EXPECT_THAT(Read({{"GIT_CONFIG_COUNT", "1"},
                      {"GIT_CONFIG_KEY_0", bad},
                      {"GIT_CONFIG_VALUE_0", "v"}}),
                HasCode(ErrorCode::kGit))
        << bad;
  }
}

TEST(CommandConfiguration, BadCountsAndMissingEntriesAreRefused) {
  for (const char* const bad : {"x", "-1", "1x", " 1", "99999999999"}) {
    EXPECT_THAT(Read({{"GIT_CONFIG_COUNT", bad}}), HasCode(ErrorCode::kGit))
        << bad;
  }
  EXPECT_THAT(
      Read({{"GIT_CONFIG_COUNT", "1"}}),
      IsError(ErrorCode::kGit, ::testing::HasSubstr("missing config key")));
  EXPECT_THAT(
      Read({{"GIT_CONFIG_COUNT", "1"}, {"GIT_CONFIG_KEY_0", "a.b"}}),
      IsError(ErrorCode::kGit, ::testing::HasSubstr("missing config value")));
}

}  // namespace
}  // namespace zpack
