// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/tree_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/matchers.h"
#include "support/tree_blocks.h"

namespace zpack {
namespace {

using testing::AllStreams;
using testing::Below;
using testing::DecodedFrom;
using testing::ForEachTree;
using testing::HasCode;
using testing::IsError;
using testing::IsOk;
using testing::kTreeStreams;
using testing::NumberedIds;
using testing::PathTree;
using testing::Random;
using testing::RandomIds;
using testing::RandomTrees;
using testing::ToBytes;
using testing::TreeMaker;
using testing::UnpackedTrees;
using testing::UnpackTrees;

using Streams = TreeBlock::Streams;

constexpr BlockLimits kNoLimit{uint64_t{1} << 30, uint64_t{1} << 40};
constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// Twenty times the same letter for each object number.
ObjectId IdOf(uint32_t number) {
  return ObjectId(Bytes(20, static_cast<uint8_t>('A' + number)));
}

// Rebuilds everything.
std::vector<Bytes> Contents(const TreeBlock& block,
                            const TreeBlock::IdOf& id_of) {
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

// A stretch encoder's only block.
UnpackedTrees Built(const NumberedIds& ids,
                    const std::vector<PathTree>& trees) {
  BlockEncoder encoder(3);
  TreeStretchEncoder stretch(ids.ids, ids.order, ids.numbers, uint64_t{1} << 30,
                             encoder);
  std::vector<EncodedBlock> blocks;
  stretch.Begin(0, blocks);
  for (const PathTree& tree : trees) {
    EXPECT_THAT(stretch.Add(tree.content, tree.path), IsOk());
  }
  EXPECT_THAT(stretch.Finish(), IsOk());
  return UnpackTrees(blocks.at(0).chunk);
}

TEST(TreeBlock, GivesBackWhatWasBuilt) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NumberedIds ids =
        RandomIds(random, 200,
                  seed % 3 == 0 ? ObjectFormat::kSha256 : ObjectFormat::kSha1);
    const auto trees = RandomTrees(
        random, ids, 100,
        seed % 2 == 0 ? TreeMaker::Style::kOdd : TreeMaker::Style::kProper);
    UnpackedTrees built = Built(ids, trees);
    auto block =
        TreeBlock::Parse(std::move(built.streams), built.header.object_count,
                         ids.ids.size(), ids.ids.format(), kNoLimit);
    ASSERT_THAT(block, IsOk());
    EXPECT_GT(block->memory(), 0U);
    const auto contents = Contents(*block, ids.id_of());
    ASSERT_EQ(contents.size(), trees.size());
    for (size_t i = 0; i < trees.size(); ++i) {
      EXPECT_TRUE(contents[i] == trees[i].content) << i;
    }
    const DecodedBlock decoded = DecodedFrom(*std::move(block), ids.id_of());
    EXPECT_EQ(decoded.memory(), decoded.trees->memory());
    // Where it may, this turns a tree into the next one in place.
    EXPECT_THAT(decoded.ForEachObject(
                    kMax,
                    [&](size_t i, ByteView content) -> Status {
                      EXPECT_TRUE(std::ranges::equal(content, trees[i].content))
                          << i;
                      return {};
                    }),
                IsOk());
    Bytes buffer;
    for (size_t i = 0; i < trees.size(); ++i) {
      EXPECT_TRUE(
          std::ranges::equal(decoded.Object(i, buffer), trees[i].content));
    }
  }
}

TEST(TreeBlock, AcceptsABlockOfEmptyTrees) {
  Streams streams;
  streams.sizes = {0, 0, 0};
  streams.bases = {0, 1, 0};
  streams.edit_counts = {1, 0, 0};  // whole, the same, verbatim
  const auto block =
      TreeBlock::Parse(streams, 3, 0, ObjectFormat::kSha1, BlockLimits{});
  ASSERT_THAT(block, IsOk());
  EXPECT_EQ(Contents(*block, IdOf), std::vector<Bytes>(3));
  EXPECT_FALSE(block->IsVerbatim(0));
  EXPECT_TRUE(block->IsVerbatim(2));
}

// A block of six trees, as numbers, to be edited into something bad. Of the
// file, there are five objects.
struct Draft {
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

  Streams Encode() const {
    Streams streams;
    const auto encode = [](const std::vector<uint64_t>& values, Bytes& out) {
      ByteWriter to(out);
      for (const uint64_t value : values) to.Varint(value);
    };
    encode(sizes, streams.sizes);
    encode(bases, streams.bases);
    streams.literals = ToBytes(literals);
    encode(edit_counts, streams.edit_counts);
    encode(edit_runs, streams.edit_runs);
    streams.edit_kinds = edit_kinds;
    encode(names, streams.names);
    streams.modes = modes;
    encode(children, streams.children);
    encode(child_differences, streams.child_differences);
    streams.name_texts = ToBytes(name_texts);
    streams.outside_ids = ToBytes(outside_ids);
    return streams;
  }
};

constexpr uint32_t kCount = 6;
constexpr uint32_t kObjects = 5;

Result<TreeBlock> Parse(const Streams& streams,
                        const BlockLimits& limits = kNoLimit) {
  return TreeBlock::Parse(streams, kCount, kObjects, ObjectFormat::kSha1,
                          limits);
}

class TreeBlockDraft : public ::testing::Test {
 protected:
  Result<TreeBlock> Parse() const { return zpack::Parse(draft_.Encode()); }
  void ExpectCorrupt(std::string_view what) const {
    EXPECT_THAT(Parse(),
                IsError(ErrorCode::kCorrupt, ::testing::HasSubstr(what)));
  }

  Draft draft_;
};

TEST_F(TreeBlockDraft, IsRightUnedited) {
  const auto block = Parse();
  ASSERT_THAT(block, IsOk());
  const auto entry = [](std::string_view mode, char name, char id) {
    return std::string(mode) + ' ' + name + '\0' + std::string(20, id);
  };
  const auto contents = Contents(*block, IdOf);
  const std::string a = entry("100644", 'a', 'A');
  EXPECT_EQ(AsText(contents[0]), a + entry("40000", 'b', 'D'));
  EXPECT_EQ(AsText(contents[1]),
            a + entry("40000", 'b', 'E') + entry("160000", 'c', 'Y'));
  EXPECT_EQ(AsText(contents[2]), "xyz");
  EXPECT_EQ(AsText(contents[3]),
            entry("40000", 'b', 'D') + entry("160000", 'c', 'Y'));
  EXPECT_EQ(AsText(contents[4]), a);
  EXPECT_EQ(AsText(contents[5]), entry("100755", 'c', 'Z'));
  EXPECT_TRUE(block->IsVerbatim(2));
  EXPECT_FALSE(block->IsVerbatim(3));
  EXPECT_EQ(block->base(3), 1U);
}

TEST_F(TreeBlockDraft, StopsAtTheFirstErrorOfAVisit) {
  const auto block = Parse();
  ASSERT_THAT(block, IsOk());
  size_t visited = 0;
  const auto visit = [&](size_t index, ByteView) -> Status {
    ++visited;
    if (index == 3) return MakeError(ErrorCode::kMismatch, "seen");
    return {};
  };
  EXPECT_THAT(ForEachTree(*block, IdOf, visit),
              IsError(ErrorCode::kMismatch, "seen"));
  EXPECT_EQ(visited, 4U);
}

TEST_F(TreeBlockDraft, MayBeMoved) {
  auto block = Parse();
  ASSERT_THAT(block, IsOk());
  const auto contents = Contents(*block, IdOf);
  const TreeBlock moved = *std::move(block);
  EXPECT_EQ(Contents(moved, IdOf), contents);
}

TEST_F(TreeBlockDraft, RefusesABaseThatIsVerbatim) {
  draft_.bases[3] = 1;
  draft_.sizes[3] = ZigZag(54);
  ExpectCorrupt("base");
}

TEST_F(TreeBlockDraft, RefusesAnyOtherNumberOfEdits) {
  for (size_t i = 0; i < kCount; ++i) {
    for (const uint64_t count :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{6},
          uint64_t{7}, uint64_t{8}, uint64_t{9}, uint64_t{1} << 32,
          (uint64_t{1} << 32) + 2, kMax / 2, kMax - 1, kMax}) {
      draft_ = {};
      if (count == draft_.edit_counts[i]) continue;
      // The first tree of a block shares a lineage in which nothing was seen.
      if (i == 0 && count == draft_.edit_counts[i] + 1) continue;
      draft_.edit_counts[i] = count;
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << i << ' ' << count;
    }
  }
}

TEST_F(TreeBlockDraft, RefusesRunsOutsideTheBase) {
  for (const uint64_t run : {uint64_t{2}, uint64_t{3}, uint64_t{1} << 32,
                             (uint64_t{1} << 32) + 1, kMax}) {
    draft_ = {};
    draft_.edit_runs[2] = run;
    ExpectCorrupt("edit");
    draft_ = {};
    draft_.edit_runs[0] = run;
    ExpectCorrupt("edit");
  }
  // A run to the very end, and then an entry.
  draft_ = {};
  draft_.edit_runs[2] = 2;
  draft_.edit_kinds[2] = 2;
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt));
}

TEST_F(TreeBlockDraft, RefusesEditsOfWhatIsNotThere) {
  for (const uint8_t kind : {uint8_t{0}, uint8_t{1}}) {
    for (const size_t at : {size_t{0}, size_t{3}, size_t{6}, size_t{7}}) {
      draft_ = {};
      draft_.edit_kinds[at] = kind;
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << at;
    }
    draft_ = {};
    draft_.edit_runs[2] = 2;
    draft_.edit_kinds[2] = kind;
    ExpectCorrupt("edit");
  }
}

TEST_F(TreeBlockDraft, RefusesUnknownKindsOfEdits) {
  for (size_t i = 0; i < draft_.edit_kinds.size(); ++i) {
    for (const uint8_t kind : {uint8_t{3}, uint8_t{0x80}, uint8_t{0xff}}) {
      draft_ = {};
      draft_.edit_kinds[i] = kind;
      ExpectCorrupt("edit");
    }
  }
}

TEST_F(TreeBlockDraft, RefusesNamesThatWereNotSeen) {
  for (const uint64_t age : {uint64_t{4}, uint64_t{1} << 32, kMax}) {
    draft_.names[3] = age;
    ExpectCorrupt("added entry");
  }
  draft_ = {};
  draft_.names[0] = 1;
  ExpectCorrupt("added entry");
}

TEST_F(TreeBlockDraft, RefusesMoreOrLessNewNamesThanTexts) {
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

TEST_F(TreeBlockDraft, ReadsNoMoreThanTheSizesHaveRoomFor) {
  draft_.sizes[0] = 40;
  ExpectCorrupt("size of tree");
  draft_ = Draft();
  draft_.name_texts = std::string(1000, '\0');
  ExpectCorrupt("number of names");
}

TEST_F(TreeBlockDraft, RefusesANameWithoutATerminator) {
  draft_.name_texts.pop_back();
  ExpectCorrupt("name");
  draft_.name_texts = "abc";
  ExpectCorrupt("name");
}

TEST_F(TreeBlockDraft, RefusesUnknownModes) {
  for (size_t i = 0; i < draft_.modes.size(); ++i) {
    for (const uint8_t mode : {uint8_t{5}, uint8_t{0xff}}) {
      draft_ = {};
      draft_.modes[i] = mode;
      ExpectCorrupt("added entry");
    }
  }
}

TEST_F(TreeBlockDraft, RefusesChildrenThatWereNotSeen) {
  for (const uint64_t code : {uint64_t{4}, uint64_t{66}, uint64_t{1} << 32,
                              (uint64_t{1} << 32) + 2, kMax}) {
    draft_ = {};
    draft_.children[4] = code;
    ExpectCorrupt("child");
  }
  // What another lineage saw is not known.
  draft_ = {};
  draft_.children[6] = 2;
  draft_.child_differences.pop_back();
  ExpectCorrupt("child");
  draft_ = {};
  draft_.edit_counts[4] = 3;
  ExpectCorrupt("child");
}

TEST_F(TreeBlockDraft, RefusesChildrenThatAreNoObjects) {
  for (const int64_t difference :
       {int64_t{7}, int64_t{-1}, int64_t{1} << 32, (int64_t{1} << 32) + 1,
        std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    draft_ = {};
    draft_.child_differences[2] = ZigZag(difference);
    ExpectCorrupt("child");
  }
  draft_ = {};
  draft_.outside_ids.resize(20);
  ExpectCorrupt("child");
  draft_.outside_ids.clear();
  ExpectCorrupt("child");
}

TEST_F(TreeBlockDraft, RefusesOutsideIdsOfOddLength) {
  for (const size_t size : {1U, 19U, 21U, 39U, 41U}) {
    draft_.outside_ids.resize(size);
    ExpectCorrupt("outside ids");
  }
  draft_ = {};
  EXPECT_THAT(TreeBlock::Parse(draft_.Encode(), kCount, kObjects,
                               ObjectFormat::kSha256, kNoLimit),
              HasCode(ErrorCode::kCorrupt));
}

TEST_F(TreeBlockDraft, RefusesMoreOutsideIdsThanThereAreNumbers) {
  constexpr uint32_t kMaxObjects = std::numeric_limits<uint32_t>::max();
  for (const uint32_t objects : {kMaxObjects, kMaxObjects - 1}) {
    EXPECT_THAT(
        TreeBlock::Parse(draft_.Encode(), kCount, objects, ObjectFormat::kSha1,
                         kNoLimit),
        IsError(ErrorCode::kCorrupt, ::testing::HasSubstr("outside ids")));
  }
  EXPECT_THAT(TreeBlock::Parse(draft_.Encode(), kCount, kMaxObjects - 2,
                               ObjectFormat::kSha1, kNoLimit),
              IsOk());
}

TEST_F(TreeBlockDraft, RefusesSizesThatDoNotAddUp) {
  for (size_t i = 0; i < kCount; ++i) {
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

TEST_F(TreeBlockDraft, RefusesAnyOtherNumberOfLiterals) {
  draft_.literals = "xy";
  ExpectCorrupt("literals");
  draft_.literals = "xyz!";
  ExpectCorrupt("end of streams");
}

TEST_F(TreeBlockDraft, RefusesAnyStreamThatIsTooShortOrTooLong) {
  for (size_t i = 0; i < kTreeStreams.size(); ++i) {
    SCOPED_TRACE(format::KindName(kTreeStreams[i]));
    Streams longer = draft_.Encode();
    AllStreams(longer)[i]->push_back(0);
    EXPECT_THAT(zpack::Parse(longer), HasCode(ErrorCode::kCorrupt));
    Streams shorter = draft_.Encode();
    while (!AllStreams(shorter)[i]->empty()) {
      AllStreams(shorter)[i]->pop_back();
      EXPECT_THAT(zpack::Parse(shorter), HasCode(ErrorCode::kCorrupt));
    }
  }
}

TEST_F(TreeBlockDraft, RefusesVarintsThatAreNotMinimal) {
  using format::StreamKind;
  for (size_t i = 0; i < kTreeStreams.size(); ++i) {
    const StreamKind kind = kTreeStreams[i];
    if (kind == StreamKind::kLiterals || kind == StreamKind::kEditKinds ||
        kind == StreamKind::kModes || kind == StreamKind::kNameTexts ||
        kind == StreamKind::kOutsideIds) {
      continue;  // holds none
    }
    SCOPED_TRACE(format::KindName(kind));
    const Streams good = draft_.Encode();
    Streams copy = good;
    const size_t bytes = AllStreams(copy)[i]->size();
    for (size_t at = 0; at < bytes; ++at) {
      Streams bad = good;
      Bytes& stream = *AllStreams(bad)[i];
      stream[at] |= 0x80;
      stream.insert(stream.begin() + static_cast<ptrdiff_t>(at) + 1, 0);
      EXPECT_THAT(zpack::Parse(bad), HasCode(ErrorCode::kCorrupt)) << at;
    }
  }
}

TEST_F(TreeBlockDraft, RefusesAnyOtherCount) {
  for (const uint32_t count :
       {0U, 1U, 5U, 7U, std::numeric_limits<uint32_t>::max()}) {
    EXPECT_THAT(TreeBlock::Parse(draft_.Encode(), count, kObjects,
                                 ObjectFormat::kSha1, kNoLimit),
                HasCode(ErrorCode::kCorrupt))
        << count;
  }
}

TEST_F(TreeBlockDraft, RefusesTreesAboveTheLimits) {
  const Streams streams = draft_.Encode();
  // 57 + 86 + 3 + 57 + 29 + 29 bytes.
  EXPECT_THAT(zpack::Parse(streams, {86, 261}), IsOk());
  EXPECT_THAT(zpack::Parse(streams, {85, 261}),
              HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(zpack::Parse(streams, {86, 260}),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(TreeBlock, KeepsNoMoreEntriesThanItMay) {
  // Ten trees of a hundred entries, all of which are needed again later.
  constexpr uint64_t kEntries = 100;
  Random random(1);
  const NumberedIds ids = RandomIds(random, 200);
  TreeParser parser(ids.ids, ids.order, ids.numbers);
  TreeBlockBuilder builder(parser);
  std::vector<testing::TextEntry> entries;
  for (uint32_t i = 0; i < kEntries; ++i) {
    entries.push_back({"100644", std::to_string(i), ids[i]});
  }
  ParsedTree tree;
  tree.content = testing::TreeBytes(entries);
  ASSERT_TRUE(parser.Parse({}, tree));
  for (int i = 0; i < 10; ++i) {
    builder.AddWhole(tree.content.size(), true, tree.items);
  }
  for (int i = 0; i < 10; ++i) {
    builder.AddEdits(tree.content.size(), 10, tree.content.size(), {});
  }
  const auto parse = [&](uint64_t object_size) {
    return TreeBlock::Parse(testing::StreamsOf(builder), 20, ids.ids.size(),
                            ObjectFormat::kSha1,
                            {object_size, kNoLimit.content});
  };
  // An entry, and where it begins in the content.
  constexpr uint64_t kKept =
      10 * kEntries * (sizeof(TreeBlock::Entry) + sizeof(uint32_t));
  const auto block = parse(kKept);
  ASSERT_THAT(block, IsOk());
  for (const Bytes& content : Contents(*block, ids.id_of())) {
    EXPECT_EQ(AsText(content), AsText(tree.content));
  }
  EXPECT_THAT(parse(kKept - 1), IsError(ErrorCode::kLimitExceeded,
                                        ::testing::HasSubstr("memory")));
}

TEST(TreeBlock, SurvivesAnyDamage) {
  constexpr BlockLimits kLimits{1 << 16, 1 << 20};
  int parsed = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    static std::vector<std::pair<NumberedIds, UnpackedTrees>> built;
    if (seed < 10) {
      Random random(seed);
      NumberedIds ids = RandomIds(random, 50);
      UnpackedTrees trees =
          Built(ids, RandomTrees(random, ids, 20, TreeMaker::Style::kOdd));
      built.emplace_back(std::move(ids), std::move(trees));
    }
    const auto& [ids, good] = built[seed % 10];
    Random random(seed);
    Streams streams = good.streams;
    const size_t edits = 1 + Below(random, 3);
    for (size_t i = 0; i < edits; ++i) {
      Bytes& stream = *AllStreams(streams)[Below(random, kTreeStreams.size())];
      if (stream.empty()) continue;
      uint8_t& byte = stream[Below(random, stream.size())];
      byte = Below(random, 2) == 0 ? static_cast<uint8_t>(random())
                                   : static_cast<uint8_t>(byte + 1);
    }
    const auto block =
        TreeBlock::Parse(std::move(streams), good.header.object_count,
                         ids.ids.size(), ObjectFormat::kSha1, kLimits);
    if (block) {
      ++parsed;
      Contents(*block, ids.id_of());
    } else {
      EXPECT_TRUE(block.error().code == ErrorCode::kCorrupt ||
                  block.error().code == ErrorCode::kLimitExceeded)
          << block.error().message;
    }
  }
  EXPECT_GT(parsed, 100) << "damage that nothing can see is tested too";
}

}  // namespace
}  // namespace zpack
