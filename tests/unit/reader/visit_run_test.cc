// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/visit_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_hasher.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using testing::HostileFile;
using testing::IsOk;
using testing::MemoryFile;
using testing::Repeated;

constexpr uint64_t kSegmented = 3'000'000;

// A run of three objects, and a run of one object in segments.
HostileFile TwoRuns() {
  HostileFile file;
  file.AddObjects(ObjectType::kBlob,
                  {Repeated('a', 10), Repeated('b', 20), Repeated('c', 30)});
  file.AddSegments(ObjectType::kBlob, Repeated('x', kSegmented), 1 << 20);
  return file;
}

class VisitRunTest : public ::testing::Test {
 protected:
  VisitRunTest() { Open(TwoRuns().Build()); }

  void Open(const Bytes& bytes) {
    auto opened =
        ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
    ASSERT_THAT(opened, IsOk());
    archive_ = *std::move(opened);
    ASSERT_THAT(archive_->LoadIndex(), IsOk());
  }
  // The file with another last byte in block `block`.
  void OpenDamaged(size_t block) {
    Bytes bytes = TwoRuns().Build();
    const FileBlocks& blocks = archive_->blocks();
    bytes[blocks.block_offset(block) + blocks.block_stored_size(block) - 1] ^=
        1;
    Open(bytes);
  }

  // What the visits of an object note.
  RunVisitor Noting() {
    return {.object = [this](ObjectNumber number, ObjectType /*type*/,
                             ByteView content) -> Result<Visit> {
              Note("object", number, content.size());
              return answer_;
            },
            .begin = [this](ObjectNumber number,
                            const ObjectInfo& info) -> Result<Visit> {
              Note("begin", number, info.size);
              return Visit::kContinue;
            },
            .piece = [this](ByteView piece) -> Result<Visit> {
              Append(pieces_, piece);
              return answer_;
            },
            .end = [this](const ObjectId& actual) -> Status {
              end_ = actual;
              return {};
            },
            .lost = [this](ObjectNumber number, const Error& error) -> Status {
              Note("lost", number, 0);
              EXPECT_EQ(error.code, ErrorCode::kCorrupt);
              return {};
            }};
  }
  void Note(const std::string& what, ObjectNumber number, uint64_t size) {
    noted_.push_back(what + ' ' + std::to_string(number.value()) + ' ' +
                     std::to_string(size));
  }

  Result<Visit> VisitAt(size_t block, const RunVisitor& visitor,
                        const WantedObjects& wanted = {}) {
    const FileBlocks& blocks = archive_->blocks();
    return VisitRun({blocks, decoder_, stop_.get_token()}, RunAt(blocks, block),
                    wanted, visitor);
  }

  std::unique_ptr<ArchiveFile> archive_;
  BlockDecoder decoder_;
  std::stop_source stop_;
  Result<Visit> answer_ = Visit::kContinue;
  std::vector<std::string> noted_;
  Bytes pieces_;
  ObjectId end_;
};

TEST_F(VisitRunTest, PassesTheWantedObjects) {
  EXPECT_EQ(VisitAt(0, Noting()), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("object 0 10", "object 1 20", "object 2 30"));
  noted_.clear();
  EXPECT_EQ(VisitAt(0, Noting(), {false, true, false}), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("object 1 20"));
}

TEST_F(VisitRunTest, PassesALargeObjectInPiecesThatItHashes) {
  EXPECT_EQ(VisitAt(1, Noting()), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("begin 3 3000000"));
  EXPECT_EQ(pieces_, Repeated('x', kSegmented));
  EXPECT_EQ(end_, ObjectHasher(ObjectFormat::kSha1)
                      .Hash(ObjectType::kBlob, Repeated('x', kSegmented)));
  noted_.clear();
  EXPECT_EQ(VisitAt(1, Noting(), {false}), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre());
}

TEST_F(VisitRunTest, PassesALargeObjectWhole) {
  RunVisitor visitor = Noting();
  visitor.piece.reset();
  EXPECT_EQ(VisitAt(1, visitor), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("begin 3 3000000", "object 3 3000000"));
  EXPECT_TRUE(end_.empty());
}

TEST_F(VisitRunTest, LeavesTheContentOfALargeObjectOut) {
  RunVisitor visitor = Noting();
  visitor.begin = [](ObjectNumber, const ObjectInfo&) -> Result<Visit> {
    return Visit::kStop;
  };
  EXPECT_EQ(VisitAt(1, visitor), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre());
  EXPECT_TRUE(pieces_.empty());
}

TEST_F(VisitRunTest, EndsWithTheAnswerOfTheVisitor) {
  for (const Result<Visit>& answer :
       {Result<Visit>(Visit::kStop),
        Result<Visit>(MakeError(ErrorCode::kMismatch, "seen"))}) {
    answer_ = answer;
    noted_.clear();
    EXPECT_EQ(VisitAt(0, Noting()).has_value(), answer.has_value());
    EXPECT_THAT(noted_, ElementsAre("object 0 10")) << "nothing is lost";
    pieces_.clear();
    EXPECT_EQ(VisitAt(1, Noting()).has_value(), answer.has_value());
    EXPECT_EQ(pieces_.size(), size_t{1} << 20);
    EXPECT_TRUE(end_.empty());
  }
}

TEST_F(VisitRunTest, EndsAfterAStop) {
  stop_.request_stop();
  EXPECT_THAT(VisitAt(0, Noting()), HasCode(ErrorCode::kInterrupted));
  EXPECT_THAT(VisitAt(1, Noting()), HasCode(ErrorCode::kInterrupted));
  EXPECT_THAT(noted_, ElementsAre("begin 3 3000000")) << "nothing is lost";
}

TEST_F(VisitRunTest, NamesWhatIsLost) {
  OpenDamaged(0);
  EXPECT_EQ(VisitAt(0, Noting(), {true, false, true}), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("lost 0 0", "lost 2 0"));
  RunVisitor visitor = Noting();
  visitor.lost.reset();
  EXPECT_THAT(VisitAt(0, visitor), HasCode(ErrorCode::kCorrupt));
}

TEST_F(VisitRunTest, NamesALargeObjectThatIsLostInTheMiddle) {
  OpenDamaged(2);
  EXPECT_EQ(VisitAt(1, Noting()), Visit::kContinue);
  EXPECT_THAT(noted_, ElementsAre("begin 3 3000000", "lost 3 0"));
  EXPECT_EQ(pieces_.size(), size_t{1} << 20) << "the first segment";
  EXPECT_TRUE(end_.empty());
}

}  // namespace
}  // namespace zpack
