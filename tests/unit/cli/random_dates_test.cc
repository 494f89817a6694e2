// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random texts mean the same time as in Git.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "approximate_date.h"
#include "support/repo_builder.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"
#include "support/time_zone.h"

namespace zpack::cli {
namespace {

constexpr uint32_t kDatesSeed = 20'260'115;

// Times at which clocks change, or nearly.
struct Place {
  const char* zone;
  int64_t now;
};
constexpr std::array<Place, 5> kPlaces = {
    {{"UTC", 1'768'521'600},
     {testing::kNewYork, 1'762'063'200},
     {testing::kNewYork, 1'773'000'000},
     {"IST-5:30", 1'768'500'000},
     {"<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45", 1'759'000'000}}};

constexpr auto kDateWords = std::to_array<std::string_view>(
    {"yesterday", "today", "now",   "never",    "noon",     "midnight",
     "tea",       "am",    "PM",    "ago",      "last",     "monday",
     "Tue",       "wed",   "thurs", "FRIDAY",   "sunday",   "jan",
     "Feb",       "march", "juno",  "august",   "december", "one",
     "two",       "ten",   "zero",  "day",      "seconds",  "minutes",
     "hours",     "days",  "week",  "months",   "year",     "at",
     "of",        "utc",   "EST",   "cet",      "z",        "T",
     "nzdt",      "x",     "@",     "\x7f\xe9", "noonx",    "mo"});
constexpr auto kDateSeparators = std::to_array<std::string_view>(
    {" ", " ", " ", ".", ", ", "_", "-", "  ", "", "/"});
constexpr auto kTimesAndZones = std::to_array<std::string_view>(
    {"10:00",    "3:5",     "23:59:60", "24:00",     "25:61", "12:30:15.75",
     "3am",      "12PM",    "+0200",    "-03:30",    "+02",   "+9959",
     "+02: 5",   "-0001",   "T12",      "T1230",     "T25",   "123000",
     "235961.5", "+0200 Z", "@5 +0000", "@70 - 123", "00:00", "GMT"});
constexpr auto kYearTexts = std::to_array<std::string_view>(
    {"1969", "1970", "1999", "2008", "2024", "2025", "2099", "2100", "24", "38",
     "70", "71", "99", "5"});
constexpr auto kLongUnits =
    std::to_array<std::string_view>({"weeks", "FRIDAYS", "months", "years"});
constexpr auto kOddNumbers = std::to_array<std::string_view>(
    {"0", "00", "007", "100", "1400", "1401", "2024", "99999999", "100000000",
     "1700000000", "4102444799", "4102444800", "20240501", "20230229",
     "2147483648", "18446744073709551616", "9999999999999999999999999"});

class RandomDates {
 public:
  std::string Text() {
    std::string text = Piece();
    for (int more = Number(0, 3); more > 0; --more) {
      text += OneOf(kDateSeparators) + Piece();
    }
    return text;
  }

 private:
  int Number(int least, int most) {
    return std::uniform_int_distribution(least, most)(random_);
  }

  std::string OneOf(std::span<const std::string_view> texts) {
    return std::string(texts[random_() % texts.size()]);
  }

  std::string Piece() {
    switch (Number(0, 9)) {
      case 0:
        return Day();
      case 1:
        return Day() + (Number(0, 1) == 0 ? ' ' : 'T') + OneOf(kTimesAndZones);
      case 2:
      case 3:
        return OneOf(kTimesAndZones);
      case 4:
        return std::to_string(Number(0, 40)) + OneOf(kDateSeparators) +
               OneOf(kLongUnits);
      case 5:
        return std::to_string(Number(0, 40));
      case 6:
        return OneOf(kOddNumbers);
      default:
        return OneOf(kDateWords);
    }
  }

  std::string Day() {
    std::array parts = {OneOf(kYearTexts), std::to_string(Number(0, 13)),
                        std::to_string(Number(0, 32))};
    std::ranges::shuffle(parts, random_);
    const char sign = "-/."[Number(0, 2)];
    return parts[0] + sign + parts[1] + sign + parts[2];
  }

  std::mt19937 random_{kDatesSeed};
};

// Whether Git may look at its clock in place of GIT_TEST_DATE_NOW: at a day
// after a time.
bool DependsOnTheClock(const std::string& text) {
  static const std::regex pattern("(:|[0-9]{6}|T[0-9]).*[0-9][-/.][0-9]");
  return std::regex_search(text, pattern);
}

// Whether Git may take a number for what is left of it in 32 bits.
bool HasLongNumber(const std::string& text) {
  static const std::regex pattern("[0-9]{10}");
  return std::regex_search(text, pattern);
}

// What Git says, as text.
std::vector<std::string> TimesOfGit(const std::vector<std::string>& texts,
                                    int64_t now) {
  const testing::TempDir directory;
  const testing::RepoBuilder repo(directory / "repo");
  std::vector<std::string> command = {"git", "rev-parse"};
  for (const std::string& text : texts) command.push_back("--since=" + text);
  std::istringstream lines(
      testing::RunProcess(command, {.directory = repo.path(),
                                    .input = "",
                                    .environment = {"GIT_TEST_DATE_NOW=" +
                                                    std::to_string(now)}})
          .out);
  constexpr std::string_view kPrefix = "--max-age=";
  std::vector<std::string> times;
  for (std::string line; std::getline(lines, line);) {
    times.push_back(line.substr(std::min(kPrefix.size(), line.size())));
  }
  return times;
}

TEST(RandomDates, MeanWhatTheyMeanInGit) {
  if (!testing::GitIsSince(55)) GTEST_SKIP() << "an older Git";
  SCOPED_TRACE(kDatesSeed);
  RandomDates dates;
  size_t compared = 0;
  for (const auto& [zone_name, now] : kPlaces) {
    const testing::TimeZone zone(zone_name);
    std::vector<std::string> texts;
    while (texts.size() < 1000) {
      texts.push_back(dates.Text());
      if (DependsOnTheClock(texts.back())) texts.pop_back();
    }
    const std::vector<std::string> expected = TimesOfGit(texts, now);
    ASSERT_EQ(expected.size(), texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto date = ParseApproximateDate(texts[i], now);
      if (!date) {
        EXPECT_TRUE(expected[i] == std::to_string(now) ||
                    HasLongNumber(texts[i]))
            << texts[i];
      } else if (*date >= 0) {
        ++compared;
        EXPECT_EQ(std::to_string(*date), expected[i]) << texts[i];
      }
    }
  }
  EXPECT_GT(compared, 3000U);
}

// Texts that nobody types, of any bytes and long ones.
TEST(RandomDates, AnyTextIsRead) {
  constexpr std::string_view kBytes("0123456789-+:./@ aTz\0\n\x80\xff", 24);
  std::mt19937 random(kDatesSeed);
  const testing::TimeZone zone(testing::kNewYork);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int j = 0; j < 20; ++j) text += kBytes[random() % kBytes.size()];
    ParseApproximateDate(text, kPlaces[0].now);
  }
  for (const std::string_view piece :
       {"9", "0", "a", " ", ":", "+02:", "5 ", "99999999 years ", "1.", "one ",
        "2147483647 weeks ", "\xff", "last ", "@", "2147483647 fridays "}) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    ParseApproximateDate(text, kPlaces[0].now);
  }
}

}  // namespace
}  // namespace zpack::cli
