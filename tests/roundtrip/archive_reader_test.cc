// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The public reader: what its contract says about visitors, stops, types and
// the fields of errors.

#include "zpack/archive_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/file.h"
#include "convert/convert_source.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/program.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/verify.h"
#include "zpack/version.h"

namespace zpack::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ArchiveReaderTest : public ::testing::Test {
 protected:
  ArchiveReaderTest() : file_(dir_ / "a.zpack") {
    bytes_ = SampleFile();
    WriteFile(file_, AsText(bytes_));
    auto reader = ArchiveReader::Open(file_, {});
    EXPECT_THAT(reader, IsOk());
    reader_ = *std::move(reader);
  }

  // Searches for a pattern that every line has.
  template <typename Options>
  static Options AllLines() {
    Options options;
    options.query.tokens = {{QueryToken::Kind::kPattern, "", {}}};
    return options;
  }

  static std::stop_token Stopped() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
  }

  TempDir dir_;
  std::string file_;
  Bytes bytes_;
  std::unique_ptr<ArchiveReader> reader_;
};

TEST_F(ArchiveReaderTest, ReadGivesTypeAndContent) {
  const auto head = reader_->Resolve("HEAD");
  ASSERT_THAT(head, IsOk());
  const auto commit = reader_->Read(*head);
  ASSERT_THAT(commit, IsOk());
  EXPECT_EQ(commit->type, ObjectType::kCommit);
  EXPECT_THAT(std::string(commit->content.begin(), commit->content.end()),
              ::testing::StartsWith("tree "));
}

TEST_F(ArchiveReaderTest, ReadsTheEmptyTreeOfEveryFile) {
  const ObjectId empty =
      *ObjectId::FromHex("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  EXPECT_THAT(reader_->Contains(empty), ::testing::Optional(true));
  EXPECT_THAT(reader_->Resolve(empty.ToHex()), ::testing::Optional(empty));
  EXPECT_THAT(reader_->ReadInfo(empty),
              ::testing::Optional(ObjectInfo{ObjectType::kTree, 0}));
  const auto object = reader_->Read(empty);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->type, ObjectType::kTree);
  EXPECT_THAT(object->content, IsEmpty());
  EXPECT_THAT(reader_->Stream(empty,
                              [](std::span<const uint8_t> piece) {
                                EXPECT_THAT(piece, IsEmpty());
                                return Visit::kContinue;
                              }),
              IsOk());
  const auto part = reader_->ReadPart(empty, 0);
  ASSERT_THAT(part, IsOk());
  EXPECT_THAT(part->bytes, IsEmpty());
  EXPECT_THAT(reader_->ReadAhead(std::vector{empty}), IsOk());
  EXPECT_THAT(reader_->ForEachId(IdOrder::kId,
                                 [&](const ObjectId& id) {
                                   EXPECT_NE(id, empty);
                                   return Visit::kContinue;
                                 }),
              IsOk());
}

TEST_F(ArchiveReaderTest, VisitorsStopEarlyWithoutAnError) {
  for (const IdOrder order : {IdOrder::kId, IdOrder::kStorage}) {
    int visited = 0;
    EXPECT_THAT(reader_->ForEachId(order,
                                   [&](const ObjectId&) {
                                     return ++visited == 2 ? Visit::kStop
                                                           : Visit::kContinue;
                                   }),
                IsOk());
    EXPECT_EQ(visited, 2);
  }
  WalkOptions all;
  all.refs = WalkRefs::kAll;
  all.objects = WalkObjects::kAll;
  int walked = 0;
  EXPECT_THAT(reader_->Walk(all,
                            [&](const WalkedObject&) {
                              return ++walked == 3 ? Visit::kStop
                                                   : Visit::kContinue;
                            }),
              IsOk());
  EXPECT_EQ(walked, 3);
  const auto head = reader_->Resolve("HEAD");
  ASSERT_THAT(head, IsOk());
  EXPECT_THAT(reader_->Stream(
                  *head, [](std::span<const uint8_t>) { return Visit::kStop; }),
              IsOk());
}

TEST_F(ArchiveReaderTest, AnErrorOfAVisitorEndsTheCall) {
  const auto refuse = [](const auto&) -> Result<Visit> {
    return std::unexpected(Error{ErrorCode::kExists, "refused"});
  };
  EXPECT_THAT(reader_->ForEachId(IdOrder::kId, refuse),
              IsError(ErrorCode::kExists, "refused"));
  WalkOptions all;
  all.refs = WalkRefs::kAll;
  EXPECT_THAT(reader_->Walk(all, refuse),
              IsError(ErrorCode::kExists, "refused"));
}

TEST_F(ArchiveReaderTest, AStopEndsWalkAndDescribe) {
  WalkOptions all;
  all.refs = WalkRefs::kAll;
  all.stop = Stopped();
  EXPECT_THAT(
      reader_->Walk(all, [](const WalkedObject&) { return Visit::kContinue; }),
      HasCode(ErrorCode::kInterrupted));
  EXPECT_THAT(reader_->Describe(Stopped()), HasCode(ErrorCode::kInterrupted));
  EXPECT_THAT(reader_->Describe(), IsOk());
}

TEST_F(ArchiveReaderTest, SearchesKeepTheContractOfVisitors) {
  const auto head = reader_->Resolve("HEAD");
  ASSERT_THAT(head, IsOk());
  auto tree = AllLines<TreeSearchOptions>();
  auto history = AllLines<HistorySearchOptions>();
  const auto search = [&](const auto& visit) -> std::vector<Status> {
    return {reader_->SearchTree(*head, tree, visit),
            reader_->SearchHistory(history, visit),
            reader_->SearchVersions(history, visit)};
  };
  int visited = 0;
  const auto stop = [&](const auto&) -> Result<Visit> {
    ++visited;
    return Visit::kStop;
  };
  EXPECT_THAT(search(stop), Each(IsOk()));
  EXPECT_EQ(visited, 3);
  const auto refuse = [](const auto&) -> Result<Visit> {
    return std::unexpected(Error{ErrorCode::kExists, "refused"});
  };
  EXPECT_THAT(search(refuse), Each(IsError(ErrorCode::kExists, "refused")));
  tree.stop = history.stop = Stopped();
  EXPECT_THAT(search(stop), Each(HasCode(ErrorCode::kInterrupted)));
  tree.query.tokens =
      history.query.tokens = {{QueryToken::Kind::kPattern, R"(\()", "here"}};
  EXPECT_THAT(search(stop),
              Each(IsError(ErrorCode::kInvalidArgument, HasSubstr("here"))));
  EXPECT_EQ(visited, 3);
}

TEST_F(ArchiveReaderTest, UnbornHeadIsToldFromAnUnknownName) {
  MemorySource source = SampleHistory(2);
  source.refs.head_symref = "refs/heads/none";
  source.refs.head_target = {};
  const std::string unborn = dir_ / "unborn.zpack";
  ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                            PosixFileSystem(), unborn, {}),
              IsOk());
  const auto reader = ArchiveReader::Open(unborn, {});
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT((*reader)->Resolve("HEAD"),
              IsError(ErrorCode::kNotFound,
                      HasSubstr("HEAD names 'refs/heads/none', which does "
                                "not exist")));
  EXPECT_THAT(
      (*reader)->Resolve("none"),
      IsError(ErrorCode::kNotFound, HasSubstr("no object or ref 'none'")));
}

TEST_F(ArchiveReaderTest, DamageOfTheIndexIsNotBlamedOnABlock) {
  const auto description = reader_->Describe();
  ASSERT_THAT(description, IsOk());
  const auto ids = std::ranges::find(description->chunks, "OIDP",
                                     &FileDescription::Chunk::id);
  ASSERT_NE(ids, description->chunks.end());
  // A count that no lookup of HEAD reads.
  bytes_[ids->offset + ids->size - 9] ^= 1;
  WriteFile(file_, AsText(bytes_));
  const auto reader = ArchiveReader::Open(file_, {});
  ASSERT_THAT(reader, IsOk());
  WalkOptions all;
  all.refs = WalkRefs::kAll;
  const Status walked = (*reader)->Walk(
      all, [](const WalkedObject&) { return Visit::kContinue; });
  ASSERT_THAT(walked, HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(walked.error().message, Not(HasSubstr("in block")));
  EXPECT_EQ(walked.error().offset, ids->offset);
  // A commit is decoded with the ids of the index.
  const auto head = (*reader)->Resolve("HEAD");
  ASSERT_THAT(head, IsOk());
  const auto commit = (*reader)->Read(*head);
  ASSERT_THAT(commit, HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(commit.error().message, Not(HasSubstr("in block")));
}

TEST_F(ArchiveReaderTest, AnErrorNamesObjectPathAndOffset) {
  const ObjectId unknown(Bytes(20, 0x5a));
  const auto missing = reader_->Read(unknown);
  ASSERT_THAT(missing, HasCode(ErrorCode::kNotFound));
  EXPECT_EQ(missing.error().object, unknown);
  EXPECT_EQ(missing.error().path, file_);
  EXPECT_FALSE(missing.error().offset);

  const auto absent = ArchiveReader::Open(dir_ / "none", {});
  ASSERT_THAT(absent, HasCode(ErrorCode::kNotFound));
  EXPECT_EQ(absent.error().path, dir_ / "none");
}

TEST_F(ArchiveReaderTest, ADamageNamesObjectPathAndOffset) {
  const auto description = reader_->Describe();
  ASSERT_THAT(description, IsOk());
  const FileDescription::Block& block = description->blocks.front();
  bytes_[block.offset + block.size / 2] ^= 0x40;
  WriteFile(file_, AsText(bytes_));
  const auto report = Verify(file_, "", {});
  ASSERT_THAT(report, IsOk());
  std::unordered_set<ObjectId> lost;
  for (const Error& damage : report->damages) {
    EXPECT_EQ(damage.path, file_);
    if (damage.object.empty()) continue;
    EXPECT_EQ(damage.offset, block.offset);
    lost.insert(damage.object);
  }
  EXPECT_EQ(lost.size(), block.object_count);
}

TEST(Version, HeadersAndLibraryAgree) {
  EXPECT_EQ(LibraryVersion(), kHeaderVersion);
  EXPECT_EQ(std::to_string(ZPACK_VERSION_MAJOR) + '.' +
                std::to_string(ZPACK_VERSION_MINOR) + '.' +
                std::to_string(ZPACK_VERSION_PATCH),
            kHeaderVersion);
}

}  // namespace
}  // namespace zpack::testing
