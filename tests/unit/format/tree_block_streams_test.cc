// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of blocks of trees that are too short, too long, or do not fit each
// other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "support/tree_draft.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsError;
using testing::IsOk;
using testing::kDraftObjects;
using testing::kDraftTrees;
using testing::kNoLimit;
using testing::ParseDraft;

using TreeBlockStreams = testing::TreeDraftFixture;

TEST_F(TreeBlockStreams, RefusesMoreOrLessNewNamesThanTexts) {
  draft_.names[3] = 0;
  ExpectCorrupt("added entry");
  draft_ = {};
  draft_.name_texts += std::string("d\0", 2);
  ExpectCorrupt("end of streams");
  draft_ = {};
  draft_.name_texts += '\0';
  ExpectCorrupt("end of streams");
  draft_ = {};
  draft_.name_texts.clear();
  ExpectCorrupt("added entry");
}

TEST_F(TreeBlockStreams, ReadsNoMoreThanTheSizesHaveRoomFor) {
  draft_.sizes[0] = 40;
  ExpectCorrupt("size of tree");
  draft_ = {};
  draft_.name_texts = std::string(1000, '\0');
  ExpectCorrupt("number of names");
}

TEST_F(TreeBlockStreams, RefusesANameWithoutATerminator) {
  draft_.name_texts.pop_back();
  ExpectCorrupt("name");
  draft_.name_texts = "abc";
  ExpectCorrupt("name");
}

TEST_F(TreeBlockStreams, RefusesOutsideIdsOfOddLength) {
  for (const size_t size : {1U, 19U, 21U, 39U, 41U}) {
    draft_.outside_ids.resize(size);
    ExpectCorrupt("outside ids");
  }
  draft_ = {};
  EXPECT_THAT(
      format::TreeBlock::Parse(draft_.Encode(), kDraftTrees, kDraftObjects,
                               ObjectFormat::kSha256, kNoLimit),
      HasCode(ErrorCode::kCorrupt));
}

TEST_F(TreeBlockStreams, RefusesMoreOutsideIdsThanThereAreNumbers) {
  constexpr uint32_t kMaxObjects = std::numeric_limits<uint32_t>::max();
  for (const uint32_t objects : {kMaxObjects, kMaxObjects - 1}) {
    EXPECT_THAT(
        format::TreeBlock::Parse(draft_.Encode(), kDraftTrees, objects,
                                 ObjectFormat::kSha1, kNoLimit),
        IsError(ErrorCode::kCorrupt, ::testing::HasSubstr("outside ids")));
  }
  EXPECT_THAT(
      format::TreeBlock::Parse(draft_.Encode(), kDraftTrees, kMaxObjects - 2,
                               ObjectFormat::kSha1, kNoLimit),
      IsOk());
}

TEST_F(TreeBlockStreams, RefusesSizesThatDoNotAddUp) {
  for (size_t i = 0; i < kDraftTrees; ++i) {
    for (const int change : {-1, 1}) {
      draft_ = {};
      const bool relative = draft_.bases[i] != 0;
      draft_.sizes[i] += static_cast<uint64_t>(relative ? 2 * change : change);
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << i << ' ' << change;
    }
  }
  draft_ = {};
  draft_.modes[0] = 2;
  ExpectCorrupt("size of tree");
  draft_ = {};
  draft_.name_texts = std::string("aa\0b\0c\0", 7);
  ExpectCorrupt("size of tree");
}

TEST_F(TreeBlockStreams, RefusesAnyOtherNumberOfLiterals) {
  draft_.literals = "xy";
  ExpectCorrupt("literals");
  draft_.literals = "xyz!";
  ExpectCorrupt("end of streams");
}

TEST_F(TreeBlockStreams, RefusesAnyStreamThatIsTooShortOrTooLong) {
  for (const format::StreamKind kind : draft_.Encode().kinds()) {
    SCOPED_TRACE(format::KindName(kind));
    format::BlockStreams longer = draft_.Encode();
    longer[kind].push_back(0);
    EXPECT_THAT(ParseDraft(longer), HasCode(ErrorCode::kCorrupt));
    format::BlockStreams shorter = draft_.Encode();
    while (!shorter[kind].empty()) {
      shorter[kind].pop_back();
      EXPECT_THAT(ParseDraft(shorter), HasCode(ErrorCode::kCorrupt));
    }
  }
}

TEST_F(TreeBlockStreams, RefusesVarintsThatAreNotMinimal) {
  using format::StreamKind;
  for (const StreamKind kind : draft_.Encode().kinds()) {
    if (kind == StreamKind::kLiterals || kind == StreamKind::kEditKinds ||
        kind == StreamKind::kModes || kind == StreamKind::kNameTexts ||
        kind == StreamKind::kOutsideIds) {
      continue;  // holds none
    }
    SCOPED_TRACE(format::KindName(kind));
    const format::BlockStreams good = draft_.Encode();
    for (size_t at = 0; at < good[kind].size(); ++at) {
      format::BlockStreams bad = good;
      Bytes& stream = bad[kind];
      stream[at] |= 0x80;
      stream.insert(stream.begin() + static_cast<ptrdiff_t>(at) + 1, 0);
      EXPECT_THAT(ParseDraft(bad), HasCode(ErrorCode::kCorrupt)) << at;
    }
  }
}

TEST_F(TreeBlockStreams, RefusesAnyOtherCount) {
  for (const uint32_t count :
       {0U, 1U, 5U, 7U, std::numeric_limits<uint32_t>::max()}) {
    EXPECT_THAT(format::TreeBlock::Parse(draft_.Encode(), count, kDraftObjects,
                                         ObjectFormat::kSha1, kNoLimit),
                HasCode(ErrorCode::kCorrupt))
        << count;
  }
}

TEST_F(TreeBlockStreams, RefusesTreesAboveTheLimits) {
  const format::BlockStreams streams = draft_.Encode();
  // 57 + 86 + 3 + 57 + 29 + 29 bytes.
  EXPECT_THAT(ParseDraft(streams, {86, 261}), IsOk());
  EXPECT_THAT(ParseDraft(streams, {85, 261}),
              HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(ParseDraft(streams, {86, 260}),
              HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack
