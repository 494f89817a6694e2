// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Nothing of an object that does not hash to its id reaches the output,
// however it is stored and however large it is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "read/content_writer.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using cli::ContentWriter;
using cli::LargeContent;
using format::StreamKind;
using ::testing::HasSubstr;

class CatFileDamageTest : public ::testing::Test {
 protected:
  CatFileDamageTest() {
    good_ = hostile_.ids[hostile_.AddObjects(ObjectType::kBlob, {text_})];
    good_segments_ =
        hostile_.ids[hostile_.AddSegments(ObjectType::kBlob, large_, 4096)];
    const uint32_t whole = hostile_.AddObjects(ObjectType::kBlob, {Bytes{1}});
    const uint32_t segments = hostile_.AddSegments(
        ObjectType::kBlob, Repeated('y', large_.size()), 4096);
    const uint32_t delta = hostile_.Add(
        {format::BlockKind::kDeltas, ObjectType::kBlob, ObjectNumber(0), 0, 0},
        {{StreamKind::kSizes, Varints({text_.size()})},
         {StreamKind::kBases, Varints({0})},
         {StreamKind::kLiteralLengths, {}},
         {StreamKind::kCopyLengths, {}},
         {StreamKind::kCopyOffsets, {}},
         {StreamKind::kLiterals, text_}},
        1);
    for (const uint32_t number : {whole, segments, delta}) {
      hostile_.ids[number] = hostile_.MadeUpId(number);
      damaged_.push_back(hostile_.ids[number]);
    }
    const Bytes bytes = hostile_.Build();
    WriteFile(file_, std::string(bytes.begin(), bytes.end()));
  }

  // What is written of an object where at most `held` bytes are held in memory.
  Status Write(const ObjectId& id, uint64_t held, LargeContent large) {
    ReadOptions options;
    options.cache_size = held;
    const auto reader = ArchiveReader::Open(file_, options);
    if (!reader) return std::unexpected(reader.error());
    const auto info = (*reader)->ReadInfo(id);
    if (!info) return std::unexpected(info.error());
    out_.str("");
    return ContentWriter(**reader, held, large, out_).Write(id, *info, "head ");
  }

  const Bytes text_ = {'t', 'e', 'x', 't', '\n'};
  const Bytes large_ = Repeated('x', 10000);
  TempDir dir_;
  std::string file_ = dir_ / "a.zpack";
  HostileFile hostile_;
  ObjectId good_;
  ObjectId good_segments_;
  std::vector<ObjectId> damaged_;
  std::ostringstream out_;
};

TEST_F(CatFileDamageTest, NothingOfADamagedObjectIsPrinted) {
  for (const ObjectId& id : damaged_) {
    const ProcessResult result =
        RunZpack({"cat-file", "-p", file_, id.ToHex()});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("hashes to"));
  }
}

TEST_F(CatFileDamageTest, ABatchEndsBeforeADamagedObject) {
  for (const ObjectId& id : damaged_) {
    ProcessOptions options;
    options.input = good_.ToHex() + '\n' + id.ToHex() + '\n';
    const ProcessResult result =
        RunZpack({"cat-file", "--batch", file_}, options);
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.out, good_.ToHex() + " blob 5\ntext\n\n");
  }
}

TEST_F(CatFileDamageTest, WhatIsNotHeldIsSpooledUntilItsHashIsKnown) {
  const std::string whole = "head " + std::string(large_.size(), 'x');
  for (const uint64_t held : {0, 9999, 10000}) {
    ASSERT_THAT(Write(good_segments_, held, LargeContent::kSpool), IsOk());
    EXPECT_EQ(out_.str(), whole);
    ASSERT_THAT(Write(good_segments_, held, LargeContent::kStream), IsOk());
    EXPECT_EQ(out_.str(), whole);
    for (const ObjectId& id : damaged_) {
      EXPECT_THAT(Write(id, held, LargeContent::kSpool),
                  HasCode(ErrorCode::kCorrupt));
      EXPECT_EQ(out_.str(), "") << held;
    }
  }
}

TEST_F(CatFileDamageTest, OnlyAStreamOfALargeObjectIsPrintedUnverified) {
  EXPECT_THAT(Write(damaged_[1], 9999, LargeContent::kStream),
              HasCode(ErrorCode::kCorrupt));
  EXPECT_EQ(out_.str(), "head " + std::string(large_.size(), 'y'));
  EXPECT_THAT(Write(damaged_[1], 10000, LargeContent::kStream),
              HasCode(ErrorCode::kCorrupt));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(CatFileDamageTest, ASpoolThatCannotBeMadeIsNamed) {
  setenv("TMPDIR", "/does/not/exist", 1);
  const Status status = Write(good_segments_, 0, LargeContent::kSpool);
  unsetenv("TMPDIR");
  EXPECT_THAT(status,
              IsError(ErrorCode::kIo,
                      HasSubstr("temporary file in '/does/not/exist'")));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(CatFileDamageTest, CallersMayHashObjectsThemselves) {
  ReadOptions options;
  options.hash_objects = false;
  const auto reader = ArchiveReader::Open(file_, options);
  ASSERT_TRUE(reader);
  for (const ObjectId& id : damaged_) {
    const auto object = (*reader)->Read(id);
    ASSERT_TRUE(object) << object.error().message;
    const auto info = (*reader)->ReadInfo(id);
    ASSERT_TRUE(info);
    EXPECT_EQ(object->content.size(), info->size);
  }
}

}  // namespace
}  // namespace zpack::testing
