// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files whose list of lost objects is damaged, or contradicts the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "format/lost_chunk.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LostFileTest : public ::testing::Test {
 protected:
  LostFileTest() {
    file_ = HostileFile(FileWithLosses());
    lost_ = *format::DecodeLostObjects(chunk().payload, ObjectFormat::kSha1);
  }

  HostileFile::Chunk& chunk() { return file_.extra.front(); }
  // Makes the list that of `ids`.
  void Lose(Bytes ids) {
    lost_.ids =
        *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
    lost_.types.resize(lost_.ids.size());
    chunk().payload.clear();
    format::Encode(lost_, chunk().payload);
  }
  std::string Damage(VerifyLevel level = VerifyLevel::kConnectivity) const {
    return FirstDamage(file_.Build(), level);
  }
  // The file opens although its list cannot be used.
  void ExpectOpens() const {
    const auto archive = ArchiveFile::Open(
        std::make_unique<MemoryFile>(file_.Build()), ReadOptions{});
    ASSERT_THAT(archive, IsOk());
    EXPECT_THAT((*archive)->lost(), HasCode(ErrorCode::kCorrupt));
  }

  HostileFile file_;
  LostObjects lost_;
};

TEST_F(LostFileTest, IsConnectedUpToLostObjects) {
  EXPECT_EQ(chunk().id, format::kLostChunk);
  EXPECT_EQ(chunk().flags, 0U);
  EXPECT_GT(lost_.ids.size(), 1U);
  EXPECT_EQ(Damage(), "");
}

TEST_F(LostFileTest, AMissingObjectThatIsNotListedIsDamage) {
  const ObjectId lost = lost_.ids[0];
  const ByteView ids = lost_.ids.bytes();
  Lose(Bytes(ids.begin() + 20, ids.end()));
  EXPECT_EQ(Damage(VerifyLevel::kObjects), "");
  EXPECT_THAT(Damage(), AllOf(HasSubstr(lost.ToHex()), HasSubstr("missing")));
}

// As a reader sees it that does not know the list.
TEST_F(LostFileTest, WithoutTheListEverythingElseIsTheSame) {
  file_.extra.clear();
  EXPECT_EQ(Damage(VerifyLevel::kObjects), "");
  EXPECT_THAT(Damage(), HasSubstr("missing"));
}

TEST_F(LostFileTest, ALostObjectIsNotInTheFile) {
  Bytes ids(lost_.ids.bytes().begin(), lost_.ids.bytes().end());
  Append(ids, file_.ids.front().bytes());
  Lose(std::move(ids));
  EXPECT_THAT(
      Damage(VerifyLevel::kStructure),
      AllOf(HasSubstr(file_.ids.front().ToHex()),
            HasSubstr("both lost and in the file"), HasSubstr("offset")));
  ExpectOpens();
}

TEST_F(LostFileTest, ADamagedListNamesItsPlaceAndKeepsNothingFromBeingRead) {
  chunk().payload.pop_back();
  for (const VerifyLevel level :
       {VerifyLevel::kStructure, VerifyLevel::kChecksums, VerifyLevel::kObjects,
        VerifyLevel::kConnectivity}) {
    EXPECT_THAT(
        Damages(file_.Build(), level),
        ElementsAre(AllOf(HasSubstr("in list of lost objects at offset "),
                          HasSubstr(" of '"))));
  }
  ExpectOpens();
}

// One error, not one of the checksum and one of the list.
TEST_F(LostFileTest, AWrongChecksumIsOneError) {
  Bytes bytes = file_.Build();
  const ObjectId id = lost_.ids[0];
  // The id stands in a tree before it stands in the list.
  const auto at = std::ranges::find_end(bytes, id.bytes());
  ASSERT_FALSE(at.empty());
  at.front() ^= 1;
  EXPECT_THAT(Damages(bytes, VerifyLevel::kStructure), SizeIs(1));
  EXPECT_THAT(Damages(bytes, VerifyLevel::kChecksums), SizeIs(2));  // and hash
}

// A list that takes more room than the reader allows is not read.
TEST_F(LostFileTest, AListAboveTheLimitIsNotLoaded) {
  Bytes ids;
  for (uint64_t i = 0; i < 20000; ++i) {
    Append(ids, file_.MadeUpId(i).bytes());
  }
  Lose(std::move(ids));
  ReadOptions options;
  options.max_chunk_size = 400000;
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(file_.Build()), options);
  ASSERT_THAT(archive, IsOk());
  EXPECT_THAT((*archive)->lost(), HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack::testing
