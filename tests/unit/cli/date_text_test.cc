// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/date_text.h"

#include <gtest/gtest.h>

#include <string>

namespace zpack::cli {
namespace {

constexpr int64_t kNow = 1'700'000'000;

std::string DateAs(std::string_view form, std::string_view date,
                   std::string_view zone) {
  const auto style = ParseDateStyle(form, false);
  EXPECT_TRUE(style) << form;
  const auto text = DateText(
      {.name = "", .mail = "", .date = date, .zone = zone}, *style, kNow);
  return text ? *text : text.error().message;
}

TEST(DateText, HasTheFormsOfGit) {
  const auto same = [](std::string_view form) {
    return DateAs(form, "1112912113", "-0730");
  };
  EXPECT_EQ(same("default"), "Thu Apr 7 14:45:13 2005 -0730");
  EXPECT_EQ(same("iso"), "2005-04-07 14:45:13 -0730");
  EXPECT_EQ(same("iso8601-strict"), "2005-04-07T14:45:13-07:30");
  EXPECT_EQ(same("rfc2822"), "Thu, 7 Apr 2005 14:45:13 -0730");
  EXPECT_EQ(same("short"), "2005-04-07");
  EXPECT_EQ(same("raw"), "1112912113 -0730");
  EXPECT_EQ(same("unix"), "1112912113");
  EXPECT_EQ(same("human"), "Apr 7 2005");
  EXPECT_EQ(same("auto:iso"), "Thu Apr 7 14:45:13 2005 -0730");
  EXPECT_EQ(same("format:%Y%%%z%Z %s"), "2005%-0730 1112912113");
  EXPECT_EQ(same("format:"), "");
  EXPECT_EQ(DateAs("iso-strict", "0", "+0000"), "1970-01-01T00:00:00Z");
}

TEST(DateText, SaysHowLongAgo) {
  const auto ago = [](int64_t seconds) {
    return DateAs("relative", std::to_string(kNow - seconds), "+0000");
  };
  constexpr int64_t kDay = 86400;
  EXPECT_EQ(ago(-1), "in the future");
  EXPECT_EQ(ago(1), "1 second ago");
  EXPECT_EQ(ago(89), "89 seconds ago");
  EXPECT_EQ(ago(90), "2 minutes ago");
  EXPECT_EQ(ago(90 * 60), "2 hours ago");
  EXPECT_EQ(ago(36 * 3600), "2 days ago");
  EXPECT_EQ(ago(14 * kDay), "2 weeks ago");
  EXPECT_EQ(ago(70 * kDay), "2 months ago");
  EXPECT_EQ(ago(365 * kDay), "1 year ago");
  EXPECT_EQ(ago(800 * kDay), "2 years, 2 months ago");
  EXPECT_EQ(ago(2000 * kDay), "5 years ago");
}

TEST(DateText, TakesOddDates) {
  const std::string epoch = "Thu Jan 1 00:00:00 1970 +0000";
  EXPECT_EQ(DateAs("default", "", ""), epoch);
  EXPECT_EQ(DateAs("default", "99999999999999999999", "+0100"), epoch);
  EXPECT_EQ(DateAs("default", "9223372036854775807", "+0000"), epoch);
  EXPECT_EQ(DateAs("default", "0", "-0001"),
            "Timestamp before Unix epoch: 0 -001");
  EXPECT_EQ(DateAs("default", "60", "-0001"), "Thu Jan 1 00:00:00 1970");
  EXPECT_EQ(DateAs("iso", "0", "+9999"), "1970-01-05 04:39:00 +9999");
}

// The numbers are those of Git: a conversion that ends the format is cut off by
// one character if it is long.
TEST(DateText, LosesNoWideText) {
  const auto size = [](std::string_view form) {
    return DateAs(form, "1112912113", "+0000").size();
  };
  EXPECT_EQ(size("format:%p"), 2U);
  EXPECT_EQ(DateAs("format:%5", "0", "+0000"), "   %5");
  EXPECT_EQ(size("format:%50"), 50U);
  EXPECT_EQ(size("format:%1000"), 999U);
  EXPECT_EQ(size("format:%01000000d"), 1'000'000U);
  EXPECT_EQ(size("format:%010000000d%05000000d"), 15'000'000U);
  EXPECT_EQ(DateAs("format:%0100000000d", "0", "+0000"),
            "a date in the format '%0100000000d' is longer than 16 MiB");
}

TEST(ParseDateStyle, RefusesOthers) {
  for (const char* const form : {"", "isox", "format", "shortlocal", "x"}) {
    const auto style = ParseDateStyle(form, false);
    ASSERT_FALSE(style) << form;
    EXPECT_EQ(style.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace zpack::cli
