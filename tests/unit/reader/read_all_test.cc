// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"
#include "zpack/archive_reader.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using testing::HostileFile;
using testing::IsOk;
using testing::Repeated;
using ::testing::SizeIs;

class ReadAllTest : public ::testing::Test {
 protected:
  // Three blocks of one object each, and one object in segments of 40 kB.
  ReadAllTest() {
    for (uint8_t block = 0; block < 3; ++block) {
      file_.AddObjects(ObjectType::kBlob, {Repeated(block, 10)});
    }
    file_.AddSegments(ObjectType::kBlob, Repeated('x', 40'000), 10'000);
    options_.threads = 2;
  }

  void Open(const ReadOptions& read = {}) {
    const Bytes bytes = file_.Build();
    const std::string path = dir_ / "a.zpack";
    testing::WriteFile(path, std::string(AsText(bytes)));
    auto reader = ArchiveReader::Open(path, read);
    ASSERT_THAT(reader, IsOk());
    reader_ = *std::move(reader);
  }

  Status Read() {
    return reader_->ReadAll(options_, [&](const ObjectView& object) {
      seen_.push_back(object.id);
      if (!object.content) without_content_.push_back(object.id);
      return Visit::kContinue;
    });
  }

  testing::TempDir dir_;
  HostileFile file_;
  BulkOptions options_;
  std::unique_ptr<ArchiveReader> reader_;
  std::vector<ObjectId> seen_;
  std::vector<ObjectId> without_content_;
};

TEST_F(ReadAllTest, TheFirstDamagedObjectEndsIt) {
  const ObjectId good = file_.ids[0];
  file_.ids[1] = file_.MadeUpId(1);
  file_.ids[2] = file_.MadeUpId(2);
  Open();
  const Status read = Read();
  EXPECT_THAT(read, HasCode(ErrorCode::kCorrupt));
  EXPECT_EQ(read.error().object, file_.ids[1]);
  EXPECT_THAT(seen_, ElementsAre(good));
}

TEST_F(ReadAllTest, DamagedObjectsArePassedOnIfTheCallerWantsThem) {
  file_.ids[1] = file_.MadeUpId(1);
  Open();
  std::vector<ObjectId> damaged;
  options_.on_error = [&](const ObjectId& id, const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::kCorrupt);
    damaged.push_back(id);
    return Visit::kContinue;
  };
  EXPECT_THAT(Read(), IsOk());
  EXPECT_THAT(damaged, ElementsAre(file_.ids[1]));
  EXPECT_THAT(seen_, SizeIs(3));
  options_.on_error = [](const ObjectId&, const Error&) {
    return Visit::kStop;
  };
  seen_.clear();
  EXPECT_THAT(Read(), IsOk());
  EXPECT_THAT(seen_, SizeIs(1));
}

TEST_F(ReadAllTest, AVisitorMayStopIt) {
  Open();
  int visits = 0;
  EXPECT_THAT(reader_->ReadAll(options_,
                               [&](const ObjectView&) {
                                 ++visits;
                                 return Visit::kStop;
                               }),
              IsOk());
  EXPECT_EQ(visits, 1);
}

TEST_F(ReadAllTest, ARequestedStopIsAnError) {
  Open();
  std::stop_source stop;
  stop.request_stop();
  options_.stop = stop.get_token();
  EXPECT_THAT(Read(), HasCode(ErrorCode::kInterrupted));
}

TEST_F(ReadAllTest, ObjectsAboveALimitComeWithoutContents) {
  ReadOptions read;
  read.max_object_size = 30'000;
  Open(read);
  EXPECT_THAT(Read(), IsOk());
  EXPECT_THAT(seen_, SizeIs(4));
  EXPECT_THAT(without_content_, ElementsAre(file_.ids[3]));
}

}  // namespace
}  // namespace zpack
