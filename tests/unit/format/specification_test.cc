// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of chunks, features, block kinds, streams, codecs and weights in
// FORMAT.md are those of the code.

#include "support/specification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/block_form.h"
#include "format/chunk.h"
#include "format/expansion.h"
#include "format/file_header.h"

namespace zpack::format {
namespace {

// As the table of block kinds writes the types of a kind.
std::string TypeNames(std::span<const ObjectType> types) {
  if (types.size() == kAllObjectTypes.size()) return "any";
  std::string names;
  for (const ObjectType type : types) {
    if (!names.empty()) names += " or ";
    names += ObjectTypeName(type);
  }
  return names;
}

using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadSpecification;
using testing::ReadTable;
using testing::Row;
using testing::Rows;
using testing::Split;
using testing::Trim;
using ::testing::UnorderedElementsAreArray;

// "1 sizes, 2 contents" as numbers and names, which are joined by '-' in code.
std::vector<std::pair<int, std::string>> ReadNumbered(const std::string& cell) {
  std::vector<std::pair<int, std::string>> items;
  for (const std::string& item : Split(cell, ',')) {
    int number = -1;
    const char* const end = item.data() + item.size();
    const auto parsed = std::from_chars(item.data(), end, number);
    std::string name = Trim(std::string_view(parsed.ptr, end));
    std::ranges::replace(name, ' ', '-');
    items.emplace_back(number, std::move(name));
  }
  return items;
}

constexpr int kAllNumbers = 256;

// A line for each difference between the tables of `text` and the code.
std::vector<std::string> DifferingKinds(const std::string& text) {
  std::vector<std::string> found;
  const auto expect = [&](const std::string& what, const std::string& actual,
                          const std::string& expected) {
    if (actual != expected) {
      found.push_back(what + ": '" + actual + "', not '" + expected + "'");
    }
  };
  std::map<int, std::string> kinds;
  for (const Row& row :
       ReadTable(text,
                 "| block kind | object type | required feature | "
                 "streams |")) {
    if (row.size() != 4) return {"a row of the table of block kinds"};
    for (const auto& [number, name] : ReadNumbered(row[0])) {
      kinds[number] = name;
      const BlockForm* const form =
          FindBlockForm(static_cast<BlockKind>(number));
      if (form == nullptr) return {"an unknown block kind: " + name};
      expect("kind", name, std::string(KindName(form->kind)));
      expect("type of " + name, row[1], TypeNames(form->types));
      expect("feature of " + name, row[2],
             form->feature.empty() ? "none"
                                   : '`' + std::string(form->feature) + '`');
      const auto streams = ReadNumbered(row[3]);
      expect("streams of " + name, std::to_string(streams.size()),
             std::to_string(form->streams.size()));
      for (size_t i = 0; i < std::min(streams.size(), form->streams.size());
           ++i) {
        const StreamKind kind = form->streams[i];
        expect("stream of " + name,
               std::to_string(streams[i].first) + ' ' + streams[i].second,
               std::to_string(static_cast<int>(kind)) + ' ' +
                   std::string(KindName(kind)));
      }
    }
  }
  for (int number = 0; number < kAllNumbers; ++number) {
    const BlockForm* const form = FindBlockForm(static_cast<BlockKind>(number));
    if (form != nullptr && !kinds.contains(number)) {
      found.push_back("no row for " + std::string(KindName(form->kind)));
    }
  }
  return found;
}

TEST(Specification, HasTheBlockKindsAndStreamsOfTheCode) {
  EXPECT_THAT(DifferingKinds(ReadSpecification()), IsEmpty());
}

// Otherwise the test above could pass without looking.
TEST(Specification, EveryChangedCellOfTheTableOfBlockKindsIsNoticed) {
  const std::string text = ReadSpecification();
  const size_t begin = text.find("\n| block kind | object type |");
  const size_t end = text.find("\n\n", begin + 1);
  ASSERT_NE(end, std::string::npos);
  const size_t first_row = text.find("|\n| 1 ", begin);
  int changes = 0;
  for (size_t at = first_row; at < end; ++at) {
    const char c = text[at];
    const bool digit = c >= '0' && c <= '9';
    const bool letter = c >= 'a' && c <= 'z';
    if (!digit && !letter) continue;
    std::string changed = text;
    changed[at] = c == '9' || c == 'z' ? static_cast<char>(c - 1)
                                       : static_cast<char>(c + 1);
    EXPECT_THAT(DifferingKinds(changed), Not(IsEmpty()))
        << changed.substr(at - 10, 20);
    ++changes;
  }
  EXPECT_GT(changes, 300);
  for (size_t at = first_row + 1; at < end;) {
    const size_t next = text.find('\n', at + 1);
    EXPECT_THAT(DifferingKinds(text.substr(0, at) + text.substr(next)),
                Not(IsEmpty()));
    at = next;
  }
}

TEST(Specification, HeaderOfABlockListsTheSameKinds) {
  const Rows rows = ReadTable(ReadSpecification(),
                              "| offset in payload | width | field | value |");
  ASSERT_GE(rows.size(), 2U);
  std::vector<std::pair<int, std::string>> kinds;
  for (int number = 0; number < kAllNumbers; ++number) {
    const BlockForm* const form = FindBlockForm(static_cast<BlockKind>(number));
    if (form != nullptr) kinds.emplace_back(number, KindName(form->kind));
  }
  EXPECT_EQ(ReadNumbered(rows[0][3]), kinds);
  std::vector<std::pair<int, std::string>> types;
  for (const ObjectType type : kAllObjectTypes) {
    types.emplace_back(static_cast<int>(type), ObjectTypeName(type));
  }
  auto listed = ReadNumbered(rows[1][3]);
  ASSERT_EQ(listed.back().second, "as-in-a-Git-pack");
  listed.pop_back();
  EXPECT_EQ(listed, types);
}

TEST(Specification, HasTheCodecsOfTheCode) {
  const Rows rows = ReadTable(ReadSpecification(),
                              "| offset in row | width | field | value |");
  ASSERT_GE(rows.size(), 2U);
  ASSERT_EQ(rows[1][2], "codec");
  std::vector<std::pair<int, std::string>> codecs;
  for (int number = 0; number < kAllNumbers; ++number) {
    const std::string_view name = CodecName(static_cast<StreamCodec>(number));
    if (name != "unknown") codecs.emplace_back(number, name);
  }
  EXPECT_EQ(ReadNumbered(rows[1][3]), codecs);
}

// The words of `text` between backquotes.
std::vector<std::string> Quoted(const std::string& text) {
  std::vector<std::string> words;
  const std::vector<std::string> parts = Split(text, '`');
  for (size_t i = 1; i < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

TEST(Specification, HasTheChunksOfTheCode) {
  std::vector<std::string> listed;
  for (const Row& row : ReadTable(ReadSpecification(),
                                  "| id | in the file | bit 0 | payload |")) {
    for (const std::string& name : Quoted(row[0])) listed.push_back(name);
  }
  // Readers find blocks and the table of contents without its help.
  std::vector<std::string> known;
  for (const uint32_t id : kUnlistedChunks) known.push_back(ChunkName(id));
  for (const uint32_t id : kListedChunks) known.push_back(ChunkName(id));
  EXPECT_THAT(listed, UnorderedElementsAreArray(known));
}

TEST(Specification, HasTheRequiredFeaturesOfTheCode) {
  std::vector<std::string> listed;
  for (const Row& row : ReadTable(ReadSpecification(), "| version | what |")) {
    const size_t features = row[1].find("required feature");
    if (features == std::string::npos) continue;
    const size_t end = row[1].find(" with ", features);
    for (const std::string& name :
         Quoted(row[1].substr(features, end - features))) {
      listed.push_back(name);
    }
  }
  EXPECT_THAT(listed, UnorderedElementsAreArray(KnownFeatures()));
}

TEST(Specification, HasTheWeightsOfTheCode) {
  std::map<std::string, uint64_t> weights;
  for (const Row& row :
       ReadTable(ReadSpecification(), "| streams | weight |")) {
    for (std::string name : Split(row[0], ',')) {
      std::ranges::replace(name, ' ', '-');
      weights[name] = std::stoull(row[1]);
    }
  }
  const uint64_t others = weights["all-others"];
  weights.erase("all-others");
  for (int number = 1; number < kAllNumbers; ++number) {
    const auto kind = static_cast<StreamKind>(number);
    const std::string name(KindName(kind));
    if (name == "unknown") continue;
    const auto at = weights.find(name);
    EXPECT_EQ(DecodedSize({}, {{kind, StreamCodec::kStored, 1, 1}}),
              at == weights.end() ? others : at->second)
        << name;
    if (at != weights.end()) weights.erase(at);
  }
  EXPECT_THAT(weights, IsEmpty());
}

}  // namespace
}  // namespace zpack::format
