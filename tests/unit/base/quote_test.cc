// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/quote.h"

#include <gtest/gtest.h>

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
