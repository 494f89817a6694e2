// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/blocks_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "reader/block_cache.h"
#include "reader/decoded_block.h"
#include "reader/file_blocks.h"
#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;

using BlockPtr = BlockCache::BlockPtr;

BlockPtr BlockOf(ObjectType type) {
  DecodedBlock block;
  block.objects.header.type = type;
  return std::make_shared<const DecodedBlock>(std::move(block));
}

// What was decoded on the other thread.
class Decoded {
 public:
  Result<BlockPtr> Add(size_t block) {
    const std::lock_guard lock(mutex_);
    blocks_.insert(block);
    changed_.notify_all();
    return BlockOf(ObjectType::kTree);
  }
  bool WaitFor(size_t block) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&] { return blocks_.contains(block); });
  }
  std::set<size_t> blocks() {
    const std::lock_guard lock(mutex_);
    return blocks_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<size_t> blocks_;
};

// Of which only the number of blocks is read.
class EmptyFile final : public RandomAccessFile {
 public:
  explicit EmptyFile(bool is_far_away) : is_far_away_(is_far_away) {}

  Status Read(uint64_t, std::span<uint8_t>) const override {
    return MakeError(ErrorCode::kIo, "empty");
  }
  bool is_far_away() const override { return is_far_away_; }
  uint64_t size() const override { return 0; }
  const std::string& path() const override { return path_; }

 private:
  bool is_far_away_;
  std::string path_ = "empty.zpack";
};

FileBlocks::Parts TenBlocks() {
  FileBlocks::Parts parts;
  parts.object_count = 10;
  for (uint32_t row = 0; row <= 10; ++row) {
    parts.table.rows.push_back({uint64_t{100} * row, ObjectNumber(row)});
  }
  return parts;
}

class BlocksAheadTest : public ::testing::Test {
 protected:
  size_t AddCache(Decoded& decoded) {
    return ahead_.Add(ObjectType::kTree,
                      [&](size_t block) { return decoded.Add(block); });
  }

  const EmptyFile file_{false};
  const FileBlocks blocks_{file_, ReadOptions{}, TenBlocks(), {}};
  BlocksAhead ahead_{blocks_, 2};
};

TEST_F(BlocksAheadTest, ThoseAfterTwoInARowAreDecoded) {
  Decoded decoded;
  const size_t cache = AddCache(decoded);
  EXPECT_THAT(ahead_.Run([&]() -> Status {
    for (const size_t block : {3, 4, 3, 4}) ahead_.Note(cache, block);
    EXPECT_TRUE(decoded.WaitFor(7));
    return {};
  }),
              IsOk());
  EXPECT_THAT(decoded.blocks(), ::testing::ElementsAre(5, 6, 7));
}

TEST_F(BlocksAheadTest, JumpsAndTheLastBlockAskForNothing) {
  Decoded decoded;
  const size_t cache = AddCache(decoded);
  const size_t other = AddCache(decoded);
  EXPECT_THAT(ahead_.Run([&]() -> Status {
    for (const size_t block : {0, 2, 4, 8, 9}) ahead_.Note(cache, block);
    ahead_.Note(other, 3);
    // Blocks are decoded in order, so nothing else is left after these.
    for (const size_t block : {5, 6}) ahead_.Note(other, block);
    EXPECT_TRUE(decoded.WaitFor(9));
    return {};
  }),
              IsOk());
  EXPECT_THAT(decoded.blocks(), ::testing::ElementsAre(7, 8, 9));
}

TEST_F(BlocksAheadTest, AReaderThatWouldWaitDecodesAnotherBlock) {
  Decoded decoded;
  std::atomic<bool> begun = false;
  std::atomic<bool> may_end = false;
  const std::thread::id reader = std::this_thread::get_id();
  std::set<size_t> by_reader;
  const auto decode = [&](size_t block) -> Result<BlockPtr> {
    if (std::this_thread::get_id() == reader) {
      by_reader.insert(block);
      return BlockOf(ObjectType::kTree);
    }
    begun = true;
    begun.notify_all();
    may_end.wait(false);
    return decoded.Add(block);
  };
  const size_t cache = ahead_.Add(ObjectType::kTree, decode);
  EXPECT_THAT(ahead_.Run([&]() -> Status {
    ahead_.Note(cache, 0);
    ahead_.Note(cache, 1);
    begun.wait(false);
    ahead_.Note(cache, 2);  // which the other thread decodes
    may_end = true;
    may_end.notify_all();
    EXPECT_TRUE(decoded.WaitFor(2));
    return {};
  }),
              IsOk());
  EXPECT_THAT(by_reader, ::testing::ElementsAre(3));
}

TEST_F(BlocksAheadTest, WhatHasAnotherTypeEndsASequence) {
  Decoded decoded;
  const size_t blobs =
      ahead_.Add(ObjectType::kTree, [&](size_t block) -> Result<BlockPtr> {
        (void)decoded.Add(block);
        return BlockOf(ObjectType::kBlob);
      });
  const size_t trees = AddCache(decoded);
  EXPECT_THAT(ahead_.Run([&]() -> Status {
    for (const size_t block : {0, 1}) ahead_.Note(blobs, block);
    EXPECT_TRUE(decoded.WaitFor(2));
    for (const size_t block : {5, 6}) ahead_.Note(trees, block);
    EXPECT_TRUE(decoded.WaitFor(9));
    return {};
  }),
              IsOk());
  EXPECT_THAT(decoded.blocks(), ::testing::ElementsAre(2, 7, 8, 9));
}

TEST_F(BlocksAheadTest, NothingIsDecodedWithOneThreadOrFarAway) {
  const EmptyFile far_file(true);
  const FileBlocks far_blocks(far_file, ReadOptions{}, TenBlocks(), {});
  BlocksAhead far(far_blocks, 2);
  BlocksAhead alone(blocks_, 1);
  for (BlocksAhead* const ahead : {&far, &alone}) {
    Decoded decoded;
    const size_t cache = ahead->Add(
        ObjectType::kTree, [&](size_t block) { return decoded.Add(block); });
    EXPECT_THAT(ahead->Run([&]() -> Status {
      for (size_t block = 0; block < 10; ++block) ahead->Note(cache, block);
      return {};
    }),
                IsOk());
    EXPECT_THAT(decoded.blocks(), ::testing::IsEmpty());
  }
}

TEST_F(BlocksAheadTest, ErrorsAreThoseOfTheReaderAlone) {
  Decoded decoded;
  const size_t bad =
      ahead_.Add(ObjectType::kTree, [](size_t) -> Result<BlockPtr> {
        return MakeError(ErrorCode::kCorrupt, "bad block");
      });
  const size_t full =
      ahead_.Add(ObjectType::kTree,
                 [](size_t) -> Result<BlockPtr> { throw std::bad_alloc(); });
  const size_t cache = AddCache(decoded);
  EXPECT_THAT(ahead_.Run([&]() -> Status {
    for (const size_t each : {bad, full, cache}) {
      ahead_.Note(each, 0);
      ahead_.Note(each, 1);
    }
    EXPECT_TRUE(decoded.WaitFor(2));
    return MakeError(ErrorCode::kNotFound, "no such commit");
  }),
              HasCode(ErrorCode::kNotFound));
}

TEST_F(BlocksAheadTest, AReaderMayThrow) {
  EXPECT_THAT(ahead_.Run([]() -> Status { throw std::bad_alloc(); }),
              HasCode(ErrorCode::kOutOfMemory));
}

}  // namespace
}  // namespace zpack
