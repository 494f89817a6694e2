// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "format/limits.h"
#include "support/deltas.h"
#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::Random;
using testing::RandomText;

using format::StreamKind;

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

EncodingOptions FastGroups() {
  EncodingOptions options;
  options.level = 1;
  options.groups = true;
  return options;
}

// Keeps the parts that are left to it.
class LaterHelpers final : public BlockHelpers {
 public:
  bool IsWanted() override { return true; }
  void Leave(Part part) override { parts_.push_back(std::move(part)); }
  uint64_t Lend(Loan) override { return 0; }
  bool TakeBack(uint64_t) override { return false; }

  size_t count() const { return parts_.size(); }
  Status Run() {
    for (; !parts_.empty(); parts_.pop_front()) {
      ZPACK_TRY(parts_.front()(encoder_, *this));
    }
    return {};
  }

 private:
  std::deque<Part> parts_;
  BlockEncoder encoder_{1};
};

// Runs each part on a thread of its own.
class ThreadHelpers final : public BlockHelpers {
 public:
  bool IsWanted() override { return true; }
  void Leave(Part part) override {
    threads_.emplace_back([this, part = std::move(part)] {
      BlockEncoder encoder(1);
      EXPECT_THAT(part(encoder, *this), IsOk());
    });
  }
  uint64_t Lend(Loan) override { return 0; }
  bool TakeBack(uint64_t) override { return false; }
  void Join() { threads_.clear(); }

 private:
  std::vector<std::jthread> threads_;
};

// The literals of the blocks of a stretch with three groups.
std::vector<Bytes> Literals() {
  Random random(5);
  const Bytes text = RandomText(random, 900);
  std::vector<Bytes> all(2 * format::kMaxGroupBlocks + 10);
  for (Bytes& literals : all) {
    literals = RandomText(random, 100);
    Append(literals, text);
  }
  return all;
}

class StretchGroupsTest : public ::testing::Test {
 protected:
  static Status Encode(std::span<const Bytes> all, GroupedSection section,
                       EncodedBlocks& blocks) {
    for (const Bytes& literals : all) {
      format::BlockStreams streams(format::BlockKind::kDeltas);
      streams[StreamKind::kLiterals] = literals;
      streams[StreamKind::kSizes] = {1, 2, 3};
      const format::BlockHeader header{
          format::BlockKind::kDeltas, ObjectType::kBlob, {}, 1, 0};
      ZPACK_ASSIGN_OR_RETURN(
          const bool in_group,
          section.Encode(header, streams, blocks.emplace_back()));
      EXPECT_TRUE(in_group);
    }
    return section.End();
  }

  // Fills `blocks`, with the help of `helpers`, which may not have ended.
  void Fill(uint64_t most_waiting, BlockHelpers* helpers,
            EncodedBlocks& blocks) const {
    BlockEncoder encoder(FastGroups(), {});
    StretchGroups groups(1, kUnlimited, kUnlimited, most_waiting);
    EXPECT_THAT(Encode(literals_, {groups, 0, encoder, helpers}, blocks),
                IsOk());
  }
  static std::vector<Bytes> Chunks(const EncodedBlocks& blocks) {
    std::vector<Bytes> chunks;
    for (const EncodedBlock& block : blocks) chunks.push_back(block.chunk);
    return chunks;
  }

  const std::vector<Bytes> literals_ = Literals();
};

TEST_F(StretchGroupsTest, HelpersDoNotChangeTheBytes) {
  EncodedBlocks alone;
  Fill(kUnlimited, nullptr, alone);
  const std::vector<Bytes> expected = Chunks(alone);
  ASSERT_THAT(expected, ::testing::Each(::testing::Not(::testing::IsEmpty())));

  LaterHelpers later;
  EncodedBlocks blocks;
  Fill(kUnlimited, &later, blocks);
  EXPECT_EQ(later.count(), 3U);  // one for each group
  EXPECT_TRUE(blocks.front().chunk.empty());
  EXPECT_THAT(later.Run(), IsOk());
  EXPECT_EQ(Chunks(blocks), expected);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].expansion.decoded, alone[i].expansion.decoded);
  }

  ThreadHelpers threads;
  EncodedBlocks meanwhile;
  Fill(10 * literals_.front().size(), &threads, meanwhile);
  threads.Join();
  EXPECT_EQ(Chunks(meanwhile), expected);
}

// Helpers may be busy with other stretches for a long time.
TEST_F(StretchGroupsTest, TooMuchDoesNotWaitForAHelper) {
  LaterHelpers busy;
  EncodedBlocks blocks;
  const uint64_t most = literals_.front().size() * 5 / 2;
  Fill(most, &busy, blocks);
  EXPECT_FALSE(blocks[literals_.size() - 4].chunk.empty());
  EXPECT_THAT(busy.Run(), IsOk());
  EncodedBlocks alone;
  Fill(kUnlimited, nullptr, alone);
  EXPECT_EQ(Chunks(blocks), Chunks(alone));
}

// Sections of several lengths, also of none.
TEST_F(StretchGroupsTest, SectionsDoNotChangeTheBytes) {
  EncodedBlocks alone;
  Fill(kUnlimited, nullptr, alone);
  const std::vector<size_t> starts = {0, 1, 1, literals_.size() / 2,
                                      literals_.size() - 3};
  for (const uint64_t most : {uint64_t{1}, kUnlimited}) {
    StretchGroups groups(starts.size(), kUnlimited, most, most);
    std::vector<EncodedBlocks> blocks(starts.size());
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < starts.size(); ++i) {
      const size_t end =
          i + 1 == starts.size() ? literals_.size() : starts[i + 1];
      threads.emplace_back([&, i, end] {
        BlockEncoder encoder(FastGroups(), {});
        const std::span<const Bytes> all = literals_;
        EXPECT_THAT(Encode(all.subspan(starts[i], end - starts[i]),
                           {groups, i, encoder, nullptr}, blocks[i]),
                    IsOk());
      });
    }
    threads.clear();
    std::vector<Bytes> chunks;
    for (const EncodedBlocks& section : blocks) {
      const std::vector<Bytes> more = Chunks(section);
      chunks.insert(chunks.end(), more.begin(), more.end());
    }
    EXPECT_EQ(chunks, Chunks(alone));
  }
}

// The second section waits for the first one, which fails.
TEST_F(StretchGroupsTest, AFailedSectionEndsThoseThatWaitForIt) {
  StretchGroups groups(2, kUnlimited, 1, 1);
  EncodedBlocks blocks;
  std::jthread second([&] {
    BlockEncoder encoder(FastGroups(), {});
    EXPECT_THAT(Encode(literals_, {groups, 1, encoder, nullptr}, blocks),
                HasCode(ErrorCode::kIo));
  });
  groups.Fail(MakeError(ErrorCode::kIo, "lost"));
}

TEST_F(StretchGroupsTest, AnInterruptionEndsTheWork) {
  std::stop_source stop;
  LaterHelpers later;
  EncodedBlocks blocks;
  StretchGroups groups(1, kUnlimited, kUnlimited, kUnlimited);
  BlockEncoder encoder(FastGroups(), stop.get_token());
  ASSERT_THAT(Encode(literals_, {groups, 0, encoder, &later}, blocks), IsOk());
  stop.request_stop();
  EXPECT_THAT(later.Run(), HasCode(ErrorCode::kInterrupted));
  EXPECT_TRUE(blocks.back().chunk.empty());
}

}  // namespace
}  // namespace zpack
