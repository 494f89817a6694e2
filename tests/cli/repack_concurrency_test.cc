// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' in a repository that is in use: others commit, fetch and read
// meanwhile, and nobody misses an object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kRuns = 20;
constexpr const char* kRounds = "40";

// Commits on a branch of its own; prints what it made.
constexpr const char* kCommit = R"(
parent=$(git rev-parse main) || exit 1
i=0
while [ $i -lt "$1" ]; do
  i=$((i + 1))
  blob=$(echo "content $i of $2" | git hash-object -w --stdin) || exit 1
  tree=$(printf '100644 blob %s\tfile\n' "$blob" | git mktree) || exit 1
  parent=$(git commit-tree -p "$parent" -m "$i" "$tree") || exit 1
  git update-ref "refs/heads/$2" "$parent" || exit 1
  echo "$parent"
done
)";

// Fetches what another process commits elsewhere, as packs.
constexpr const char* kFetch = R"(
i=0
while [ $i -lt "$1" ]; do
  i=$((i + 1))
  git -c fetch.unpackLimit=1 -c gc.auto=0 -c maintenance.auto=0 \
    -c protocol.file.allow=always \
    fetch -q "$2" '+refs/heads/*:refs/remotes/o/*' || exit 1
done
)";

// Reads everything that refs reach, and lists all objects.
constexpr const char* kRead = R"(
i=0
while [ $i -lt "$1" ]; do
  i=$((i + 1))
  git rev-list --objects --all >objects || exit 1
  cut -d ' ' -f 1 objects | git cat-file --batch-check >found || exit 1
  if grep -q missing found; then grep missing found >&2; exit 1; fi
  git cat-file --batch-all-objects --batch-check >/dev/null || exit 1
done
)";

class RepackConcurrencyTest : public RepackFixture {
 protected:
  // A loop of `rounds` of a shell script in a repository.
  static std::vector<std::string> Loop(const char* script,
                                       const std::string& argument) {
    return {"sh", "-c", script, "loop", kRounds, argument};
  }
  static ProcessOptions In(const std::string& directory,
                           const std::string& work) {
    ProcessOptions options;
    options.directory = work;
    options.environment = HermeticEnvironment();
    options.environment.push_back("GIT_DIR=" + directory);
    return options;
  }
};

TEST_F(RepackConcurrencyTest, NobodyMissesAnObject) {
  repo_.History(60);
  repo_.PackAll();
  // So that every run looks at what is needed by now.
  repo_.WriteBlob("unreachable\n");
  repo_.PackAll();
  const RepoBuilder origin(dir_ / "origin");
  origin.History(5);
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    std::filesystem::create_directories(dir_ / name);
  }

  Process commits(Loop(kCommit, "one"), In(repo_.path(), dir_ / "a"));
  Process far_commits(Loop(kCommit, "far"), In(origin.path(), dir_ / "b"));
  Process fetches(Loop(kFetch, origin.path()), In(repo_.path(), dir_ / "c"));
  Process reads(Loop(kRead, ""), In(repo_.path(), dir_ / "d"));
  Process more_reads(Loop(kRead, ""), In(repo_.path(), dir_ / "e"));
  for (int run = 0; run < kRuns; ++run) {
    // A run of each kind. Once -g has packed what no ref names yet, -d alone
    // may drop it, as 'git repack -a -d' does.
    const ProcessResult result = run < kRuns / 2 ? Repack({"-d"})
                                 : run % 2 == 0  ? Repack({"-d", "-g2", "-m"})
                                                 : Repack({"-d", "-A"});
    EXPECT_EQ(result.exit_code, 0)
        << "run " << run << ": " << ::testing::PrintToString(result);
  }
  const ProcessResult committed = commits.Wait();
  EXPECT_EQ(committed.exit_code, 0) << ::testing::PrintToString(committed);
  for (Process* process : {&far_commits, &fetches, &reads, &more_reads}) {
    const ProcessResult result = process->Wait();
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  }

  const ProcessResult fsck = repo_.TryGit({"fsck", "--full", "--strict"});
  EXPECT_EQ(fsck.exit_code, 0) << ::testing::PrintToString(fsck);
  const std::string reachable = repo_.Git({"rev-list", "--all"});
  const std::vector<std::string> made = SplitLines(committed.out);
  EXPECT_THAT(made, SizeIs(std::stoul(kRounds)));
  for (const std::string& id : made) EXPECT_THAT(reachable, HasSubstr(id));
  // If nothing has changed since the last run, its index of one pack is right.
  const std::string index = pack_directory() + "/multi-pack-index";
  if (std::filesystem::exists(index)) {
    const ProcessResult verified = repo_.TryGit({"multi-pack-index", "verify"});
    EXPECT_EQ(verified.exit_code, 0) << ::testing::PrintToString(verified);
    std::filesystem::remove(index);
  }
  ExpectOnePack({"-k"});
}

}  // namespace
}  // namespace zpack::testing
