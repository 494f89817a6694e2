// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A source that changes while it is converted: the file is the source as it was
// when it was listed, what it gained is reported, and what it lost is an error
// with an untouched destination.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "base/error.h"
#include "convert/convert_source.h"
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
class HookedSource : public ObjectSource {
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
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return source_->ListOtherTips();
  }
  Result<ListedFiles> ListFiles(std::span<const std::string> others) override {
    return source_->ListFiles(others);
  }
  Result<std::unique_ptr<FileStream>> OpenFile(
      const ListedFile& file) override {
    return source_->OpenFile(file);
  }
  uint64_t PackedBytes() override { return source_->PackedBytes(); }
  bool IsPartialClone() override { return source_->IsPartialClone(); }

 private:
  std::unique_ptr<ObjectSource> source_;
  std::function<void()> after_list_;
};

// Lists nothing, and says that objects are there, or are not.
class ShortList final : public HookedSource {
 public:
  ShortList(std::unique_ptr<ObjectSource> source, bool is_there)
      : HookedSource(std::move(source), nullptr), is_there_(is_there) {}
  Result<ObjectIdTable> ListObjects() override {
    return ObjectIdTable::FromUnsorted(object_format(), Bytes());
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    if (!is_there_) return MakeError(ErrorCode::kNotFound, "no such object");
    return HookedSource::ReadInfo(id);
  }

 private:
  bool is_there_;
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

  // Converts, and `change` happens before the check at the end: the file is
  // that of the source as it was before, and what was gained is reported.
  void ExpectSnapshot(const std::function<void()>& change, uint64_t refs,
                      uint64_t objects) {
    const testing::RepositoryState before = testing::ReadState(repo_.path());
    const auto stats = ConvertWhile(nullptr, change);
    ASSERT_THAT(stats, IsOk());
    EXPECT_EQ(stats->moved_on.refs, refs);
    EXPECT_EQ(stats->moved_on.objects, objects);
    EXPECT_EQ(Restored(), before);
  }

  // What the file holds.
  testing::RepositoryState Restored() {
    EXPECT_TRUE(
        testing::RunZpack({"restore", "-q", "-f", file_, dir_ / "r.git"}).ok());
    return testing::ReadState(dir_ / "r.git");
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

TEST_F(SourceChangeTest, ObjectThatAppearsIsReportedAndNotIncluded) {
  ExpectSnapshot([&] { repo_.WriteBlob("new"); }, 0, 1);
}

TEST_F(SourceChangeTest, PushIsReportedAndNotIncluded) {
  ExpectSnapshot(
      [&] {
        const std::string pushed = repo_.SimpleCommit("pushed", {tip_});
        repo_.SetRef("refs/heads/main", pushed);
        repo_.SetRef("refs/tags/v1", repo_.WriteTag(pushed, "commit", "v1"));
      },
      2, 4);
}

TEST_F(SourceChangeTest, PushWhileObjectsAreReadIsNotIncluded) {
  for (const ObjectSet set : {ObjectSet::kAll, ObjectSet::kReachable}) {
    options_.objects = set;
    const testing::RepositoryState before = testing::ReadState(repo_.path());
    const auto stats = ConvertWhile(
        [&] {
          tip_ = repo_.SimpleCommit("pushed", {tip_});
          repo_.Git({"update-ref", "--create-reflog", "refs/heads/main", tip_});
        },
        nullptr);
    ASSERT_THAT(stats, IsOk());
    EXPECT_EQ(stats->moved_on.refs, 1U);
    EXPECT_EQ(stats->moved_on.objects, set == ObjectSet::kAll ? 3U : 0U);
    EXPECT_EQ(Restored(), before);
  }
}

TEST_F(SourceChangeTest, RefsThatMoveAppearOrVanishAreReported) {
  repo_.SetRef("refs/heads/old", tip_);
  ExpectSnapshot(
      [&] {
        repo_.SetRef("refs/heads/main", repo_.Git({"rev-parse", "main~"}));
        repo_.SetRef("refs/heads/new", tip_);
        fs::remove(repo_.path() + "/refs/heads/old");
      },
      3, 0);
}

TEST_F(SourceChangeTest, HeadThatMovesIsReported) {
  ExpectSnapshot(
      [&] { testing::WriteFile(repo_.path() + "/HEAD", tip_ + '\n'); }, 1, 0);
}

TEST_F(SourceChangeTest, ShallowBoundaryThatAppearsIsReported) {
  ExpectSnapshot(
      [&] { testing::WriteFile(repo_.path() + "/shallow", tip_ + '\n'); }, 1,
      0);
}

TEST_F(SourceChangeTest, ObjectThatVanishesIsAnErrorThatCanBeResumed) {
  const std::string id = repo_.WriteBlob("unreachable");
  const std::string path = repo_.LooseObjectPath(id);
  const std::string hidden = dir_ / "hidden";
  EXPECT_THAT(ConvertWhile(nullptr, [&] { fs::rename(path, hidden); }),
              IsError(ErrorCode::kSourceCorrupt,
                      HasSubstr("object " + id + " vanished")));
  EXPECT_EQ(testing::ReadFile(file_), "the old file");
  EXPECT_TRUE(CanResume(file_));
  fs::rename(hidden, path);
  options_.resume = Resume::kYes;
  const auto stats = ConvertWhile(nullptr, nullptr);
  ASSERT_THAT(stats, IsOk());
  EXPECT_GT(stats->resumed_blocks, 0U);
  EXPECT_EQ(Restored(), testing::ReadState(repo_.path()));
}

TEST_F(SourceChangeTest, ForcedPushAndGarbageCollectionAreNoErrorUntilPruned) {
  const auto force_push = [&](const char* prune) {
    repo_.SetRef("refs/heads/main", repo_.Git({"rev-parse", "main~2"}));
    repo_.Git({"reflog", "expire", "--expire=now", "--all"});
    repo_.Git({"gc", "-q", prune});
  };
  EXPECT_THAT(ConvertWhile(nullptr, [&] { force_push("--prune=never"); }),
              IsOk());
  repo_.SetRef("refs/heads/main", tip_);
  EXPECT_THAT(ConvertWhile(nullptr, [&] { force_push("--prune=now"); }),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr("vanished")));
}

// What a listing misses, because it moved meanwhile, is asked for by its name.
TEST_F(SourceChangeTest, ObjectThatIsNotListedButThereIsNoError) {
  const auto convert = [&](bool is_there) {
    return ConvertSource(
        [&](SourceUse use) -> Result<std::unique_ptr<ObjectSource>> {
          auto source = OpenRepository(repo_.path());
          if (!source || use == SourceUse::kConvert) return source;
          return std::make_unique<ShortList>(*std::move(source), is_there);
        },
        PosixFileSystem(), file_, options_);
  };
  EXPECT_THAT(convert(true), IsOk());
  EXPECT_THAT(convert(false),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr("vanished")));
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

// A source whose reflogs change while it is converted.
class ReflogChangeTest : public SourceChangeTest {
 protected:
  static constexpr const char* kLog = "logs/refs/heads/main";

  ReflogChangeTest() {
    for (int i = 0; i < 3; ++i) Push();
  }

  void Push() {
    tip_ = repo_.SimpleCommit("pushed", {tip_});
    repo_.Git({"update-ref", "--create-reflog", "-m", "push", "refs/heads/main",
               tip_});
  }
  std::string Log() { return testing::ReadFile(repo_.path() + '/' + kLog); }
  void SetLog(const std::string& text, const char* name = kLog) {
    testing::WriteFile(repo_.path() + '/' + name, text);
  }
  // A log of 17 MiB that ends with `lines`.
  static std::string LongLog(const std::string& lines) {
    std::string log;
    for (int i = 0; i < 17; ++i) log += std::string(1 << 20, 'x') + '\n';
    return log + lines;
  }
  // Converts, and `change` happens while objects are read. The restored log.
  std::string LogAfter(const std::function<void()>& change) {
    const auto stats = ConvertWhile(change, nullptr);
    EXPECT_THAT(stats, IsOk());
    Restored();
    EXPECT_TRUE(
        testing::RunGit({"fsck", "--connectivity-only"}, dir_ / "r.git").ok());
    return testing::ReadFile(dir_ / "r.git/" + kLog);
  }
};

TEST_F(ReflogChangeTest, RewrittenReflogIsThatOfTheSnapshot) {
  const std::string before = Log();
  EXPECT_EQ(LogAfter([&] {
              Push();
              repo_.Git({"reflog", "delete", "main@{3}"});
            }),
            before);
}

TEST_F(ReflogChangeTest, ReflogThatIsExpiredOrRemovedIsThatOfTheSnapshot) {
  const std::string before = Log();
  EXPECT_EQ(LogAfter([&] {
              repo_.Git({"reflog", "expire", "--expire=now", "--all"});
            }),
            before);
  SetLog(before);
  EXPECT_EQ(LogAfter([&] { fs::remove(repo_.path() + '/' + kLog); }), before);
}

TEST_F(ReflogChangeTest, ReflogWrittenInPlaceIsThatOfTheSnapshot) {
  const std::string before = Log();
  EXPECT_EQ(LogAfter([&] { SetLog("other" + before + before); }), before);
}

TEST_F(ReflogChangeTest, IncompleteLineIsLeftOut) {
  const std::string before = Log();
  SetLog(before + "incomplete");
  EXPECT_EQ(LogAfter(nullptr), before);
  EXPECT_TRUE(
      testing::RunZpack({"verify", "-q", "--against", repo_.path(), file_})
          .ok());
}

TEST_F(ReflogChangeTest, LongReflogEndsWhereItEndedInTheSnapshot) {
  const std::string lines = Log();
  const std::string before = LongLog(lines);
  // Appended to, with an incomplete line before.
  SetLog(before + "incomplete");
  EXPECT_EQ(LogAfter([&] { SetLog(before + "newer\n" + lines); }), before);
  // Rewritten, so that the last line is elsewhere.
  SetLog(before);
  const std::string shorter = before.substr(before.find('\n') + 1);
  EXPECT_EQ(LogAfter([&] { SetLog(shorter + "newer\n" + lines); }), shorter);
  const std::string longer = before + before;
  SetLog(before);
  EXPECT_EQ(LogAfter([&] { SetLog(lines + longer); }), lines);
  // A last line that takes more than is read at once.
  SetLog(LongLog(""));
  EXPECT_EQ(LogAfter([&] { SetLog(LongLog("newer\n")); }), LongLog(""));
}

TEST_F(ReflogChangeTest,
       LongReflogWithoutItsLastLineIsAnErrorThatCanBeResumed) {
  SetLog(LongLog(Log()));
  EXPECT_THAT(ConvertWhile([&] { SetLog(LongLog("newer\n")); }, nullptr),
              IsError(ErrorCode::kSourceCorrupt,
                      HasSubstr("logs/refs/heads/main' changed while it was "
                                "read")));
  EXPECT_TRUE(CanResume(file_));
}

TEST_F(ReflogChangeTest, ReflogOfALinkedWorkTreeIsThatOfTheSnapshot) {
  repo_.Git({"worktree", "add", "-q", dir_ / "linked", "main"});
  const std::string log = repo_.path() + "/worktrees/linked/logs/HEAD";
  const std::string before = testing::ReadFile(log);
  ASSERT_THAT(before, ::testing::Not(::testing::IsEmpty()));
  ASSERT_THAT(ConvertWhile(
                  [&] {
                    Push();
                    testing::WriteFile(log, before + "newer\n");
                  },
                  nullptr),
              IsOk());
  Restored();
  EXPECT_EQ(testing::ReadFile(dir_ / "r.git/worktrees/linked/logs/HEAD"),
            before);
}

}  // namespace
}  // namespace zpack
