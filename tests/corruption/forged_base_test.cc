// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --base' with an older file whose checksums are right and whose
// content is not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/convert_source.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ForgedBaseTest : public ::testing::Test {
 protected:
  ForgedBaseTest()
      : source_(SampleHistory(5)), path_(dir_ / "new"), base_(dir_ / "base") {
    blob_ = source_.AddBlob("what the blob should be");
  }

  Result<ConvertStats> Convert(MemorySource& source, const std::string& path,
                               const ConvertOptions& options) {
    return ConvertSource([&](SourceUse) { return source.Open(); },
                         PosixFileSystem(), path, options);
  }

  // Writes the older file; `id` has another content there.
  void ForgeBase(const ObjectId& id, ObjectType type) {
    MemorySource forged = source_;
    forged.AddAs(id, type, "what somebody made of it");
    ConvertOptions options;
    options.read_back = ReadBack::kNo;
    ASSERT_THAT(Convert(forged, base_, options), IsOk());
    options_.base = base_;
  }

  TempDir dir_;
  MemorySource source_;
  std::string path_;
  std::string base_;
  ObjectId blob_;
  ConvertOptions options_;
};

TEST_F(ForgedBaseTest, ContentThatDoesNotHashToItsIdIsNotCopied) {
  ForgeBase(blob_, ObjectType::kBlob);
  EXPECT_THAT(Convert(source_, path_, options_),
              IsError(ErrorCode::kCorrupt, AllOf(HasSubstr("'" + base_ + "'"),
                                                 HasSubstr(blob_.ToHex()))));
  EXPECT_THAT(ListDirectory(dir_.path()), ::testing::ElementsAre("base"));
}

TEST_F(ForgedBaseTest, ASoundBaseIsNotBlamedForACorruptSource) {
  ASSERT_THAT(Convert(source_, base_, {}), IsOk());
  options_.base = base_;
  const ObjectId added = source_.AddBlob("what the new blob should be");
  source_.AddAs(added, ObjectType::kBlob, "what a disk made of it");
  EXPECT_THAT(Convert(source_, path_, options_),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr(added.ToHex())));
}

TEST_F(ForgedBaseTest, TrustedContentIsCopiedAndNotCalledVerified) {
  ForgeBase(blob_, ObjectType::kBlob);
  options_.trust_base = TrustBase::kYes;
  const auto stats = Convert(source_, path_, options_);
  ASSERT_THAT(stats, IsOk());
  EXPECT_GT(stats->unverified_objects, 0U);
  EXPECT_EQ(stats->unverified_objects, stats->reused.objects);
}

TEST_F(ForgedBaseTest, UpdateDoesNotCallAForgedFileUnchanged) {
  ForgeBase(blob_, ObjectType::kBlob);
  options_.base.reset();
  options_.update = Update::kYes;
  EXPECT_THAT(Convert(source_, base_, options_),
              IsError(ErrorCode::kCorrupt, AllOf(HasSubstr("'" + base_ + "'"),
                                                 HasSubstr(blob_.ToHex()))));
  // Whoever trusts the file learns that its objects were not hashed.
  options_.trust_base = TrustBase::kYes;
  const auto stats = Convert(source_, base_, options_);
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->update, UpdateResult::kUnchanged);
  EXPECT_EQ(stats->unverified_objects, stats->objects());
}

TEST_F(ForgedBaseTest, UpdateHasNoOtherBase) {
  ASSERT_THAT(Convert(source_, base_, {}), IsOk());
  options_.base = base_;
  options_.update = Update::kYes;
  EXPECT_THAT(Convert(source_, path_, options_),
              IsError(ErrorCode::kInvalidArgument, HasSubstr(base_)));
}

TEST_F(ForgedBaseTest, CopiedObjectsOfASoundFileAreVerified) {
  ASSERT_THAT(Convert(source_, base_, {}), IsOk());
  options_.base = base_;
  const auto stats = Convert(source_, path_, options_);
  ASSERT_THAT(stats, IsOk());
  EXPECT_GT(stats->reused.objects, 0U);
  EXPECT_EQ(stats->unverified_objects, 0U);
}

TEST_F(ForgedBaseTest, WithoutReadBackNothingIsVerified) {
  options_.read_back = ReadBack::kNo;
  const auto stats = Convert(source_, path_, options_);
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->unverified_objects, stats->objects());
}

}  // namespace
}  // namespace zpack::testing
