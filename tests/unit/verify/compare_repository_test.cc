// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/compare_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/convert_source.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::IsOk;

// A file, and its source, which changes afterwards.
class CompareRepositoryTest : public ::testing::Test {
 protected:
  CompareRepositoryTest() : source_(testing::SampleHistory(3)) {
    blob_ = source_.AddBlob("not reachable");
    const std::string path = directory_ / "a.zpack";
    EXPECT_THAT(ConvertSource([&](SourceUse) { return source_.Open(); },
                              PosixFileSystem(), path, {}),
                IsOk());
    archive_ = *ArchiveFile::Open(*PosixFileSystem().OpenForRead(path), {});
  }

  VerifyReport Compare(AllowNewer newer) {
    VerifyReport report;
    VerifyOptions options;
    options.allow_newer = newer;
    EXPECT_THAT(CompareWithSource(*archive_, *source_.Open(), options, report),
                IsOk());
    return report;
  }

  // The differences that stay with AllowNewer::kYes.
  std::vector<std::string> NotAccepted() {
    std::vector<std::string> subjects;
    for (const Difference& difference : Compare(AllowNewer::kYes).differences) {
      subjects.push_back(difference.subject);
    }
    return subjects;
  }

  Ref& RefOf(std::string_view name) {
    return *std::ranges::find(source_.refs.refs, name, &Ref::name);
  }

  // A commit on the branch, with nothing else new.
  ObjectId NewCommit() {
    return source_.AddCommit(source_.AddTree({}),
                             {source_.refs.Resolve("HEAD")}, 2000, "new\n");
  }

  testing::TempDir directory_;
  testing::MemorySource source_;
  ObjectId blob_;
  std::unique_ptr<ArchiveFile> archive_;
};

TEST_F(CompareRepositoryTest, NothingDiffersAtFirst) {
  for (const AllowNewer newer : {AllowNewer::kNo, AllowNewer::kYes}) {
    const VerifyReport report = Compare(newer);
    EXPECT_TRUE(report.ok());
    EXPECT_FALSE(report.moved_on.any());
  }
}

TEST_F(CompareRepositoryTest, OnlyWithAllowNewerMayTheSourceHaveGrown) {
  const ObjectId commit = NewCommit();
  RefOf("refs/heads/main").target = commit;
  RefOf("refs/remotes/origin/HEAD").symref_target = "refs/remotes/origin/x";
  source_.AddRef({"refs/heads/new", commit, {}, ""});
  source_.refs.head_symref = "refs/heads/new";
  source_.refs.shallow = {commit};
  EXPECT_EQ(Compare(AllowNewer::kNo).differences.size(), 7U);
  const VerifyReport report = Compare(AllowNewer::kYes);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.moved_on.refs, 5U);
  EXPECT_EQ(report.moved_on.objects, 2U);
}

TEST_F(CompareRepositoryTest, RefsOfTheFileMustExist) {
  std::erase_if(source_.refs.refs,
                [](const Ref& ref) { return ref.name == "refs/heads/other"; });
  EXPECT_THAT(NotAccepted(), ElementsAre("refs/heads/other"));
}

TEST_F(CompareRepositoryTest, ObjectsOfTheFileMustExist) {
  source_.Remove(blob_);
  EXPECT_THAT(NotAccepted(), ElementsAre(blob_.ToHex()));
}

TEST_F(CompareRepositoryTest, WhatAMovedRefPointedAtMustExist) {
  const ObjectId tag = RefOf("refs/tags/v1").target;
  RefOf("refs/tags/v1") = {"refs/tags/v1", NewCommit(), {}, ""};
  EXPECT_THAT(NotAccepted(), IsEmpty());
  source_.Remove(tag);
  EXPECT_THAT(NotAccepted(), ElementsAre("refs/tags/v1", tag.ToHex()));
}

TEST_F(CompareRepositoryTest, WhatADetachedHeadPointedAtMustExist) {
  source_.refs.head_symref.clear();
  source_.refs.head_target = blob_;
  const std::string path = directory_ / "b.zpack";
  ASSERT_THAT(ConvertSource([&](SourceUse) { return source_.Open(); },
                            PosixFileSystem(), path, {}),
              IsOk());
  archive_ = *ArchiveFile::Open(*PosixFileSystem().OpenForRead(path), {});
  source_.refs.head_target = NewCommit();
  EXPECT_THAT(NotAccepted(), IsEmpty());
  source_.Remove(blob_);
  EXPECT_THAT(NotAccepted(), ElementsAre("HEAD", blob_.ToHex()));
}

TEST_F(CompareRepositoryTest, PeeledValuesMustBeTheSame) {
  RefOf("refs/tags/v1").peeled = ObjectId();
  EXPECT_THAT(NotAccepted(), ElementsAre("refs/tags/v1"));
}

TEST_F(CompareRepositoryTest, ABlockThatCannotBeDecodedIsLeftToOtherChecks) {
  const std::string path = directory_ / "a.zpack";
  std::string bytes = testing::ReadFile(path);
  const FileBlocks& blocks = archive_->blocks();
  bytes[blocks.block_offset(0) + blocks.block_stored_size(0) - 1] ^= 1;
  testing::WriteFile(path, bytes);
  archive_ = *ArchiveFile::Open(*PosixFileSystem().OpenForRead(path), {});
  EXPECT_TRUE(Compare(AllowNewer::kNo).ok());
}

TEST_F(CompareRepositoryTest, ObjectsMustHaveTheSameTypeAndSize) {
  source_.AddAs(blob_, ObjectType::kBlob, "another size");
  EXPECT_THAT(NotAccepted(), ElementsAre(blob_.ToHex()));
}

}  // namespace
}  // namespace zpack
