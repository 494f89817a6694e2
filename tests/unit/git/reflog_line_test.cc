// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/reflog_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace zpack {
namespace {

const std::string kOld(40, 'a');
const std::string kNew(40, 'b');
const std::string kIds = kOld + ' ' + kNew + ' ';

std::string_view Parse(const std::string& line, reftable::LogRecord& record) {
  return ParseReflogLine(line, ObjectFormat::kSha1, record);
}

TEST(ReflogLine, ReadsWhatGitWrites) {
  reftable::LogRecord record;
  ASSERT_EQ(
      Parse(kIds + "A U Thor <a@b> 1700000000 -0130\tcommit: x\ty", record),
      "");
  EXPECT_EQ(record.old_id.ToHex(), kOld);
  EXPECT_EQ(record.new_id.ToHex(), kNew);
  EXPECT_EQ(record.name, "A U Thor");
  EXPECT_EQ(record.email, "a@b");
  EXPECT_EQ(record.time, 1700000000U);
  EXPECT_EQ(record.zone, -130);
  EXPECT_EQ(record.message, "commit: x\ty\n");
}

TEST(ReflogLine, LinesSurvive) {
  for (const char* rest :
       {"A <a@b> 1 +0000\tm", "A <a@b> 1 +0000", " <> 0 -1200\tm",
        "A B  C <a b> 18446744073709551615 +1400\t m "}) {
    reftable::LogRecord record;
    ASSERT_EQ(Parse(kIds + rest, record), "") << rest;
    EXPECT_EQ(FormatReflogLine(record), kIds + rest + '\n');
  }
}

TEST(ReflogLine, SaysWhatIsWrong) {
  const std::string zero(40, '0');
  for (const std::string& line :
       {std::string(), kOld, kIds, kOld + ' ' + kNew,
        zero + ' ' + zero + " A <a@b> 1 +0000\tm", "x" + kIds + "A <a> 1 +0000",
        kIds + "A a@b 1 +0000", kIds + "A <a@b> +0000",
        kIds + "A <a@b> x +0000", kIds + "A <a@b> -1 +0000",
        kIds + "A <a@b> 18446744073709551616 +0000", kIds + "A <a@b> 1 0000",
        kIds + "A <a@b> 1 +00", kIds + "A <a<b> 1 +0000",
        kIds + "A <a@b> 1 +00000", kIds + "A <a@b> 1 +0000 m",
        kIds + "A <a@b> 1 +0000\tm" + std::string(1, '\0')}) {
    reftable::LogRecord record;
    EXPECT_NE(Parse(line, record), "") << line;
  }
}

}  // namespace
}  // namespace zpack
