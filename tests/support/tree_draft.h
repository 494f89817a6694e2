// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block of trees as numbers, to be edited into something bad, and what it
// decodes to. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "format/link_numbers.h"
#include "support/matchers.h"
#include "support/no_limit.h"
#include "support/tree_blocks.h"

namespace zpack::testing {

inline constexpr uint64_t kMaxNumber = std::numeric_limits<uint64_t>::max();

// Twenty times the same letter for each object number.
inline ObjectId IdOf(ObjectNumber number) {
  return ObjectId(Bytes(20, static_cast<uint8_t>('A' + number.value())));
}

// Rebuilds everything.
inline std::vector<Bytes> Contents(const format::TreeBlock& block,
                                   const format::IdOfNumber& id_of) {
  std::vector<Bytes> contents;
  EXPECT_THAT(ForEachTree(block, id_of,
                          [&](size_t index, ByteView content) {
                            EXPECT_EQ(index, contents.size());
                            EXPECT_EQ(content.size(), block.sizes()[index]);
                            contents.emplace_back(content.begin(),
                                                  content.end());
                            return Status();
                          }),
              IsOk());
  EXPECT_EQ(contents.size(), block.count());
  return contents;
}

// A block of six trees, as numbers, to be edited into something bad. Of the
// file, there are five objects.
struct TreeDraft {
  // 0: a and b, whole. 1: that with another b, and c, which is outside.
  // 2: verbatim. 3: the second without a, with the first b. 4: a, whole, in the
  // lineage so far. 5: c, whole, the other outside id, in a new lineage.
  std::vector<uint64_t> sizes = {57, ZigZag(29), 3, ZigZag(-29), 29, 29};
  std::vector<uint64_t> bases = {0, 1, 0, 2, 0, 0};
  std::string literals = "xyz";
  std::vector<uint64_t> edit_counts = {5, 2, 0, 2, 4, 3};
  std::vector<uint64_t> edit_runs = {0, 0, 1, 0, 0, 0, 0, 0};
  Bytes edit_kinds = {2, 2, 0, 2, 1, 0, 2, 2};
  std::vector<uint64_t> names = {0, 0, 0, 3, 1};
  Bytes modes = {0, 2, 4, 0, 1};
  std::vector<uint64_t> children = {0, 1, 0, 1, 3, 2, 1};
  std::vector<uint64_t> child_differences = {ZigZag(2), ZigZag(1), ZigZag(6)};
  std::string name_texts = std::string("a\0b\0c\0", 6);
  std::string outside_ids = std::string(20, 'Y') + std::string(20, 'Z');

  format::BlockStreams Encode() const {
    using format::StreamKind;
    format::BlockStreams streams(format::BlockKind::kTrees);
    const auto encode = [](const std::vector<uint64_t>& values, Bytes& out) {
      ByteWriter to(out);
      for (const uint64_t value : values) to.Varint(value);
    };
    encode(sizes, streams[StreamKind::kSizes]);
    encode(bases, streams[StreamKind::kBases]);
    streams[StreamKind::kLiterals] = ToBytes(literals);
    encode(edit_counts, streams[StreamKind::kEditCounts]);
    encode(edit_runs, streams[StreamKind::kEditRuns]);
    streams[StreamKind::kEditKinds] = edit_kinds;
    encode(names, streams[StreamKind::kNames]);
    streams[StreamKind::kModes] = modes;
    encode(children, streams[StreamKind::kChildren]);
    encode(child_differences, streams[StreamKind::kChildDifferences]);
    streams[StreamKind::kNameTexts] = ToBytes(name_texts);
    streams[StreamKind::kOutsideIds] = ToBytes(outside_ids);
    return streams;
  }
};

inline constexpr uint32_t kDraftTrees = 6;
inline constexpr uint32_t kDraftObjects = 5;

inline Result<format::TreeBlock> ParseDraft(
    const format::BlockStreams& streams,
    const format::BlockLimits& limits = kNoLimit) {
  return format::TreeBlock::Parse(streams, kDraftTrees, kDraftObjects,
                                  ObjectFormat::kSha1, limits);
}

class TreeDraftFixture : public ::testing::Test {
 protected:
  Result<format::TreeBlock> Parse() const {
    return ParseDraft(draft_.Encode());
  }
  void ExpectCorrupt(std::string_view what) const {
    EXPECT_THAT(Parse(),
                IsError(ErrorCode::kCorrupt, ::testing::HasSubstr(what)));
  }

  TreeDraft draft_;
};

}  // namespace zpack::testing
