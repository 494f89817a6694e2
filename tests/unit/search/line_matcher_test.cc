// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines are found as if each were compared by itself, whatever finds the
// candidates, and lines of a delta as if its text were searched as a whole.

#include "search/line_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "search/copied_lines.h"
#include "search/literal_set.h"
#include "search/regular_expression.h"
#include "search/text_pieces.h"

namespace zpack::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LineQuery QueryOf(PatternSyntax syntax,
                  const std::vector<std::string>& patterns) {
  LineQuery query;
  query.syntax = syntax;
  for (const std::string& pattern : patterns) {
    query.tokens.push_back({QueryToken::Kind::kPattern, pattern, "test"});
  }
  return query;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> Found(const LineQuery& query, std::string_view text) {
  auto matcher = LineMatcher::Compile(query);
  EXPECT_TRUE(matcher.has_value());
  std::vector<MatchingLine> lines;
  EXPECT_TRUE(matcher->AllLines(text, lines));
  std::vector<std::string> found;
  found.reserve(lines.size());
  for (const MatchingLine& line : lines) {
    found.emplace_back(text.substr(line.begin, line.end - line.begin));
  }
  return found;
}

// A text of a few letters, so that much matches and much repeats.
std::string RandomText(std::mt19937& random, size_t size) {
  constexpr std::string_view kLetters = "aabbc AB_-.\n\n";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += kLetters[random() % kLetters.size()];
  }
  return text;
}

std::string RandomPattern(std::mt19937& random) {
  constexpr std::array<std::string_view, 36> kParts = {
      "a",     "b",       "c",           "ab",
      "A",     ".",       "*",           "+",
      "?",     "^",       "$",           "(",
      ")",     "|",       "[ab]",        "[^a]",
      "[a-c]", "\\(",     "\\)",         "\\|",
      "\\+",   "\\?",     "\\b",         "\\<",
      "\\>",   "\\w",     "\\W",         "{2}",
      "{1,}",  "\\{2\\}", "[[:upper:]]", "[^[:space:]]",
      " ",     "_",       "-",           "\\."};
  std::string pattern;
  const size_t count = 1 + random() % 5;
  for (size_t i = 0; i < count; ++i)
    pattern += kParts[random() % kParts.size()];
  return pattern;
}

TEST(LineMatcher, CandidatesLoseNoLine) {
  std::mt19937 random(1);
  size_t compared = 0;
  size_t with_prefilter = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string pattern = RandomPattern(random);
    ExpressionOptions options;
    const int syntax = i % 3;
    options.extended = syntax == 1;
    options.ignore_case = i % 5 == 0;
    const bool perl = syntax == 2;
    auto expression =
        perl ? CompilePerl(pattern, options) : CompilePosix(pattern, options);
    if (!expression) continue;
    LineQuery query = QueryOf(perl               ? PatternSyntax::kPerl
                              : options.extended ? PatternSyntax::kExtended
                                                 : PatternSyntax::kBasic,
                              {pattern});
    query.ignore_case = options.ignore_case;
    const std::string text = RandomText(random, 200);
    std::vector<std::string> expected;
    for (const std::string& line : LinesOf(text)) {
      const auto found = (*expression)->Find(line, TextStart::kLine);
      ASSERT_TRUE(found.has_value());
      if (*found) expected.push_back(line);
    }
    ASSERT_EQ(Found(query, text), expected) << pattern << '\n' << text;
    ++compared;
    with_prefilter += (perl ? LooserPerlPattern(pattern)
                            : LooserPerlPattern(pattern, options))
                          .has_value();
  }
  EXPECT_GT(compared, 3000);
  EXPECT_GT(with_prefilter, compared / 2);
}

// Each was lost once, because the prefilter took the pattern to mean less.
TEST(LineMatcher, PrefiltersAreNotNarrowerThanThePattern) {
  const char* const before = std::setlocale(LC_CTYPE, nullptr);
  const std::string restored = before == nullptr ? "C" : before;
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) {
    GTEST_SKIP() << "no locale with UTF-8";
  }
  struct Row {
    PatternSyntax syntax;
    const char* pattern;
    const char* line;
    bool ignore_case = false;
  };
  const std::vector<Row> table = {
      {PatternSyntax::kBasic, ".*foo", "\xe9 foo"},
      {PatternSyntax::kBasic, "^.*foo", "a foo"},
      {PatternSyntax::kExtended, "a|.*fo+", "\xe9 foo"},
      {PatternSyntax::kPerl, "x[^-a]y", "xZy"},
      {PatternSyntax::kPerl, "\\Q[^a]\\E", "[^a]"},
      {PatternSyntax::kBasic, "x [[:upper:]]", "x a", true},
      {PatternSyntax::kBasic, "X [[:lower:]]", "x A", true},
      {PatternSyntax::kBasic, "x[^[:space:]]y", "x\xc2\xa0y"},
      {PatternSyntax::kBasic, "x[^[:digit:]]y", "x\xd9\xa3y"},
      {PatternSyntax::kBasic, "x.y", "x\xc3\xa9y"},
      {PatternSyntax::kExtended, "x.{2}y", "x\xc3\xa9\xc3\xa9y"},
      {PatternSyntax::kExtended, "x\xc3\xa9*y", "x\xc3\xa9\xc3\xa9y"},
      {PatternSyntax::kExtended, "x\xc3\xa9{2}y", "x\xc3\xa9\xc3\xa9y"},
      {PatternSyntax::kBasic, "\xc3\xa4.", "\xc3\x84.", true},
      {PatternSyntax::kBasic, "x[^k]y", "x\xe2\x84\xaay", true},
      {PatternSyntax::kFixed, "k", "\xe2\x84\xaa", true},
      {PatternSyntax::kBasic, "k", "x\xe2\x84\xaay", true},
      {PatternSyntax::kPerl, "foo\nbar", "bar"},
  };
  for (const Row& row : table) {
    LineQuery query = QueryOf(row.syntax, {row.pattern});
    query.ignore_case = row.ignore_case;
    const std::string text =
        std::string("other\n") + row.line + "\nnothing here";
    // What the expression itself says of the line alone.
    auto alone = LineMatcher::Compile(query);
    ASSERT_TRUE(alone.has_value()) << row.pattern;
    EXPECT_THAT(Found(query, text), ::testing::Contains(row.line))
        << row.pattern;
  }
  std::setlocale(LC_CTYPE, restored.c_str());
}

// The prefilter gives up after the first text for which it takes too long.
TEST(LineMatcher, AnExpressionThatIsFastForTheLibraryIsFast) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::string(30, 'a') + '\n';
  EXPECT_THAT(Found(QueryOf(PatternSyntax::kExtended, {"(a|aa)+[cd]"}), text),
              IsEmpty());
}

TEST(LineMatcher, FoldedTextsAreFoundAsOneByOne) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> texts;
    for (size_t count = 1 + random() % 5; count > 0; --count) {
      std::string text = RandomText(random, 1 + random() % 4);
      std::erase(text, '\n');
      if (!text.empty()) texts.push_back(text);
    }
    if (texts.empty()) continue;
    LineQuery query = QueryOf(PatternSyntax::kFixed, texts);
    query.ignore_case = true;
    const auto lower = [](std::string text) {
      std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      });
      return text;
    };
    const std::string text = RandomText(random, 300);
    std::vector<std::string> expected;
    for (const std::string& line : LinesOf(text)) {
      const bool matches =
          std::ranges::any_of(texts, [&](const std::string& one) {
            return lower(line).contains(lower(one));
          });
      if (matches) expected.push_back(line);
    }
    ASSERT_EQ(Found(query, text), expected);
  }
}

TEST(LineMatcher, ManyTextsAreFoundAsOneByOne) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> texts;
    for (size_t count = 1 + random() % 20; count > 0; --count) {
      std::string text = RandomText(random, 1 + random() % 5);
      std::erase(text, '\n');
      if (!text.empty()) texts.push_back(text);
    }
    if (texts.empty()) continue;
    const std::string text = RandomText(random, 300);
    std::vector<std::string> expected;
    for (const std::string& line : LinesOf(text)) {
      const bool matches = std::ranges::any_of(
          texts, [&](const std::string& one) { return line.contains(one); });
      if (matches) expected.push_back(line);
    }
    ASSERT_EQ(Found(QueryOf(PatternSyntax::kFixed, texts), text), expected);
  }
}

TEST(LiteralSet, EveryByteMayOccur) {
  std::vector<std::string> texts;
  for (int c = 0; c < 256; ++c) texts.emplace_back(3, static_cast<char>(c));
  const auto set = LiteralSet::Make(texts);
  ASSERT_TRUE(set.has_value());
  for (const std::string& text : texts) {
    const char other = static_cast<char>(text.front() + 1);
    EXPECT_EQ(set->FindEnd(std::string(2, other) + text, 0), 5U);
  }
  EXPECT_EQ(set->FindEnd("aabbccdd", 0), std::string_view::npos);
}

// A delta between random texts that share pieces.
struct RandomDelta {
  std::string base;
  std::string text;
  Delta delta;
};

RandomDelta MakeDelta(std::mt19937& random) {
  RandomDelta made;
  made.base = RandomText(random, random() % 200);
  uint32_t literals = 0;
  for (size_t count = random() % 6; count > 0; --count) {
    const std::string added = RandomText(random, random() % 15);
    made.text += added;
    literals += static_cast<uint32_t>(added.size());
    if (made.base.empty()) continue;
    DeltaCopy copy;
    copy.literals = literals;
    copy.offset = random() % 3 == 0
                      ? 0
                      : static_cast<uint32_t>(random() % made.base.size());
    const auto most = static_cast<uint32_t>(made.base.size() - copy.offset);
    copy.length =
        random() % 3 == 0 ? most : 1 + static_cast<uint32_t>(random() % most);
    made.text += made.base.substr(copy.offset, copy.length);
    made.delta.copies.push_back(copy);
    literals = 0;
  }
  made.text += RandomText(random, random() % 10);
  return made;
}

TEST(CopiedLines, LinesOfADeltaAreThoseOfItsText) {
  std::mt19937 random(3);
  size_t carried = 0;
  for (int i = 0; i < 20000; ++i) {
    const RandomDelta made = MakeDelta(random);
    const LineQuery query =
        i % 2 == 0 ? QueryOf(PatternSyntax::kFixed, {"ab"})
                   : QueryOf(PatternSyntax::kExtended, {"^a|b$|^$"});
    auto matcher = LineMatcher::Compile(query);
    ASSERT_TRUE(matcher.has_value());
    std::vector<MatchingLine> base;
    ASSERT_TRUE(matcher->AllLines(made.base, base));
    std::vector<MatchingLine> expected;
    ASSERT_TRUE(matcher->AllLines(made.text, expected));
    std::vector<CarriedLine> lines;
    ASSERT_TRUE(FindCarriedLines(made.text, made.delta,
                                 {made.base.size(), base}, *matcher, lines));
    std::vector<MatchingLine> found;
    for (const CarriedLine& line : lines) {
      found.push_back(line.line);
      if (line.of_base == CarriedLine::kNew) continue;
      ++carried;
      const MatchingLine& original = base[line.of_base];
      ASSERT_EQ(
          made.text.substr(line.line.begin, line.line.end - line.line.begin),
          made.base.substr(original.begin, original.end - original.begin));
    }
    NumberLines(made.text, found);
    ASSERT_EQ(found, expected) << made.base << "\n--\n" << made.text;
  }
  EXPECT_GT(carried, 5000);
}

// What the lines hold, if it is kept.
std::vector<std::string> TextsOf(const std::string& text,
                                 const std::vector<MatchingLine>& lines,
                                 bool keep) {
  std::vector<std::string> texts;
  if (!keep) return texts;
  for (const MatchingLine& line : lines) {
    texts.push_back(text.substr(line.begin, line.end - line.begin));
  }
  return texts;
}

TEST(TextPieces, PiecesAreSearchedAsOneText) {
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    const std::string text = RandomText(random, random() % 400);
    auto matcher =
        LineMatcher::Compile(QueryOf(PatternSyntax::kExtended, {"a.b|^c"}));
    ASSERT_TRUE(matcher.has_value());
    std::vector<MatchingLine> expected;
    ASSERT_TRUE(matcher->AllLines(text, expected));
    const bool keep = i % 2 == 0;
    TextPieces pieces(*matcher, keep);
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + random() % 50;
      ASSERT_TRUE(pieces.Add(std::string_view(text).substr(at, size)));
      at += size;
    }
    ASSERT_TRUE(pieces.Finish());
    ASSERT_EQ(pieces.lines(), expected);
    ASSERT_EQ(pieces.texts(), TextsOf(text, expected, keep));
  }
}

// A line that is not kept, because its parts are searched by themselves.
TEST(TextPieces, PartsOfALongLineAreSearchedAsOneText) {
  constexpr size_t kLong = size_t{3} << 20;
  constexpr size_t kPiece = 100'003;
  std::mt19937 random(5);
  for (int i = 0; i < 20; ++i) {
    std::string text = RandomText(random, random() % 100);
    for (const size_t size : {kLong, kLong / 8, kLong}) {
      text += '\n' + std::string(random() % size, '\0');
      const size_t place = text.size() - random() % (size / 2);
      if (random() % 2 == 0 && place < text.size()) text.insert(place, "hello");
      text += RandomText(random, random() % 100);
    }
    if (random() % 2 == 0) text += "hell";
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"hello"}, {"h"}, {"hello", "ab"}}) {
      auto matcher =
          LineMatcher::Compile(QueryOf(PatternSyntax::kFixed, words));
      ASSERT_TRUE(matcher.has_value());
      std::vector<MatchingLine> expected;
      ASSERT_TRUE(matcher->AllLines(text, expected));
      for (const bool keep : {false, true}) {
        TextPieces pieces(*matcher, keep);
        for (size_t at = 0; at < text.size(); at += kPiece) {
          ASSERT_TRUE(pieces.Add(std::string_view(text).substr(at, kPiece)));
        }
        ASSERT_TRUE(pieces.Finish());
        ASSERT_EQ(pieces.lines(), expected) << i << words.front() << keep;
        ASSERT_TRUE(pieces.texts() == TextsOf(text, expected, keep));
      }
    }
  }
}

// With `words`, the whole line is compared.
TEST(TextPieces, TextsAtTheEndsOfPiecesAreFound) {
  const std::string piece(size_t{2} << 20, 'x');
  for (const bool words : {false, true}) {
    LineQuery query = QueryOf(PatternSyntax::kFixed, {"hello"});
    query.words = words;
    auto matcher = LineMatcher::Compile(query);
    ASSERT_TRUE(matcher.has_value());
    TextPieces pieces(*matcher, false);
    for (const std::string_view part : {"a\n", piece.c_str(), " hel"}) {
      ASSERT_TRUE(pieces.Add(part));
    }
    ASSERT_TRUE(pieces.Add("lo " + piece));
    ASSERT_TRUE(pieces.Add("\nhello"));
    ASSERT_TRUE(pieces.Finish());
    const uint64_t end = 2 + 2 * piece.size() + 7;
    EXPECT_THAT(pieces.lines(), ElementsAre(MatchingLine{2, end, 2},
                                            MatchingLine{end + 1, end + 6, 3}));
  }
}

TEST(TextPieces, ALongLineIsNotWantedForTheLineBefore) {
  const std::string piece(size_t{2} << 20, 'x');
  auto matcher =
      LineMatcher::Compile(QueryOf(PatternSyntax::kFixed, {"h", "ab"}));
  ASSERT_TRUE(matcher.has_value());
  TextPieces pieces(*matcher, false);
  for (const std::string_view part :
       {std::string_view("h"), std::string_view(piece), std::string_view("\n"),
        std::string_view("x"), std::string_view(piece), std::string_view(piece),
        std::string_view("\n")}) {
    ASSERT_TRUE(pieces.Add(part));
  }
  ASSERT_TRUE(pieces.Finish());
  EXPECT_THAT(pieces.lines(),
              ElementsAre(MatchingLine{0, piece.size() + 1, 1}));
}

TEST(TextPieces, AZeroByteAmongTheFirst8000MakesATextBinary) {
  auto matcher = LineMatcher::Compile(QueryOf(PatternSyntax::kFixed, {"a"}));
  ASSERT_TRUE(matcher.has_value());
  for (const auto& [zero, expected] :
       {std::pair(100, true), {5000, true}, {7999, true}, {8000, false}}) {
    std::string text;
    while (text.size() < 9000) text += "a line of text\n";
    text[static_cast<size_t>(zero)] = '\0';
    TextPieces pieces(*matcher, false);
    for (size_t at = 0; at < text.size(); at += 1000) {
      ASSERT_TRUE(pieces.Add(std::string_view(text).substr(at, 1000)));
    }
    ASSERT_TRUE(pieces.Finish());
    EXPECT_EQ(pieces.binary(), expected) << zero;
    EXPECT_EQ(IsBinary(text), expected) << zero;
  }
}

TEST(LineMatcher, Expressions) {
  using Kind = QueryToken::Kind;
  LineQuery query;
  query.tokens = {{Kind::kPattern, "a"}, {Kind::kAnd},
                  {Kind::kNot},          {Kind::kOpen},
                  {Kind::kPattern, "b"}, {Kind::kPattern, "c"},
                  {Kind::kClose}};
  EXPECT_THAT(Found(query, "a\nab\nxa\nac\nb\n"), ElementsAre("a", "xa"));
  query.invert = true;
  EXPECT_THAT(Found(query, "a\nab\nxa\nac\nb\n"), ElementsAre("ab", "ac", "b"));
}

TEST(LineMatcher, AWrongExpressionIsRefused) {
  using Kind = QueryToken::Kind;
  const auto message = [](const std::vector<QueryToken>& tokens) {
    LineQuery query;
    query.tokens = tokens;
    const auto compiled = LineMatcher::Compile(query);
    return compiled ? std::string() : compiled.error().message;
  };
  EXPECT_THAT(message({}), HasSubstr("no pattern given"));
  EXPECT_THAT(message({{Kind::kPattern, "a"}, {Kind::kAnd}}),
              HasSubstr("--and not followed by pattern expression"));
  EXPECT_THAT(message({{Kind::kNot}}),
              HasSubstr("--not not followed by pattern expression"));
  EXPECT_THAT(message({{Kind::kOpen}, {Kind::kPattern, "a"}}),
              HasSubstr("unmatched ("));
  EXPECT_THAT(message({{Kind::kPattern, "a"}, {Kind::kClose}}),
              HasSubstr("incomplete pattern expression"));
  EXPECT_THAT(message({{Kind::kPattern, "a[", "-e option"}}),
              HasSubstr("-e option, 'a[': "));
  const std::vector<QueryToken> deep(5000, {Kind::kNot});
  EXPECT_THAT(message(deep), HasSubstr("nested too deeply"));
}

TEST(LineMatcher, APatternThatTakesTooLongIsAnError) {
  auto matcher =
      LineMatcher::Compile(QueryOf(PatternSyntax::kPerl, {"^(a+)+(?=b)$"}));
  ASSERT_TRUE(matcher.has_value());
  std::vector<MatchingLine> lines;
  const Status found = matcher->AllLines(std::string(64, 'a'), lines);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(lines, IsEmpty());
}

TEST(LineMatcher, WordsAndColumns) {
  LineQuery query = QueryOf(PatternSyntax::kFixed, {"ab"});
  query.words = true;
  EXPECT_THAT(Found(query, "xab ab\nxab\nab_\n.ab.\n"),
              ElementsAre("xab ab", ".ab."));
  auto matcher = LineMatcher::Compile(query);
  ASSERT_TRUE(matcher.has_value());
  EXPECT_EQ(*matcher->Column("xab ab"), 4U);
  // Where a search goes on, a word may begin.
  LineQuery dashes = QueryOf(PatternSyntax::kExtended, {"[-a-z][a-z]+"});
  dashes.words = true;
  matcher = LineMatcher::Compile(dashes);
  ASSERT_TRUE(matcher.has_value());
  EXPECT_EQ(*matcher->NextSpan("foo-bar", 3), (MatchSpan{3, 7}));
}

TEST(LineMatcher, AllMatchLooksAtTheWholeFile) {
  LineQuery query = QueryOf(PatternSyntax::kFixed, {"a", "b"});
  query.all_match = true;
  auto matcher = LineMatcher::Compile(query);
  ASSERT_TRUE(matcher.has_value());
  EXPECT_TRUE(*matcher->AcceptsFile("a\nx\nb"));
  EXPECT_FALSE(*matcher->AcceptsFile("a\nx\na"));
}

}  // namespace
}  // namespace zpack::search
