// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/reverse_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;

constexpr size_t kMaxLine = 200'000;

// The lines from the last to the first.
Result<std::vector<std::string>> ReadLinesOf(const std::string& content) {
  const testing::TempDir directory;
  testing::WriteFile(directory / "file", content);
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         PosixFileSystem().OpenForRead(directory / "file"));
  ReverseLines lines(*file, kMaxLine);
  std::vector<std::string> read;
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(auto line, lines.Next());
    if (!line) return read;
    read.push_back(*std::move(line));
  }
}

TEST(ReverseLines, ReadsFromTheEnd) {
  EXPECT_THAT(*ReadLinesOf(""), IsEmpty());
  EXPECT_THAT(*ReadLinesOf("a\n"), ElementsAre("a"));
  EXPECT_THAT(*ReadLinesOf("a\nbc\n\nd\n"), ElementsAre("d", "", "bc", "a"));
  EXPECT_THAT(*ReadLinesOf("\n"), ElementsAre(""));
  EXPECT_THAT(*ReadLinesOf("\n\n"), ElementsAre("", ""));
}

// Lines that end before, at and after each place where the buffer begins.
TEST(ReverseLines, ReadsLinesAcrossBuffers) {
  for (size_t size = (64 << 10) - 3; size < (64 << 10) + 4; ++size) {
    const std::string long_line(size, 'x');
    const auto lines =
        ReadLinesOf("first\n" + long_line + '\n' + long_line + "\nlast\n");
    ASSERT_THAT(lines, IsOk());
    EXPECT_THAT(*lines, ElementsAre("last", long_line, long_line, "first"));
  }
}

TEST(ReverseLines, ALineNeedsAnEnd) {
  EXPECT_THAT(ReadLinesOf("a\nb"), HasCode(ErrorCode::kCorrupt));
}

TEST(ReverseLines, LongLinesAreRefused) {
  EXPECT_THAT(ReadLinesOf(std::string(kMaxLine, 'x') + '\n'), IsOk());
  EXPECT_THAT(ReadLinesOf(std::string(kMaxLine + 1, 'x') + '\n'),
              HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack
