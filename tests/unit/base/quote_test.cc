// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/quote.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

TEST(QuoteName, LeavesWhatPrintsAsItIs) {
  EXPECT_EQ(QuoteName(""), "");
  EXPECT_EQ(QuoteName("refs/heads/it's here"), "refs/heads/it's here");
  EXPECT_EQ(QuoteName("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(QuoteName, EscapesControlCharactersQuotesAndBackslashes) {
  EXPECT_EQ(QuoteName("a\nb\x1b[2J"), R"("a\nb\033[2J")");
  EXPECT_EQ(QuoteName("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(QuoteName(std::string_view("\0\x7f", 2)), R"("\000\177")");
}

TEST(QuoteName, EscapesC1ControlCharactersInEitherForm) {
  EXPECT_EQ(QuoteName("a\x9b"), R"("a\233")");
  EXPECT_EQ(QuoteName("a\xc2\x9b"), R"("a\302\233")");
  EXPECT_EQ(QuoteName("\xc2\xa0"), "\xc2\xa0");
}

TEST(QuoteName, EscapesWhatTurnsTextOrBreaksLines) {
  EXPECT_EQ(QuoteName("\xe2\x80\xae"), R"("\342\200\256")");
  EXPECT_EQ(QuoteName("\xe2\x80\xa8"), R"("\342\200\250")");
  EXPECT_EQ(QuoteName("\xe2\x81\xa6"), R"("\342\201\246")");
}

TEST(QuoteName, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(QuoteName("\xff"), R"("\377")");
  EXPECT_EQ(QuoteName("\xc3"), R"("\303")") << "cut off";
  EXPECT_EQ(QuoteName("\xc0\xaf"), R"("\300\257")") << "too long a form";
  EXPECT_EQ(QuoteName("\xed\xa0\x80"), R"("\355\240\200")") << "surrogate";
  EXPECT_EQ(QuoteName("\xf4\x90\x80\x80"), R"("\364\220\200\200")");
}

// The table of well-formed byte sequences of the Unicode Standard: for each
// row, the first and last values of each byte.
TEST(IsUtf8, AcceptsWhatTheTableOfUnicodeAllows) {
  struct Row {
    std::vector<std::pair<int, int>> bytes;
  };
  const std::vector<Row> table = {
      {{{0x00, 0x7f}}},
      {{{0xc2, 0xdf}, {0x80, 0xbf}}},
      {{{0xe0, 0xe0}, {0xa0, 0xbf}, {0x80, 0xbf}}},
      {{{0xe1, 0xec}, {0x80, 0xbf}, {0x80, 0xbf}}},
      {{{0xed, 0xed}, {0x80, 0x9f}, {0x80, 0xbf}}},
      {{{0xee, 0xef}, {0x80, 0xbf}, {0x80, 0xbf}}},
      {{{0xf0, 0xf0}, {0x90, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
      {{{0xf1, 0xf3}, {0x80, 0xbf}, {0x80, 0xbf}, {0x80, 0xbf}}},
      {{{0xf4, 0xf4}, {0x80, 0x8f}, {0x80, 0xbf}, {0x80, 0xbf}}}};
  const auto allowed = [&](const std::vector<int>& bytes) {
    return std::ranges::any_of(table, [&](const Row& row) {
      return std::ranges::equal(
          row.bytes, bytes, [](const std::pair<int, int>& range, int byte) {
            return range.first <= byte && byte <= range.second;
          });
    });
  };
  // The values at which a row begins or ends, and their neighbours.
  const std::vector<int> edges = {
      0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
      0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
  std::vector<std::vector<int>> sequences = {{}};
  size_t accepted = 0;
  for (size_t at = 0; at < sequences.size(); ++at) {
    const std::vector<int> sequence = sequences[at];
    std::string text;
    for (const int byte : sequence) text += static_cast<char>(byte);
    const bool whole = allowed(sequence);
    ASSERT_EQ(IsUtf8(text), whole || text.empty()) << QuoteName(text);
    if (whole) ++accepted;
    // What follows a whole character is another one.
    if (whole || sequence.size() == 4) continue;
    for (const int next : edges) {
      sequences.push_back(sequence);
      sequences.back().push_back(next);
    }
  }
  EXPECT_GT(accepted, 800U);
}

TEST(IsUtf8, LooksAtEveryCharacter) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8(std::string_view("a\0\xc3\xbc\n", 5)));
  EXPECT_TRUE(IsUtf8("\xe2\x82\xac\xf0\x9f\x98\x80z"));
  EXPECT_FALSE(IsUtf8("abc\xff"));
  EXPECT_FALSE(
      IsUtf8("\xff"
             "abc"));
  EXPECT_FALSE(IsUtf8("abc\xc3"));
}

TEST(QuoteName, CutsBetweenCharacters) {
  EXPECT_EQ(QuoteName("abcdef", 6), "abcdef");
  EXPECT_EQ(QuoteName("abcdefg", 6), "abcdef...");
  EXPECT_EQ(QuoteName("abcde\xc3\xbc", 6), "abcde...");
  EXPECT_EQ(QuoteName("\n23456789", 6), "\"\\n23456\"...");
}

TEST(QuoteName, EscapesAllBeyondAsciiWhenAsked) {
  EXPECT_EQ(QuoteName("\xc3\xbc", kWholeName, BeyondAscii::kEscape),
            R"("\303\274")");
}

TEST(EscapeUnprintable, KeepsLinesAndEscapesTheRest) {
  EXPECT_EQ(EscapeUnprintable("a \"b\"\\\n\tc\r\x9b"),
            "a \"b\"\\\n\tc\\r\\233");
}

TEST(QuoteForShell, GivesOneWordThatIsPrintable) {
  EXPECT_EQ(QuoteForShell(""), "''");
  EXPECT_EQ(QuoteForShell("it's $x \"y\""), R"('it'\''s $x "y"')");
  EXPECT_EQ(QuoteForShell("\x1b[2J"), R"('\033[2J')");
}

TEST(MakeError, QuotesEveryNameButNotMessages) {
  const std::string name = "x\ny";
  EXPECT_EQ(
      MakeError(ErrorCode::kIo, "bad ref '{}' of {}", name, 3).error().message,
      R"(bad ref '"x\ny"' of 3)");
  EXPECT_EQ(MakeError(ErrorCode::kIo, "{} in '{}'", MessageText{"'\"a\"'"}, "b")
                .error()
                .message,
            R"('"a"' in 'b')");
  EXPECT_LT(FormatMessage("'{}'", std::string(1 << 20, 'x')).size(), 1100);
}

TEST(WithoutUserinfo, FindsItAsCurlDoes) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"http://me:secret@host/a@b", "http://host/a@b"},
      {"http://secret@host/", "http://host/"},
      {"http:/me:secret@host/x", "http:/host/x"},
      {"http:///me:secret@host/x", "http:///host/x"},
      {"http:////me:secret@host/x", "http:////host/x"},
      {"HTTPS:///me:secret@host", "HTTPS:///host"},
      {"ftp:///me:secret@host", "ftp:///host"},
      {"http://me:sec@ret@host/x", "http://host/x"},
      {"http://me:sec'r et@host/x", "http://host/x"},
      {"http://me:secret@host:80?a@b", "http://host:80?a@b"},
      {"https://me:secret@host#a@b", "https://host#a@b"},
      {"zpack::https:///me:secret@host/x", "zpack::https:///host/x"},
      {"ssh://git:secret@host/x", "ssh://git@host/x"},
      {"ssh://git@host/x", "ssh://git@host/x"},
      {"git+ssh://git:secret@host/x", "git+ssh://git@host/x"},
      {"socks5h://me:secret@host", "socks5h://host"},
      {"!curl 'http://me:secret@h' -u a@b", "!curl 'http://h' -u a@b"},
      {"http://secret@h http://h2/ https://secret@h3",
       "http://h http://h2/ https://h3"},
      // Nothing that curl would take for a user.
      {"http://host:80/a:b@c", "http://host:80/a:b@c"},
      {"https://a:b/c@host", "https://a:b/c@host"},
      {"file:///home/a@b/c", "file:///home/a@b/c"},
      {"file:///a@b/c", "file:///a@b/c"},
      {"git@host:x", "git@host:x"},
      {"host:/a@b", "host:/a@b"},
      {"://a@b", "://a@b"},
      {"http:", "http:"},
      {"http:/", "http:/"},
      {"", ""}};
  for (const auto& [text, shown] : table) {
    EXPECT_EQ(WithoutUserinfo(text), shown);
  }
}

TEST(NameWithoutSecrets, HidesQueriesOfUrls) {
  EXPECT_EQ(NameWithoutSecrets("https://host/x?token=1#y"),
            "https://host/x?...");
  EXPECT_EQ(NameWithoutSecrets("https://a:b@h?c:d@e"), "https://h?...");
  EXPECT_EQ(NameWithoutSecrets("http:///a:b@h/x#y"), "http:///h/x");
  EXPECT_EQ(NameWithoutSecrets("dir/what?#"), "dir/what?#");
  EXPECT_EQ(NameWithoutSecrets("a?http://x"), "a?http://x");
}

// Of whatever a message is about.
TEST(MakeError, ShowsNoPasswordOfAUrl) {
  const auto error = MakeError(ErrorCode::kIo, "cannot open '{}', not '{}'",
                               AtPath{"http:///me:secret@h/x"},
                               std::string("https://secret@h?secret"));
  EXPECT_EQ(error.error().message,
            "cannot open 'http:///h/x', not 'https://h?...'");
  EXPECT_EQ(error.error().path, "http:///h/x");
}

}  // namespace
}  // namespace zpack
