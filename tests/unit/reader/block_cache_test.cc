// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/block_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::MemoryFile;

// A file in which a read of one block waits for a read of another block, and
// which counts the reads.
class WaitingFile final : public RandomAccessFile {
 public:
  explicit WaitingFile(Bytes bytes) : file_(std::move(bytes)) {}

  // From now on, a read at `first` waits until `second` is read, for at most
  // ten seconds.
  void Wait(uint64_t first, uint64_t second) {
    first_ = first;
    second_ = second;
  }
  void Fail() { fail_ = true; }
  int reads() const { return reads_; }
  bool met() const { return met_; }

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    ++reads_;
    if (fail_) return MakeError(ErrorCode::kIo, "broken");
    std::unique_lock<std::mutex> lock(mutex_);
    if (second_ != 0 && offset == second_) {
      second_is_read_ = true;
      changed_.notify_all();
    }
    if (first_ != 0 && offset == first_) {
      met_ = changed_.wait_for(lock, std::chrono::seconds(10),
                               [this] { return second_is_read_; });
    }
    lock.unlock();
    return file_.Read(offset, out);
  }
  uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }

 private:
  MemoryFile file_;
  uint64_t first_ = 0;
  uint64_t second_ = 0;
  std::atomic<bool> fail_ = false;
  mutable std::atomic<int> reads_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool second_is_read_ = false;
  mutable std::atomic<bool> met_ = false;
};

class BlockCacheTest : public ::testing::Test {
 protected:
  BlockCacheTest() {
    auto file = std::make_unique<WaitingFile>(testing::SampleFile());
    file_ = file.get();
    auto archive = ArchiveFile::Open(std::move(file), ReadOptions{});
    EXPECT_THAT(archive, IsOk());
    archive_ = *std::move(archive);
  }

  const FileBlocks& blocks() const { return archive_->blocks(); }

  WaitingFile* file_ = nullptr;
  std::unique_ptr<ArchiveFile> archive_;
};

TEST_F(BlockCacheTest, SeveralThreadsDecodeDifferentBlocksAtOnce) {
  ASSERT_GE(blocks().block_count(), 2U);
  file_->Wait(blocks().block_offset(0), blocks().block_offset(1));
  BlockCache cache(blocks(), 1 << 20);
  std::jthread first([&] { EXPECT_THAT(cache.Block(0), IsOk()); });
  std::jthread second([&] { EXPECT_THAT(cache.Block(1), IsOk()); });
  first.join();
  second.join();
  EXPECT_TRUE(file_->met());
}

TEST_F(BlockCacheTest, SeveralThreadsDecodeABlockOnce) {
  const int before = file_->reads();
  BlockCache cache(blocks(), 1 << 20);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(cache.Block(0), IsOk()); });
  }
  threads.clear();
  EXPECT_EQ(file_->reads(), before + 1);
}

TEST_F(BlockCacheTest, WhatCouldNotBeReadIsReadAgain) {
  BlockCache cache(blocks(), 1 << 20);
  file_->Fail();
  EXPECT_THAT(cache.Block(0), HasCode(ErrorCode::kIo));
  const int before = file_->reads();
  EXPECT_THAT(cache.Block(0), HasCode(ErrorCode::kIo));
  EXPECT_EQ(file_->reads(), before + 1);
}

TEST_F(BlockCacheTest, TypesAndSizesAreDecodedOnceForABlock) {
  BlockCache cache(blocks(), 1);
  ASSERT_THAT(cache.Info(ObjectNumber(0)), IsOk());
  const int before = file_->reads();
  for (uint32_t number = 0; number < blocks().block_object_count(0); ++number) {
    EXPECT_THAT(cache.Info(ObjectNumber(number)), IsOk());
  }
  EXPECT_EQ(file_->reads(), before);
}

}  // namespace
}  // namespace zpack
