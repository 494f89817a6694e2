// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every allocation fails once: that is an error of the operation, and nothing
// is left behind. A program of its own, since it replaces operator new.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "convert/convert_source.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/archive_reader.h"
#include "zpack/consolidate.h"
#include "zpack/repack.h"
#include "zpack/restore.h"
#include "zpack/statistics.h"
#include "zpack/verify.h"

namespace {

// Allocations of at least `least` bytes until one fails; below 0, none does.
std::atomic<int64_t> left = -1;
std::atomic<size_t> least = 0;

void* Allocate(size_t size, size_t alignment) {
  if (size >= least.load() && left.load() >= 0 && left.fetch_sub(1) == 0) {
    throw std::bad_alloc();
  }
  size = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  return Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
// As the standard library asks for room to sort in, which it can do without.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

// libstdc++ ends the process when it cannot allocate a name while it lists a
// directory. Where that happens, only larger allocations fail here.
constexpr size_t kNoNames = 1024;

// Of how many allocations of an operation each fails in a run of its own.
constexpr int64_t kRuns = 60;

class AllocationTest : public ::testing::Test {
 protected:
  AllocationTest() : source_(SampleHistory(3)), file_(dir_ / "a.zpack") {
    convert_.run.threads = 2;
    convert_.overwrite = Overwrite::kYes;
    fs::create_directories(dir_ / "out");
  }

  Result<ConvertStats> Convert(const std::string& path) {
    return ConvertSource([&](SourceUse) { return source_.Open(); },
                         PosixFileSystem(), path, convert_);
  }

  // Calls `operation` and lets an allocation fail, another one each time. Calls
  // `check` after each.
  void Sweep(
      const std::function<Status()>& operation,
      const std::function<void()>& check = [] {}) {
    // What is made once in a process is there then.
    ASSERT_THAT(operation(), IsOk());
    constexpr int64_t kMany = int64_t{1} << 40;
    left = kMany;
    const Status whole = operation();
    const int64_t count = kMany - left.exchange(-1);
    ASSERT_THAT(whole, IsOk());
    ASSERT_GT(count, 10);
    int failed = 0;
    for (int64_t at = 0; at < count; at += 1 + count / kRuns) {
      SCOPED_TRACE("allocation " + std::to_string(at));
      left = at;
      const Status status = operation();
      left = -1;
      if (!status) {
        ++failed;
        EXPECT_THAT(status, IsError(ErrorCode::kOutOfMemory, "out of memory"));
      }
      check();
    }
    EXPECT_GT(failed, 5);
  }

  ~AllocationTest() override { least = 0; }

  // Removes `path` and its temporary, which may stay only if it can be
  // continued; nothing else may be beside them.
  void ExpectNothingElse(const std::string& path) const {
    if (CanResume(path)) fs::remove(dir_ / "out/.a.zpack.zpack-tmp");
    fs::remove(path);
    EXPECT_THAT(ListDirectory(dir_ / "out"), ::testing::IsEmpty());
  }

  TempDir dir_;
  MemorySource source_;
  std::string file_;
  ConvertOptions convert_;
};

template <typename T>
Status ToStatus(const Result<T>& result) {
  if (result) return {};
  return std::unexpected(result.error());
}

TEST_F(AllocationTest, FailureEndsConvertAndLeavesNothing) {
  const std::string path = dir_ / "out/a.zpack";
  Sweep([&] { return ToStatus(Convert(path)); },
        [&] { ExpectNothingElse(path); });
}

// Threads wait for the sections that others encode.
TEST_F(AllocationTest, FailureEndsConvertInSections) {
  Random random(11);
  for (int i = 0; i < 30; ++i) {
    source_.AddBlob(AsText(RandomText(random, 10'000)));
  }
  convert_.profile = Profile::kMax;
  convert_.level = 1;
  convert_.block_size = ConvertOptions::kMinBlockSize;
  convert_.run.threads = 3;
  const std::string path = dir_ / "out/a.zpack";
  Sweep([&] { return ToStatus(Convert(path)); },
        [&] { ExpectNothingElse(path); });
}

TEST_F(AllocationTest, FailureEndsConvertFromAnOlderFile) {
  ASSERT_THAT(Convert(file_), IsOk());
  convert_.base = file_;
  source_.AddBlob("new");
  const std::string path = dir_ / "out/a.zpack";
  Sweep([&] { return ToStatus(Convert(path)); },
        [&] { ExpectNothingElse(path); });
}

TEST_F(AllocationTest, FailureEndsConvertOntoAFile) {
  ASSERT_THAT(Convert(file_), IsOk());
  convert_.onto = file_;
  source_.AddBlob("new");
  const std::string path = dir_ / "out/a.zpack";
  Sweep([&] { return ToStatus(Convert(path)); },
        [&] { ExpectNothingElse(path); });
}

TEST_F(AllocationTest, FailureEndsConsolidateAndLeavesNothing) {
  ASSERT_THAT(Convert(file_), IsOk());
  convert_.onto = file_;
  source_.AddBlob("new");
  const std::string newer = dir_ / "b.zpack";
  ASSERT_THAT(Convert(newer), IsOk());
  const std::string path = dir_ / "out/a.zpack";
  ConsolidateOptions options;
  options.overwrite = Overwrite::kYes;
  options.run.threads = 2;
  for (const uint32_t from : {1, 2}) {
    options.from = from;
    Sweep([&] { return ToStatus(Consolidate(newer, path, options)); },
          [&] { ExpectNothingElse(path); });
  }
}

TEST_F(AllocationTest, FailureEndsVerify) {
  ASSERT_THAT(Convert(file_), IsOk());
  VerifyOptions options;
  options.level = VerifyLevel::kConnectivity;
  options.run.threads = 2;
  Sweep([&]() -> Status {
    // Verify, and more.
    const auto report = Attest(file_, "", options, {});
    // It is no damage of the file.
    if (report) {
      EXPECT_TRUE(report->ok()) << report->damages.front().message;
    }
    return ToStatus(report);
  });
}

TEST_F(AllocationTest, FailureEndsRestoreAndLeavesNothing) {
  ASSERT_THAT(Convert(file_), IsOk());
  RestoreOptions options;
  options.run.threads = 2;
  const std::string path = dir_ / "out/r.git";
  least = kNoNames;
  Sweep(
      [&] {
        const auto empty = IsEmptyForRestore(dir_ / "out", "r.git");
        if (!empty) return ToStatus(empty);
        EXPECT_TRUE(*empty);
        const Status status = ToStatus(Restore(file_, path, options));
        if (status) fs::remove_all(path);
        return status;
      },
      [&] { EXPECT_THAT(ListDirectory(dir_ / "out"), ::testing::IsEmpty()); });
}

TEST_F(AllocationTest, FailureEndsReading) {
  ASSERT_THAT(Convert(file_), IsOk());
  Sweep([&]() -> Status {
    const auto reader = ArchiveReader::Open(file_, {});
    if (!reader) return ToStatus(reader);
    const auto head = (*reader)->Resolve("HEAD");
    if (!head) return ToStatus(head);
    if (const auto read = (*reader)->Read(*head); !read) return ToStatus(read);
    WalkOptions walk;
    walk.refs = WalkRefs::kAll;
    walk.objects = WalkObjects::kAll;
    const Status walked = (*reader)->Walk(
        walk, [](const WalkedObject&) { return Visit::kContinue; });
    if (!walked) return walked;
    BulkOptions bulk;
    bulk.threads = 2;
    const Status read_all = (*reader)->ReadAll(
        bulk, [](const ObjectView&) { return Visit::kContinue; });
    if (!read_all) return read_all;
    if (const auto all = (*reader)->Describe(); !all) return ToStatus(all);
    return ToStatus(CollectStatistics(file_, {}, {}));
  });
}

TEST_F(AllocationTest, FailureEndsASearch) {
  ASSERT_THAT(Convert(file_), IsOk());
  TreeSearchOptions tree;
  tree.query.tokens = {{QueryToken::Kind::kPattern, "[a-z]*e", {}},
                       {QueryToken::Kind::kPattern, "line", {}}};
  tree.threads = 2;
  HistorySearchOptions history;
  static_cast<SearchOptions&>(history) = tree;
  HistorySearchOptions fixed = history;
  fixed.query.syntax = PatternSyntax::kFixed;
  Sweep([&]() -> Status {
    const auto reader = ArchiveReader::Open(file_, {});
    if (!reader) return ToStatus(reader);
    const auto head = (*reader)->Resolve("HEAD");
    if (!head) return ToStatus(head);
    const auto go_on = [](const auto&) { return Visit::kContinue; };
    const Status searched = (*reader)->SearchTree(*head, tree, go_on);
    if (!searched) return searched;
    const Status passed = (*reader)->SearchHistory(history, go_on);
    if (!passed) return passed;
    return (*reader)->SearchVersions(fixed, go_on);
  });
}

TEST_F(AllocationTest, FailureEndsALog) {
  ASSERT_THAT(Convert(file_), IsOk());
  Sweep([&]() -> Status {
    const auto reader = ArchiveReader::Open(file_, {});
    if (!reader) return ToStatus(reader);
    LogOptions log;
    log.refs = WalkRefs::kAll;
    log.files = true;
    log.renames = RenameSearch::kCopies;
    log.threads = 2;
    const auto go_on = [](const auto&) { return Visit::kContinue; };
    const Status listed = (*reader)->Log(log, go_on);
    if (!listed) return listed;
    log.pickaxe = Pickaxe::kLines;
    log.pattern = "[a-z]*e";
    return (*reader)->Log(log, go_on);
  });
}

TEST_F(AllocationTest, FailureEndsRepackAndLosesNothing) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(3);
  RepackOptions options;
  options.run.threads = 2;
  options.redundant = Redundant::kRemove;
  const std::string packs = repo.path() + "/objects/pack";
  ASSERT_TRUE(Repack(repo.path(), options));
  const auto before = ListDirectory(packs);
  least = kNoNames;
  Sweep([&] { return ToStatus(Repack(repo.path(), options)); },
        [&] { EXPECT_EQ(ListDirectory(packs), before); });
}

}  // namespace
}  // namespace zpack::testing
