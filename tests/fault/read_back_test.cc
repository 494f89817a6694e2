// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a disk may store instead of a new pack is found when it is read back.

#include "repack/read_back.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/deflate.h"
#include "object/object_hasher.h"
#include "pack/pack_writer.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::ReadFile;
using testing::WriteFile;

constexpr int kObjects = 5;

class ReadBackTest : public ::testing::Test {
 protected:
  ReadBackTest() {
    writer_ = *PackWriter::Create(ObjectFormat::kSha1, PosixFileSystem(),
                                  dir_.path(), kObjects);
    Deflater deflater(9);
    ObjectHasher hasher(ObjectFormat::kSha1);
    Bytes ids;
    for (int i = 0; i < kObjects; ++i) {
      const std::string content = "content " + std::to_string(i);
      Bytes stream;
      deflater.Deflate(AsBytes(content), stream);
      const ObjectId id = hasher.Hash(ObjectType::kBlob, AsBytes(content));
      EXPECT_THAT(writer_->Add(id, {ObjectType::kBlob, content.size()}, stream),
                  IsOk());
      Append(ids, id.bytes());
    }
    ids_ = *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
    EXPECT_THAT(writer_->Finish(), IsOk());
  }

  Status Verify() const {
    return VerifyPack(writer_->temporary_pack(), writer_->temporary_index(),
                      ids_, RunOptions{}, PosixFileSystem());
  }

  testing::TempDir dir_;
  std::unique_ptr<PackWriter> writer_;
  PackIds ids_;
};

TEST_F(ReadBackTest, AcceptsWhatWasWritten) { EXPECT_THAT(Verify(), IsOk()); }

TEST_F(ReadBackTest, FindsEveryWrongChecksumInTheIndex) {
  constexpr size_t kChecksums = 8 + 256 * 4 + kObjects * 20;
  const std::string index = ReadFile(writer_->temporary_index());
  for (size_t at = kChecksums; at < kChecksums + kObjects * 4; ++at) {
    std::string damaged = index;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(writer_->temporary_index(), damaged);
    EXPECT_THAT(Verify(), HasCode(ErrorCode::kCorrupt)) << at;
  }
}

TEST_F(ReadBackTest, FindsEveryWrongByteOfThePack) {
  constexpr size_t kHash = 20;
  const std::string pack = ReadFile(writer_->temporary_pack());
  for (size_t at = 0; at + kHash < pack.size(); ++at) {
    std::string damaged = pack;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(writer_->temporary_pack(), damaged);
    EXPECT_FALSE(Verify()) << at;
  }
}

}  // namespace
}  // namespace zpack
