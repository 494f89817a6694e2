// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/loose_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/posix_file_system.h"
#include "object/object_hasher.h"
#include "object/object_source.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;

// An object whose content cannot be read.
class LostContent final : public ObjectStream {
 public:
  const ObjectInfo& info() const override { return info_; }
  Status Read(std::span<uint8_t> /*out*/) override {
    return MakeError(ErrorCode::kIo, "cannot be read");
  }

 private:
  ObjectInfo info_{ObjectType::kBlob, 1};
};

class SourceOfLostContent final : public ObjectSource {
 public:
  const std::string& path() const override { return path_; }
  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<ObjectIdTable> ListObjects() override { return ObjectIdTable(); }
  Result<ObjectInfo> ReadInfo(const ObjectId& /*id*/) override {
    return LostContent().info();
  }
  Result<ObjectType> Read(const ObjectId& /*id*/, Bytes& /*content*/) override {
    return MakeError(ErrorCode::kIo, "cannot be read");
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& /*id*/) override {
    return std::make_unique<LostContent>();
  }
  Result<RefsSnapshot> ReadRefs() override { return RefsSnapshot(); }
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return std::vector<TipGroup>();
  }
  uint64_t PackedBytes() override { return 0; }
  bool IsPartialClone() override { return false; }

 private:
  std::string path_ = "lost";
};

TEST(LooseWriter, ContentThatCannotBeReadIsNotCalledWrong) {
  const testing::TempDir directory;
  const SharedMode shared;
  const LooseWriter writer{ObjectFormat::kSha1, PosixFileSystem(),
                           directory.path(), shared};
  const ObjectId id =
      ObjectHasher(ObjectFormat::kSha1).Hash(ObjectType::kBlob, AsBytes("x"));
  SourceOfLostContent source;
  EXPECT_THAT(writer.Write(source, id, 1), HasCode(ErrorCode::kIo));
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(directory.path())) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
}

}  // namespace
}  // namespace zpack
