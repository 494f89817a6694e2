// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/commit_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "object/object_links.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/unpacked_block.h"

namespace zpack {
namespace {

using format::StreamKind;
using testing::AllStreams;
using testing::Below;
using testing::HasCode;
using testing::IsOk;
using testing::Random;

// A file of this many objects, of which those from kFirstCommit on are commits.
constexpr uint32_t kObjects = 1000;
constexpr uint32_t kFirstCommit = 100;

struct Block {
  format::BlockHeader header;
  format::BlockStreams streams{format::BlockKind::kCommits};
};

class CommitBlockTest : public ::testing::Test {
 protected:
  CommitBlockTest() {
    file_.order.resize(kObjects);
    file_.numbers.resize(kObjects);
    Bytes ids;
    for (uint32_t i = 0; i < kObjects; ++i) {
      Bytes id(20, static_cast<uint8_t>(i));
      id[0] = static_cast<uint8_t>(i >> 8);
      id[1] = static_cast<uint8_t>(i);
      Append(ids, id);
    }
    file_.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
    // Numbers run against the ids.
    for (uint32_t i = 0; i < kObjects; ++i) {
      file_.order[ObjectNumber(i)] = FileRank(kObjects - 1 - i);
      file_.numbers[FileRank(kObjects - 1 - i)] = ObjectNumber(i);
    }
  }

  ObjectId IdOf(ObjectNumber number) const {
    return file_.ids[file_.order[number]];
  }
  std::string Hex(uint32_t number) const {
    return IdOf(ObjectNumber(number)).ToHex();
  }

  // What occurs, and some of what does not.
  std::string RandomCommit(Random& random) const {
    std::string out;
    const auto id = [&](const char* word) {
      out += word;
      out += Below(random, 10) == 0
                 ? std::string(40, static_cast<char>('0' + Below(random, 10)))
                 : Hex(static_cast<uint32_t>(Below(random, kObjects)));
      out += '\n';
    };
    const auto person = [&](const char* word) {
      out += word + std::string("P") + std::to_string(Below(random, 5)) +
             " <p@example.com> " +
             std::to_string(static_cast<int64_t>(
                 Below(random, 20) == 0 ? random() : Below(random, 1 << 30))) +
             (Below(random, 3) == 0 ? " +0100\n" : " -0700\n");
    };
    if (Below(random, 30) != 0) id("tree ");
    for (uint64_t i = Below(random, 4); i > 1; --i) id("parent ");
    person("author ");
    if (Below(random, 30) != 0) person("committer ");
    if (Below(random, 5) == 0) out += "gpgsig x\n y\n";
    if (Below(random, 20) != 0) out += "\nMessage\n";
    for (uint64_t i = Below(random, 60); i > 0; --i) {
      out += static_cast<char>(random());
    }
    return out;
  }

  // In blocks of at least `block_size` bytes.
  std::vector<Block> Encode(const std::vector<std::string>& commits,
                            uint64_t block_size) const {
    std::vector<Block> blocks;
    format::CommitBlockBuilder builder(file_);
    ObjectNumber first(kFirstCommit);
    // What was begun before leaves no trace.
    builder.Begin(ObjectNumber(7));
    builder.Add(Bytes(10, 'x'));
    builder.Begin(first);
    const auto close = [&] {
      blocks.push_back({{.kind = format::BlockKind::kCommits,
                         .type = ObjectType::kCommit,
                         .first_object = first,
                         .object_count = builder.count()},
                        builder.streams()});
      first = first + builder.count();
      builder.Begin(first);
    };
    for (const std::string& commit : commits) {
      builder.Add(AsBytes(commit));
      if (builder.streams().raw_size() >= block_size) close();
    }
    if (builder.count() != 0) close();
    return blocks;
  }

  static format::CommitNumbers Numbers(const Block& block) {
    return {block.header.first_object, kObjects, ObjectFormat::kSha1};
  }

  // Checks that the columns alone tell the same links as all of `decoded`.
  // Returns the number of commits that could be compared.
  size_t CheckTable(const Block& block, const format::Commits& decoded) const {
    const auto table = format::DecodeCommitTable(
        block.streams, block.header.object_count, Numbers(block));
    EXPECT_THAT(table, IsOk());
    if (!table || !*table) return 0;
    const format::CommitTable& links = **table;
    const auto id_of = [&](LinkNumber link) {
      const uint32_t number = link.value();
      return number < kObjects
                 ? IdOf(ObjectNumber(number))
                 : ObjectId(ByteView(links.outside_ids)
                                .subspan((number - kObjects) * size_t{20}, 20));
    };
    EXPECT_EQ(links.commits.size(), decoded.sizes.size());
    size_t at = 0;
    size_t parent = 0;
    for (size_t i = 0; i < decoded.sizes.size(); ++i) {
      const ByteView content =
          ByteView(decoded.contents).subspan(at, decoded.sizes[i]);
      at += decoded.sizes[i];
      const CommitLinks expected =
          ParseCommitLinks(content, ObjectFormat::kSha1);
      std::vector<ObjectId> parents;
      for (; parent < links.commits[i].parents_end; ++parent) {
        parents.push_back(id_of(links.parents[parent]));
      }
      EXPECT_EQ(id_of(links.commits[i].tree), expected.tree) << i;
      EXPECT_EQ(parents, expected.parents) << i;
      const auto time = static_cast<int64_t>(links.commits[i].time);
      if (time >= 0) {
        EXPECT_EQ(links.commits[i].time, ParseCommitTime(content)) << i;
      }
    }
    return decoded.sizes.size();
  }

  Result<format::Commits> Decode(const Block& block,
                                 uint64_t max_size = uint64_t{1} << 30) const {
    return format::DecodeCommits(
        block.streams, block.header.object_count,
        {Numbers(block), [this](ObjectNumber number) { return IdOf(number); }},
        max_size);
  }

  std::vector<std::string> RandomCommits(uint64_t seed, size_t count) const {
    Random random(seed);
    std::vector<std::string> commits;
    for (size_t i = 0; i < count; ++i) commits.push_back(RandomCommit(random));
    return commits;
  }

  format::FileNumbers file_;
};

TEST_F(CommitBlockTest, GivesBackEveryCommit) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::string> commits = RandomCommits(seed, 200);
    const auto blocks = Encode(commits, 4000);
    EXPECT_GT(blocks.size(), 3U);
    size_t next = 0;
    for (const Block& block : blocks) {
      EXPECT_EQ(block.header.first_object.value(), kFirstCommit + next);
      const auto decoded = Decode(block);
      ASSERT_THAT(decoded, IsOk());
      size_t at = 0;
      for (const uint64_t size : decoded->sizes) {
        EXPECT_EQ(AsText(ByteView(decoded->contents).subspan(at, size)),
                  commits[next++]);
        at += size;
      }
    }
    EXPECT_EQ(next, commits.size());
  }
}

TEST_F(CommitBlockTest, LinksAreThoseOfTheWholeCommits) {
  size_t compared = 0;
  size_t verbatim = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const Block& block : Encode(RandomCommits(seed, 200), 2000)) {
      const auto decoded = Decode(block);
      ASSERT_THAT(decoded, IsOk());
      const size_t here = CheckTable(block, *decoded);
      compared += here;
      if (here == 0) ++verbatim;
    }
  }
  EXPECT_GT(compared, 200U);
  EXPECT_GT(verbatim, 20U);
}

TEST_F(CommitBlockTest, StoresNoIdOfAnObjectInTheFile) {
  std::vector<std::string> commits;
  for (uint32_t i = 0; i < 50; ++i) {
    commits.push_back("tree " + Hex(500 + i) + "\nparent " +
                      Hex(kFirstCommit + i + 1) + "\nauthor A <a> " +
                      std::to_string(1000000 - i) + " +0000\ncommitter A <a> " +
                      std::to_string(1000000 - i) + " +0000\n\nx\n");
  }
  const auto blocks = Encode(commits, 1 << 20);
  ASSERT_EQ(blocks.size(), 1U);
  const Block& block = blocks[0];
  EXPECT_TRUE(block.streams[StreamKind::kOutsideIds].empty());
  // The first tree, and then each follows the one before it.
  EXPECT_EQ(block.streams[StreamKind::kRootTrees].size(), 51U);
  EXPECT_EQ(std::ranges::count(block.streams[StreamKind::kRootTrees], 0), 49);
  EXPECT_EQ(block.streams[StreamKind::kParents], Bytes(50, 0));
  EXPECT_EQ(AsText(block.streams[StreamKind::kIdentityTexts]),
            std::string("A <a>\0+0000\0", 12));
}

TEST_F(CommitBlockTest, RefusesTooMuchContent) {
  const auto commits = RandomCommits(1, 10);
  size_t size = 0;
  for (const std::string& commit : commits) size += commit.size();
  const auto blocks = Encode(commits, 1 << 20);
  ASSERT_EQ(blocks.size(), 1U);
  const Block& block = blocks[0];
  EXPECT_THAT(Decode(block, size), IsOk());
  EXPECT_THAT(Decode(block, size - 1), HasCode(ErrorCode::kLimitExceeded));
}

TEST_F(CommitBlockTest, BuildsNothingThatIsTooLarge) {
  // A commit with a million parents, each of which takes one byte here, and
  // then one whose names are longer than all commits may be.
  constexpr uint32_t kParents = 1000000;
  Block block;
  block.header.object_count = 1;
  ByteWriter(block.streams[StreamKind::kParentCounts]).Varint(kParents + 1);
  block.streams[StreamKind::kRootTrees] = {0};
  block.streams[StreamKind::kParents] = Bytes(kParents, 0);
  block.streams[StreamKind::kTimes] = {0, 0};
  EXPECT_THAT(Decode(block, 1 << 20), HasCode(ErrorCode::kLimitExceeded));

  block.streams.Clear();
  block.streams[StreamKind::kParentCounts] = {1};
  block.streams[StreamKind::kRootTrees] = {0};
  block.streams[StreamKind::kIdentities] = {0, 2};
  block.streams[StreamKind::kTimeZones] = {0, 2};
  block.streams[StreamKind::kIdentityTexts] = Bytes(10002, 'a');
  block.streams[StreamKind::kIdentityTexts][4999] = '>';
  block.streams[StreamKind::kIdentityTexts][5000] = 0;
  block.streams[StreamKind::kIdentityTexts].back() = 0;
  block.streams[StreamKind::kTimes] = {0, 0};
  block.streams[StreamKind::kHeaderSizes] = {0};
  block.streams[StreamKind::kMessageSizes] = {0};
  EXPECT_THAT(Decode(block, 20000), HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(Decode(block, 30000), IsOk());
}

TEST_F(CommitBlockTest, DamageIsFoundOrGivesOtherCommits) {
  const Block good = Encode(RandomCommits(2, 60), 1 << 20).front();
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    Block bad = good;
    Bytes& stream =
        *AllStreams(bad.streams)[Below(random, AllStreams(bad.streams).size())];
    if (stream.empty()) continue;
    stream[Below(random, stream.size())] = static_cast<uint8_t>(random());
    const auto decoded = Decode(bad);
    if (!decoded) {
      EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
      continue;
    }
    EXPECT_EQ(std::accumulate(decoded->sizes.begin(), decoded->sizes.end(),
                              uint64_t{0}),
              decoded->contents.size());
    CheckTable(bad, *decoded);
  }
}

TEST_F(CommitBlockTest, EveryStreamEndsWhereItShould) {
  const Block good = Encode(RandomCommits(4, 60), 1 << 20).front();
  ASSERT_THAT(Decode(good), IsOk());
  for (size_t i = 0; i < good.streams.kinds().size(); ++i) {
    Block longer = good;
    AllStreams(longer.streams)[i]->push_back(0);
    EXPECT_THAT(Decode(longer), HasCode(ErrorCode::kCorrupt)) << i;
    Block shorter = good;
    AllStreams(shorter.streams)[i]->pop_back();
    EXPECT_THAT(Decode(shorter), HasCode(ErrorCode::kCorrupt)) << i;
  }
  Block more = good;
  ++more.header.object_count;
  EXPECT_THAT(Decode(more), HasCode(ErrorCode::kCorrupt));
  more.header.object_count = 0xffffffff;
  EXPECT_THAT(Decode(more), HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack
