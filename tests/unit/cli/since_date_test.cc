// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/since_date.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <vector>

#include "repack/expiry_date.h"
#include "support/repo_builder.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"
#include "support/time_zone.h"

namespace zpack::cli {
namespace {

constexpr int64_t kSinceNow = 1'700'000'000;
constexpr int64_t kSinceDay = 86400;

TEST(ParseSinceDate, KnowsTheUsualForms) {
  EXPECT_EQ(ParseSinceDate("now", kSinceNow), kSinceNow);
  EXPECT_EQ(ParseSinceDate("never", kSinceNow), 0);
  EXPECT_EQ(ParseSinceDate("yesterday", kSinceNow), kSinceNow - kSinceDay);
  EXPECT_EQ(ParseSinceDate("@1714521600", kSinceNow), 1714521600);
  EXPECT_EQ(ParseSinceDate("@1714521600 +0200", kSinceNow), 1714521600);
  EXPECT_EQ(ParseSinceDate("1714521600", kSinceNow), 1714521600);
  EXPECT_EQ(ParseSinceDate("3 days ago", kSinceNow), kSinceNow - 3 * kSinceDay);
  EXPECT_EQ(ParseSinceDate("2.weeks", kSinceNow), kSinceNow - 14 * kSinceDay);
  EXPECT_EQ(ParseSinceDate("last week", kSinceNow), kSinceNow - 7 * kSinceDay);
  EXPECT_EQ(ParseSinceDate("two hours 5 minutes ago", kSinceNow),
            kSinceNow - 7500);
  EXPECT_EQ(ParseSinceDate("2024-05-01 12:30:00 +0200", kSinceNow), 1714559400);
  EXPECT_EQ(ParseSinceDate("2024-05-01T12:30:00+02:00", kSinceNow), 1714559400);
  EXPECT_EQ(ParseSinceDate("2024-05-01T10:30:00Z", kSinceNow), 1714559400);
  EXPECT_EQ(ParseSinceDate("Wed, 1 May 2024 12:30 +0200", kSinceNow),
            1714559400);
}

TEST(ParseSinceDate, RefusesOthers) {
  for (const char* const text : {"",
                                 "x",
                                 "3",
                                 "3 days from now",
                                 "days",
                                 "2024-13-13",
                                 "2024-05",
                                 "2024-05-01 25:00",
                                 "2024-05-01 12:30 +99999",
                                 "@",
                                 "@x",
                                 "@5",
                                 "@0",
                                 "@-5",
                                 "@99999999",
                                 "@12345678901",
                                 "@5 noon",
                                 "@1714521600 Z",
                                 "3 days ago noon",
                                 "noon noon",
                                 "yesterday yesterday",
                                 "@5 0000 ",
                                 "99999999999999999999",
                                 "4102444800",
                                 "20240501123000",
                                 "3 fortnights ago",
                                 "Wed 1"}) {
    EXPECT_EQ(ParseSinceDate(text, kSinceNow), std::nullopt) << text;
  }
}

TEST(ParseSinceDate, KnowsTheNamesOfHours) {
  const testing::TimeZone zone(testing::kNewYork);
  constexpr int64_t kMorning = 1768485600;  // 2026-01-15 09:00 -0500
  EXPECT_EQ(ParseSinceDate("midnight", kMorning), kMorning - 9 * 3600);
  EXPECT_EQ(ParseSinceDate("noon", kMorning), kMorning - 21 * 3600);
  EXPECT_EQ(ParseSinceDate("tea", kMorning), kMorning - 16 * 3600);
  EXPECT_EQ(ParseSinceDate("noon yesterday", kMorning), kMorning - 21 * 3600);
  EXPECT_EQ(ParseSinceDate("yesterday tea", kMorning), kMorning - 16 * 3600);
  EXPECT_EQ(ParseSinceDate(" Today ", kMorning), kMorning - 9 * 3600);
}

TEST(ParseSinceDate, SmallNumbersAreSecondsIfAZoneFollows) {
  EXPECT_EQ(ParseSinceDate("@5 +0000", kSinceNow), 5);
  EXPECT_EQ(ParseSinceDate("@5 -0330", kSinceNow), 5);
  EXPECT_EQ(ParseSinceDate("@100000000", kSinceNow), 100'000'000);
}

TEST(ParseSinceDate, MayLieBefore1970) {
  constexpr int64_t kYears = 60 * 365;
  EXPECT_EQ(ParseSinceDate("21900 days ago", kSinceNow),
            kSinceNow - kYears * kSinceDay);
  EXPECT_LT(ParseSinceDate("99 years ago", kSinceNow), 0);
}

TEST(ParseSinceDate, ADayAloneHasTheDaylightSavingTimeOfNow) {
  const testing::TimeZone zone(testing::kNewYork);
  constexpr int64_t kWinterNoon = 1768496400;  // 2026-01-15 12:00 -0500
  constexpr int64_t kSummerNoon = 1784131200;  // 2026-07-15 12:00 -0400
  EXPECT_EQ(ParseSinceDate("2024-07-01", kWinterNoon), 1719853200);
  EXPECT_EQ(ParseSinceDate("1 Jul 2024", kWinterNoon), 1719853200);
  EXPECT_EQ(ParseSinceDate("2024-01-10", kSummerNoon), 1704902400);
  for (const int64_t now : {kWinterNoon, kSummerNoon}) {
    EXPECT_EQ(ParseSinceDate("2024-07-01 12:00:00", now), 1719849600);
  }
}

TEST(ParseSinceDate, SaysWhatGitSays) {
  const testing::TempDir directory;
  const testing::RepoBuilder repo(directory / "repo");
  for (const char* const text :
       {"1 month ago", "5 months ago", "13.months.ago", "2 years ago",
        "1 year 2 months ago", "2024-05-01 12:30:00",
        "2024-05-01 12:30:00 -0330", "2024-05-01T12:30:00Z",
        "2024-05-01 12:30:00 +2359", "2024-05-01 12:30:00 +2400",
        "2024-05-01 12:30:00 -9959", "2024-05-01 12:30:00 +0260",
        "Wed, 1 May 2024 12:30:00 +0200", "2024-05-01", "last month",
        "100000000"}) {
    // The second may change meanwhile.
    bool same = false;
    for (int attempt = 0; attempt < 5 && !same; ++attempt) {
      const auto date = ParseSinceDate(text, std::time(nullptr));
      ASSERT_TRUE(date) << text;
      same = repo.Git({"rev-parse", std::string("--since=") + text}) ==
             "--max-age=" + std::to_string(*date);
    }
    EXPECT_TRUE(same) << text;
  }
}

TEST(ParseSinceDate, DaysInNumbersHaveTheOrderThatGitTakes) {
  const testing::TempDir directory;
  const testing::RepoBuilder repo(directory / "repo");
  constexpr int64_t kEvening = 1768521600;  // 2026-01-15 19:00 -0500
  const testing::TimeZone zone(testing::kNewYork);
  std::vector<std::string> days;
  for (const char* const numbers :
       {"01%01%1980", "05%01%2024", "5%1%24",     "13%01%2024", "01%13%2024",
        "13%13%2024", "31%12%99",   "12%31%37",   "1%2%38",     "1%2%70",
        "1%2%71",     "99%12%31",   "99%31%12",   "70%1%2",     "2024%05%01",
        "2024%31%12", "2024%5%1",   "2024%02%31", "2100%1%1",   "1969%1%1",
        "20%01%2026", "01%02%2026", "02%01%2026", "12%01%2026", "01%12%2026",
        "12%12%2026", "0%1%2024",   "1%0%2024"}) {
    for (const char separator : {'-', '/', '.'}) {
      std::string day = numbers;
      std::ranges::replace(day, '%', separator);
      days.push_back(day);
      days.push_back(day + " 12:30:00");
      days.push_back(day + " 12:30:00 +0200");
    }
  }
  size_t known = 0;
  for (const std::string& text : days) {
    const auto date = ParseSinceDate(text, kEvening);
    const auto expiry = ParseExpiryDate(text, kEvening);
    if (!date) continue;
    ++known;
    const auto result = testing::RunProcess(
        {"git", "rev-parse", "--since=" + text},
        {.directory = repo.path(),
         .input = "",
         .environment = {"GIT_TEST_DATE_NOW=" + std::to_string(kEvening)}});
    EXPECT_EQ(result.out, "--max-age=" + std::to_string(*date) + '\n') << text;
    // That of a day alone is its beginning.
    if (expiry) {
      EXPECT_LE(*expiry, *date) << text;
      EXPECT_LE(*date - *expiry, kSinceDay) << text;
    }
  }
  EXPECT_GT(known, 150U);
  EXPECT_TRUE(ParseExpiryDate("01-01-1980", kEvening));
  EXPECT_TRUE(ParseExpiryDate("1/5/24 12:30:00 +0200", kEvening));
  EXPECT_FALSE(ParseExpiryDate("13-13-2024", kEvening));
  EXPECT_FALSE(ParseSinceDate("13-13-2024", kEvening));
}

// Late in the day, for which versions of Git agree.
TEST(ParseSinceDate, WordsMeanWhatTheyMeanInGit) {
  const testing::TempDir directory;
  const testing::RepoBuilder repo(directory / "repo");
  constexpr int64_t kEvening = 1768521600;  // 2026-01-15 19:00 -0500
  const testing::TimeZone zone(testing::kNewYork);
  for (const std::string text :
       {"now", "never", "yesterday", "Yesterday", "midnight", "noon", "tea",
        " NOON ", "noon yesterday", "yesterday.noon", "tea-yesterday",
        "yesterday midnight", "midnight yesterday", "@5 +0200", "@0 -0000",
        "@100000000", "@1714521600 +0200", "1714521600", "one day ago"}) {
    const auto result = testing::RunProcess(
        {"git", "rev-parse", "--since=" + text},
        {.directory = repo.path(),
         .input = "",
         .environment = {"GIT_TEST_DATE_NOW=" + std::to_string(kEvening)}});
    const auto date = ParseSinceDate(text, kEvening);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(result.out, "--max-age=" + std::to_string(*date) + '\n') << text;
  }
}

}  // namespace
}  // namespace zpack::cli
