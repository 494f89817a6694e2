// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A source that changes while it is converted: an error that says so and an
// untouched destination when the result could be stale, success when only the
// place of objects has changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "api/convert_source.h"
#include "git/repository_source.h"
#include "support/matchers.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using testing::RepoBuilder;
using testing::TempDir;

// Passes everything on, and calls `after_list` when the objects were listed.
class HookedSource final : public ObjectSource {
 public:
  HookedSource(std::unique_ptr<ObjectSource> source,
               std::function<void()> after_list)
      : source_(std::move(source)), after_list_(std::move(after_list)) {}

  const std::string& path() const override { return source_->path(); }
  ObjectFormat object_format() const override {
    return source_->object_format();
  }
  Result<ObjectIdTable> ListObjects() override {
    Result<ObjectIdTable> ids = source_->ListObjects();
    if (after_list_) after_list_();
    return ids;
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    return source_->ReadInfo(id);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    return source_->Read(id, content);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    return source_->Open(id);
  }
  Result<RefsSnapshot> ReadRefs() override { return source_->ReadRefs(); }
  Result<std::vector<ObjectId>> ListOtherTips() override {
    return source_->ListOtherTips();
  }
  uint64_t PackedBytes() override { return source_->PackedBytes(); }
  bool IsPartialClone() override { return source_->IsPartialClone(); }

 private:
  std::unique_ptr<ObjectSource> source_;
  std::function<void()> after_list_;
};

class SourceChangeTest : public ::testing::Test {
 protected:
  SourceChangeTest()
      : repo_(dir_ / "repo"), tip_(repo_.History(4)), file_(dir_ / "x.zpack") {
    testing::WriteFile(file_, "the old file");
    options_.overwrite = Overwrite::kYes;
  }

  // Converts; `while_reading` runs after the first listing of objects, and
  // `before_check` before the source is opened for the second time.
  Result<ConvertStats> ConvertWhile(std::function<void()> while_reading,
                                    std::function<void()> before_check) {
    return ConvertSource(
        [&](SourceUse use) -> Result<std::unique_ptr<ObjectSource>> {
          const bool first = use == SourceUse::kConvert;
          if (!first && before_check) before_check();
          auto source = OpenRepository(repo_.path());
          if (!source) return source;
          return std::make_unique<HookedSource>(
              *std::move(source), first ? while_reading : nullptr);
        },
        PosixFileSystem(), file_, options_);
  }

  void ExpectRefused(const std::function<void()>& change,
                     const std::string& why) {
    EXPECT_THAT(ConvertWhile(nullptr, change),
                IsError(ErrorCode::kSourceCorrupt, HasSubstr(why)));
    EXPECT_EQ(testing::ReadFile(file_), "the old file");
    EXPECT_THAT(testing::ListDirectory(dir_.path()),
                ::testing::ElementsAre("repo", "x.zpack"));
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string file_;
  ConvertOptions options_;
};

TEST_F(SourceChangeTest, UnchangedSourceReplacesTheOldFile) {
  EXPECT_THAT(ConvertWhile(nullptr, nullptr), IsOk());
  EXPECT_NE(testing::ReadFile(file_), "the old file");
}

TEST_F(SourceChangeTest, ObjectThatAppearsIsNoticed) {
  ExpectRefused([&] { repo_.WriteBlob("new"); },
                "object " + testing::HashObject("blob", "new") + " appeared");
}

TEST_F(SourceChangeTest, ObjectThatVanishesIsNoticed) {
  const std::string id = repo_.WriteBlob("unreachable");
  ExpectRefused([&] { fs::remove(repo_.LooseObjectPath(id)); },
                "object " + id + " vanished");
}

TEST_F(SourceChangeTest, RefThatMovesIsNoticed) {
  ExpectRefused(
      [&] {
        repo_.SetRef("refs/heads/main", repo_.Git({"rev-parse", "main~"}));
      },
      "changed while it was converted: ref 'refs/heads/main'");
}

TEST_F(SourceChangeTest, RefThatAppearsIsNoticed) {
  ExpectRefused([&] { repo_.SetRef("refs/heads/new", tip_); },
                "ref 'refs/heads/new' is missing");
}

TEST_F(SourceChangeTest, RefThatVanishesIsNoticed) {
  repo_.SetRef("refs/heads/old", tip_);
  ExpectRefused([&] { fs::remove(repo_.path() + "/refs/heads/old"); },
                "ref 'refs/heads/old' is not in the repository");
}

TEST_F(SourceChangeTest, HeadThatMovesIsNoticed) {
  ExpectRefused(
      [&] { testing::WriteFile(repo_.path() + "/HEAD", tip_ + '\n'); },
      "HEAD is symbolic ref to 'refs/heads/main', it should be detached");
}

TEST_F(SourceChangeTest, ShallowBoundaryThatAppearsIsNoticed) {
  ExpectRefused(
      [&] { testing::WriteFile(repo_.path() + "/shallow", tip_ + '\n'); },
      "shallow boundary " + tip_);
}

TEST_F(SourceChangeTest, SourceThatVanishesIsNoticed) {
  EXPECT_THAT(ConvertWhile(nullptr, [&] { fs::remove_all(repo_.path()); }),
              testing::HasCode(ErrorCode::kNotFound));
  EXPECT_EQ(testing::ReadFile(file_), "the old file");
}

TEST_F(SourceChangeTest, ObjectThatVanishesBeforeItIsReadIsNamed) {
  const std::string blob = repo_.Git({"rev-parse", "main:counter"});
  EXPECT_THAT(
      ConvertWhile([&] { fs::remove(repo_.LooseObjectPath(blob)); }, nullptr),
      IsError(ErrorCode::kSourceCorrupt, HasSubstr(blob)));
  EXPECT_EQ(testing::ReadFile(file_), "the old file");
}

TEST_F(SourceChangeTest, NewUnreachableObjectDoesNotMatterForReachable) {
  options_.objects = ObjectSet::kReachable;
  EXPECT_THAT(ConvertWhile(nullptr, [&] { repo_.WriteBlob("new"); }), IsOk());
}

TEST_F(SourceChangeTest, RepackingAtTheEndDoesNotMatter) {
  EXPECT_THAT(ConvertWhile(nullptr, [&] { repo_.PackAll(); }), IsOk());
}

TEST_F(SourceChangeTest, LooseObjectsMayMoveIntoAPackWhileTheyAreRead) {
  EXPECT_THAT(ConvertWhile([&] { repo_.PackAll(); }, nullptr), IsOk());
  EXPECT_EQ(
      testing::RunZpack({"verify", "-q", "--against", repo_.path(), file_})
          .exit_code,
      0);
}

// What is listed is what is there when it is listed, wherever that is by then.
TEST_F(SourceChangeTest, ObjectsMayBePackedBetweenOpeningAndListing) {
  repo_.Git({"repack", "-q", "-d"});
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("more", {tip_}));
  const auto source = OpenRepository(repo_.path());
  ASSERT_THAT(source, IsOk());
  const std::string pushed =
      repo_.SimpleCommit("pushed", {repo_.Git({"rev-parse", "main"})});
  repo_.SetRef("refs/heads/main", pushed);
  repo_.Git({"repack", "-q", "-d"});
  ASSERT_FALSE(fs::exists(repo_.LooseObjectPath(pushed)));
  const auto ids = (*source)->ListObjects();
  ASSERT_THAT(ids, IsOk());
  EXPECT_EQ(ids->size(),
            testing::SplitLines(
                repo_.Git({"cat-file", "--batch-check", "--batch-all-objects"}))
                .size());
  EXPECT_TRUE(ids->Find(*ObjectId::FromHex(pushed)));
}

TEST_F(SourceChangeTest, PackDirectoryThatCannotBeReadIsAnError) {
  repo_.PackAll();
  const auto source = OpenRepository(repo_.path());
  ASSERT_THAT(source, IsOk());
  const std::string packs = repo_.path() + "/objects/pack";
  fs::rename(packs, packs + ".old");
  testing::WriteFile(packs, "a file");
  EXPECT_THAT((*source)->ListObjects(),
              IsError(ErrorCode::kIo, HasSubstr(packs)));
}

TEST_F(SourceChangeTest, PacksMayBeReplacedWhileTheyAreRead) {
  repo_.Git({"repack", "-q", "-d"});
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("more", {tip_}));
  repo_.Git({"repack", "-q", "-d"});
  EXPECT_THAT(
      ConvertWhile([&] { repo_.Git({"repack", "-q", "-a", "-d"}); }, nullptr),
      IsOk());
  EXPECT_EQ(
      testing::RunZpack({"verify", "-q", "--against", repo_.path(), file_})
          .exit_code,
      0);
}

TEST_F(SourceChangeTest, RefsMayBePackedWhileObjectsAreRead) {
  repo_.SetRef("refs/tags/t", tip_);
  EXPECT_THAT(ConvertWhile([&] { repo_.Git({"pack-refs", "--all"}); }, nullptr),
              IsOk());
}

}  // namespace
}  // namespace zpack
