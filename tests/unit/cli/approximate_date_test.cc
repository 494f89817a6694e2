// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "approximate_date.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/subprocess.h"
#include "support/time_zone.h"

namespace zpack::cli {
namespace {

constexpr int64_t kEveningOfDates = 1768521600;  // Thu 2026-01-15 19:00 -0500
constexpr int64_t kDayOfDates = 86400;

struct KnownDate {
  std::string_view text;
  int64_t time;
};

// What Git 2.55 makes of them in New York at that evening.
constexpr std::array kKnownDates = std::to_array<KnownDate>({
    {"last friday", 1768003200},
    {"last thursday", 1767916800},
    {"3 mondays ago", 1767052800},
    {"10:00", 1768489200},
    {"20:00", 1768525200},
    {"3am", 1768464000},
    {"3 am", 1768464000},
    {"6pm yesterday", 1768431600},
    {"yesterday 6pm", 1768431600},
    {"yesterday at 6:15pm", 1768432500},
    {"jan 5", 1767657600},
    {"5 jan", 1767657600},
    {"Dec 25", 1766707200},
    {"dec 25 2019", 1577318400},
    {"25 December, 2019 at 10:15", 1577286900},
    {"january", 1768521600},
    {"monday noon", 1768496400},
    {"noon", 1768496400},
    {"tea", 1768514400},
    {"midnight", 1768453200},
    {"today", 1768453200},
    {"Today 3am", 1768464000},
    {"noon yesterday", 1768410000},
    {"yesterday.noon", 1768410000},
    {"never", 0},
    {"now", 1768521600},
    {"yesterday", 1768435200},
    {"3.days.ago", 1768262400},
    {"-1.day.ago", 1768435200},
    {"3 days from now", 1768262400},
    {"2.weeks", 1767312000},
    {"two hours 5 minutes ago", 1768514100},
    {"last week", 1767916800},
    {"last month", 1765843200},
    {"last year", 1736985600},
    {"13.months.ago", 1734307200},
    {"1 year 2 months ago", 1731715200},
    {"6 month ago at 3pm", 1752609600},
    {"3", 1767484800},
    {"@5", 1767657600},
    {"2024", 1705363200},
    {"Jun 6", 1749254400},
    {"06/05", 1746576000},
    {"2024-05", 1704499200},
    {"2024-05-01", 1714608000},
    {"05/01/2024", 1714608000},
    {"1.5.2024", 1714608000},
    {"13/5/24", 1715644800},
    {"99-12-31", 946684800},
    {"2024-13-01", 1705190400},
    {"2024-13-13", 1705190400},
    {"20240501T12", 1714579200},
    {"20240501T1230", 1714581000},
    {"20240501T123000Z", 1714566600},
    {"2024-05-01 12:30", 1714581000},
    {"2024-05-01 12:30:00.5", 1714581000},
    {"2024-05-01 24:00 utc", 1714608000},
    {"2024-05-01T12:30:00+02:00", 1714559400},
    {"2024-05-01 12:30 +02: 5", 1714559100},
    {"2024-05-01 12:30:00 EST", 1714584600},
    {"2024-05-01 3pm", 1714593600},
    {"2024-05-01 12pm", 1714582800},
    {"2024-05-01 12am", 1714539600},
    {"Wed, 1 May 2024 12:30:00 +0200", 1714559400},
    {"wed 1 may 24 12:30", 1714584600},
    {"may 2024 10:00 +0000", 1714384800},
    {"@1714521600 +0200", 1714521600},
    {"@0 +0000", 0},
    {"@9223372036854775807 +0000", 9223372036854775807},
    {"1714521600", 1714521600},
    {"100000000", 100000000},
    {"3000000000 seconds ago", 3000000000},
    {"1700000000 noon", 1700000000},
    {"12:30 2024-05-01", 1714581000},
    {"LAST   FRIDAY", 1768003200},
    {"10:00.5", 1767625200},
    {"oct.31..2020", 1604188800},
    {"31 feb", 1741046400},
    {"Sept 31 2020 6pm", 1601593200},
});

TEST(ParseApproximateDate, MeansWhatItMeansInGit) {
  const testing::TimeZone zone(testing::kNewYork);
  for (const auto& [text, time] : kKnownDates) {
    EXPECT_EQ(ParseApproximateDate(text, kEveningOfDates), time) << text;
  }
}

TEST(ParseApproximateDate, RefusesTextsThatSayNothing) {
  for (const std::string_view text :
       {"",        " ",    "x",         "foo",      "soon",     "ago",
        "monday",  "days", "weeks ago", "@",        "@x",       "0",
        "0000",    "+",    "5000",      "99999999", "20240501", "noonx",
        "fridays", "utc",  "zero",      "\x80\xff"}) {
    EXPECT_EQ(ParseApproximateDate(text, kEveningOfDates), std::nullopt)
        << text;
  }
}

// Git takes what is left of them in 32 bits.
TEST(ParseApproximateDate, RefusesNumbersThatNoDateHas) {
  for (const std::string_view text :
       {"4102444800", "20240501123000", "12345678901 seconds ago",
        "@12345678901", "99999999999999999999", "jan 2147483648"}) {
    EXPECT_EQ(ParseApproximateDate(text, kEveningOfDates), std::nullopt)
        << text;
  }
}

// Where Git counts in 32 bits, or takes years before 1900 for no years.
TEST(ParseApproximateDate, MayLieBefore1970) {
  const testing::TimeZone zone("UTC");
  for (const int64_t days : {21'900, 30'000, 99'999'999}) {
    EXPECT_EQ(ParseApproximateDate(std::to_string(days) + " days ago",
                                   kEveningOfDates),
              days == 99'999'999 ? -2'208'988'801
                                 : kEveningOfDates - days * kDayOfDates);
  }
  for (const char* const text :
       {"99 years ago", "127 years ago", "200 years ago",
        "jan 2147483647 years", "jan 2147483647 months ago",
        "jan 2147483647 weeks ago", "jan 2147483647 fridays ago",
        "9999 weeks ago jan 5"}) {
    EXPECT_LT(ParseApproximateDate(text, kEveningOfDates), 0) << text;
  }
}

TEST(ParseApproximateDate, ADayAloneHasTheDaylightSavingTimeOfNow) {
  const testing::TimeZone zone(testing::kNewYork);
  constexpr int64_t kWinterNoon = 1768496400;  // 2026-01-15 12:00 -0500
  constexpr int64_t kSummerNoon = 1784131200;  // 2026-07-15 12:00 -0400
  EXPECT_EQ(ParseApproximateDate("2024-07-01", kWinterNoon), 1719853200);
  EXPECT_EQ(ParseApproximateDate("1 Jul 2024", kWinterNoon), 1719853200);
  EXPECT_EQ(ParseApproximateDate("2024-01-10", kSummerNoon), 1704902400);
  for (const int64_t now : {kWinterNoon, kSummerNoon}) {
    EXPECT_EQ(ParseApproximateDate("2024-07-01 12:00:00", now), 1719849600);
  }
}

// A day with its year at the end, but not one with its year at the beginning.
TEST(ParseApproximateDate, DaysFarAheadAreReadInTheOtherOrder) {
  const testing::TimeZone zone("UTC");
  constexpr int64_t kNoon = 1768478400;  // 2026-01-15 12:00
  EXPECT_EQ(ParseApproximateDate("01/25/2026", kNoon),
            kNoon + 10 * kDayOfDates);
  EXPECT_EQ(ParseApproximateDate("12/01/2026", kNoon), kNoon - 3 * kDayOfDates);
  EXPECT_EQ(ParseApproximateDate("2027-01-15", kNoon),
            kNoon + 365 * kDayOfDates);
}

TEST(ParseApproximateDate, EndsAtANul) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(ParseApproximateDate("yesterday\0 noon"sv, kEveningOfDates),
            kEveningOfDates - kDayOfDates);
  EXPECT_EQ(ParseApproximateDate("\0noon"sv, kEveningOfDates), std::nullopt);
}

TEST(ParseExpiryDate, HasWordsOfItsOwn) {
  for (const char* const text :
       {"never", "false", "99 years ago", "200 years ago", "30000 days ago"}) {
    EXPECT_EQ(ParseExpiryDate(text, kEveningOfDates), 0) << text;
  }
  for (const char* const text : {"now", "all"}) {
    EXPECT_EQ(ParseExpiryDate(text, kEveningOfDates), kEveningOfDates) << text;
  }
  for (const char* const text : {"", "soon", "weeks.ago", "@", "true"}) {
    EXPECT_EQ(ParseExpiryDate(text, kEveningOfDates), std::nullopt) << text;
  }
}

TEST(ParseExpiryDate, MeansWhatItMeansInGit) {
  const testing::TimeZone zone(testing::kNewYork);
  for (const std::string text :
       {"never", "false", "2.weeks.ago", "yesterday", "noon", "3am",
        "last friday", "jan 5", "2024-05-01", "2024-05-01 12:30 +0200",
        "@1714521600", "5"}) {
    const auto result =
        testing::RunProcess({"git", "-c", "a.date=" + text, "config",
                             "--type=expiry-date", "a.date"},
                            {.directory = "",
                             .input = "",
                             .environment = {"GIT_TEST_DATE_NOW=" +
                                             std::to_string(kEveningOfDates)}});
    const auto date = ParseExpiryDate(text, kEveningOfDates);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(result.out, std::to_string(*date) + '\n') << text;
  }
}

}  // namespace
}  // namespace zpack::cli
