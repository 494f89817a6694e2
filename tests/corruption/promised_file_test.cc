// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of partial clones whose list of promised objects contradicts the rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/promises_chunk.h"
#include "support/hostile_file.h"
#include "support/sample_file.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class PromisedFileTest : public ::testing::Test {
 protected:
  PromisedFileTest() {
    MemorySource source = SamplePartialClone();
    file_ = HostileFile(FileOf(source));
    promises_ = *format::DecodePromises(chunk().payload, ObjectFormat::kSha1);
  }

  HostileFile::Chunk& chunk() { return file_.extra.front(); }
  // Makes the list that of `ids`.
  void Promise(Bytes ids) {
    promises_.ids =
        *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
    chunk().payload.clear();
    format::Encode(promises_, chunk().payload);
  }
  std::string Damage(VerifyLevel level = VerifyLevel::kConnectivity) const {
    return FirstDamage(file_.Build(), level);
  }

  HostileFile file_;
  Promises promises_;
};

TEST_F(PromisedFileTest, IsConnectedUpToPromisedObjects) {
  EXPECT_EQ(chunk().id, format::kPromisesChunk);
  EXPECT_GT(promises_.ids.size(), 1U);
  EXPECT_EQ(Damage(), "");
}

TEST_F(PromisedFileTest, AMissingObjectThatIsNotPromisedIsDamage) {
  const ObjectId lost = promises_.ids[0];
  const ByteView ids = promises_.ids.bytes();
  Promise(Bytes(ids.begin() + 20, ids.end()));
  EXPECT_EQ(Damage(VerifyLevel::kObjects), "");
  EXPECT_THAT(Damage(), AllOf(HasSubstr(lost.ToHex()), HasSubstr("missing")));
}

TEST_F(PromisedFileTest, APromisedObjectIsNotInTheFile) {
  Bytes ids(promises_.ids.bytes().begin(), promises_.ids.bytes().end());
  Append(ids, file_.ids.front().bytes());
  Promise(std::move(ids));
  EXPECT_THAT(
      Damage(VerifyLevel::kStructure),
      AllOf(HasSubstr(file_.ids.front().ToHex()),
            HasSubstr("both promised and in the file"), HasSubstr("offset")));
}

TEST_F(PromisedFileTest, FeatureAndChunkNeedEachOther) {
  HostileFile without = file_;
  without.extra.clear();
  EXPECT_THAT(FirstDamage(without.Build(), VerifyLevel::kStructure),
              HasSubstr("feature 'promised' without chunk 'PROM'"));
  std::erase(file_.header.required_features, "promised");
  EXPECT_THAT(Damage(VerifyLevel::kStructure),
              HasSubstr("chunk 'PROM' without feature 'promised'"));
}

TEST_F(PromisedFileTest, ADamagedListNamesItsPlace) {
  chunk().payload.back() ^= 1;
  chunk().payload.pop_back();
  EXPECT_THAT(Damage(VerifyLevel::kStructure),
              AllOf(HasSubstr("in list of promised objects at offset "),
                    HasSubstr(" of '")));
}

}  // namespace
}  // namespace zpack::testing
