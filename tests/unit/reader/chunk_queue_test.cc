// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/chunk_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "base/error.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::HostileFile;
using testing::IsOk;
using testing::MemoryFile;
using testing::Repeated;

constexpr size_t kChunk = 1000;

class ChunkQueueTest : public ::testing::Test {
 protected:
  ChunkQueueTest() {
    HostileFile file;
    for (uint8_t block = 0; block < 4; ++block) {
      file.AddObjects(ObjectType::kBlob, {Repeated(block, 10)});
    }
    archive_ = *ArchiveFile::Open(std::make_unique<MemoryFile>(file.Build()),
                                  ReadOptions{});
  }

  static std::unique_ptr<ObjectChunk> Chunk(uint32_t number) {
    auto chunk = std::make_unique<ObjectChunk>();
    chunk->Add(ObjectNumber(number), ObjectType::kBlob, Repeated('x', kChunk));
    return chunk;
  }
  static Visit Put(ChunkQueue& queue, ChunkQueue::Work& work, uint32_t number) {
    auto chunk = Chunk(number);
    return queue.Put(work, chunk);
  }
  // The number of the object in the next chunk.
  static uint32_t Take(ChunkQueue& queue) {
    auto chunk = queue.Take();
    EXPECT_THAT(chunk, IsOk());
    return (*chunk)->entries().front().number.value();
  }

  std::unique_ptr<ArchiveFile> archive_;
};

TEST_F(ChunkQueueTest, ChunksComeInTheOrderOfTheRuns) {
  ChunkQueue queue(archive_->blocks(), 100 * kChunk, 10);
  ChunkQueue::Work* const first = queue.Begin();
  ChunkQueue::Work* const second = queue.Begin();
  ASSERT_EQ(Put(queue, *second, 3), Visit::kContinue);
  queue.End(*second);
  ASSERT_EQ(Put(queue, *first, 1), Visit::kContinue);
  ASSERT_EQ(Put(queue, *first, 2), Visit::kContinue);
  queue.End(*first);
  EXPECT_EQ(Take(queue), 1U);
  EXPECT_EQ(Take(queue), 2U);
  EXPECT_EQ(Take(queue), 3U);
}

TEST_F(ChunkQueueTest, TheFirstRunMayAlwaysGetOnAndOthersWait) {
  ChunkQueue queue(archive_->blocks(), kChunk / 2, 10);
  ChunkQueue::Work* const first = queue.Begin();
  ChunkQueue::Work* const second = queue.Begin();
  ASSERT_EQ(Put(queue, *first, 1), Visit::kContinue);
  std::atomic<bool> put = false;
  std::jthread other([&] {
    EXPECT_EQ(Put(queue, *second, 2), Visit::kContinue);
    put = true;
    queue.End(*second);
  });
  ASSERT_EQ(Put(queue, *first, 1), Visit::kContinue);
  queue.End(*first);
  EXPECT_EQ(Take(queue), 1U);
  EXPECT_FALSE(put);
  EXPECT_EQ(Take(queue), 1U);
  // Only now the second run is the first.
  EXPECT_EQ(Take(queue), 2U);
}

TEST_F(ChunkQueueTest, AFewRunsAreBegunAtATime) {
  ChunkQueue queue(archive_->blocks(), 100 * kChunk, 1);
  ChunkQueue::Work* const first = queue.Begin();
  std::atomic<bool> begun = false;
  std::jthread other([&] {
    ChunkQueue::Work* const second = queue.Begin();
    begun = true;
    ASSERT_EQ(Put(queue, *second, 2), Visit::kContinue);
    queue.End(*second);
  });
  ASSERT_EQ(Put(queue, *first, 1), Visit::kContinue);
  EXPECT_EQ(Take(queue), 1U);
  EXPECT_FALSE(begun);
  queue.End(*first);
  EXPECT_EQ(Take(queue), 2U);
}

TEST_F(ChunkQueueTest, AnErrorOrTheEndOfTheUserEndsTheWork) {
  ChunkQueue failed(archive_->blocks(), kChunk, 10);
  ChunkQueue::Work* const work = failed.Begin();
  failed.Fail(MakeError(ErrorCode::kOutOfMemory, "out of memory"));
  EXPECT_THAT(failed.Take(), HasCode(ErrorCode::kOutOfMemory));
  EXPECT_EQ(Put(failed, *work, 1), Visit::kStop);
  EXPECT_EQ(failed.Begin(), nullptr);

  ChunkQueue closed(archive_->blocks(), 0, 10);
  closed.Begin();
  ChunkQueue::Work* const second = closed.Begin();
  std::jthread other([&] { EXPECT_EQ(Put(closed, *second, 1), Visit::kStop); });
  closed.Close();
}

}  // namespace
}  // namespace zpack
