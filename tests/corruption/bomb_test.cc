// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Small files that stand for much. Whatever they hold, every way to read them
// stays within the memory that FORMAT.md promises, and allocates no more in all
// than a file of that size may stand for, which bounds the work as well.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/convert_source.h"
#include "fuzz/run_command.h"
#include "history/revision_walk.h"
#include "reader/archive_file.h"
#include "report/statistics_collector.h"
#include "support/bombs.h"
#include "support/counting_allocator.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

constexpr uint64_t kOneMebibyte = uint64_t{1} << 20;

using Reader = std::function<void(const ArchiveFile&)>;

RunOptions TwoThreads() {
  RunOptions run;
  run.threads = 2;
  return run;
}

// Ids of most of these files are made up, so this is not reached by itself.
void CheckConnectivity(const ArchiveFile& archive) {
  VerifyReport report;
  (void)VerifyConnectivity(archive, TwoThreads(), report);
}

void WalkAll(const ArchiveFile& archive) {
  for (const WalkObjects objects : {WalkObjects::kCommits, WalkObjects::kAll}) {
    (void)WalkRevisions(archive, {WalkRefs::kAll, {}, objects},
                        [](const WalkedObject&) { return Status(); });
  }
}

void CountAll(const ArchiveFile& archive) {
  StatisticsCollector collector(archive);
  if (collector.ReadBlocks(TwoThreads())) (void)collector.Finish();
}

// Runs a command line in which '@' stands for the file.
void RunCommand(std::vector<std::string> arguments, const Bytes& bytes) {
  const TempDir directory;
  const std::string file = directory / "a.zpack";
  WriteFile(file, AsText(bytes));
  std::ranges::replace(arguments, "@", file);
  if (arguments.front() == "restore") {
    arguments.push_back(directory / "repository");
  }
  (void)testing::RunCommand(arguments);
}

// As 'convert --base'. Of a source that has nothing, so that all of it is what
// is done with the file.
void ConvertWithBase(const Bytes& bytes) {
  const TempDir directory;
  WriteFile(directory / "base.zpack", AsText(bytes));
  MemorySource source = SampleHistory(2);
  ConvertOptions options;
  options.run.threads = 64;
  options.base = directory / "base.zpack";
  (void)ConvertSource([&](SourceUse) { return source.Open(); },
                      PosixFileSystem(), directory / "new.zpack", options);
}

void ListRefs(const Bytes& bytes) {
  (void)ReadRefsOnly(MemoryFile(bytes), ReadOptions{});
}

// What a file of 1 MiB may stand for, several times over.
constexpr uint64_t kMaxWork = 8192 * kOneMebibyte;
// Contents are printed in the order of ids, 96 MiB at a time, and each part may
// have objects of all blocks.
constexpr uint64_t kMaxWorkByIds = 24576 * kOneMebibyte;

void ExpectHarmless(const std::string& name, uint64_t max_work,
                    const std::function<void()>& read) {
  ResetMemory();
  read();
  EXPECT_LE(PeakMemory(), 448 * kOneMebibyte) << name;
  EXPECT_LE(AllocatedMemory(), max_work) << name;
}

class BombTest : public ::testing::TestWithParam<Bomb> {};

TEST_P(BombTest, IsHarmlessInWhateverWayItIsRead) {
  const Bytes bytes = GetParam().make().Build();
  ASSERT_LE(bytes.size(), kOneMebibyte);
  for (const auto& [name, read] : std::vector<std::pair<std::string, Reader>>{
           {"connectivity", CheckConnectivity},
           {"rev-list", WalkAll},
           {"show --stats", CountAll}}) {
    const auto archive =
        ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
    ASSERT_TRUE(archive) << archive.error().message;
    ExpectHarmless(name, kMaxWork, [&] { read(**archive); });
  }
  // Whatever processors there are.
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{
           {"verify", "--threads=64", "@"},
           {"restore", "--threads=64", "@"},
           {"cat-file", "--batch-all-objects", "--batch", "@"}}) {
    ExpectHarmless(command.front(),
                   command.front() == "cat-file" ? kMaxWorkByIds : kMaxWork,
                   [&] { RunCommand(command, bytes); });
  }
  ExpectHarmless("convert --base", kMaxWork, [&] { ConvertWithBase(bytes); });
  ExpectHarmless("list-refs", kMaxWork, [&] { ListRefs(bytes); });
}

INSTANTIATE_TEST_SUITE_P(Bombs, BombTest, ::testing::ValuesIn(Bombs()),
                         [](const auto& bomb) { return bomb.param.name; });

// It gets as far as the limit of passes, and not less.
TEST(Bomb, LinksAreNotFollowedForEver) {
  const auto bomb = std::ranges::find(
      Bombs(), std::string_view("BlocksThatNameEachOtherInTurns"), &Bomb::name);
  ASSERT_NE(bomb, Bombs().end());
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(bomb->make().Build()), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  VerifyReport report;
  RunOptions run;
  run.threads = 2;
  EXPECT_THAT(VerifyConnectivity(**archive, run, report),
              HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack::testing
