// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories whose files are not files, or whose directories have no end: no
// command that reads a repository waits for anything but a disk.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/obstacle.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileRepositoryTest : public ::testing::Test {
 protected:
  HostileRepositoryTest() {
    repo_.Git({"config", "include.path", "included"});
    WriteFile(dir_ / "repo/.gitattributes", "*.bin -delta\n");
    WriteFile(dir_ / "repo/sub/file.bin", "content\n");
    repo_.Git({"add", "."});
    repo_.Git({"commit", "-q", "-m", "first"});
    repo_.Git({"branch", "packed"});
    repo_.Git({"pack-refs", "--all"});
    repo_.Git({"repack", "-q", "-a", "-d", "-b"});
    repo_.Git({"multi-pack-index", "write"});
    repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "tree"});
    repo_.Git({"branch", "loose"});
    WriteFile(dir_ / "repo/later", "later\n");
    repo_.Git({"add", "."});
    repo_.Git({"commit", "-q", "-m", "second"});
    blob_ = repo_.Git({"rev-parse", "HEAD:later"});
    pack_ = "objects/pack/" +
            fs::path(ListDirectory(repo_.git_dir() + "/objects/pack").back())
                .stem()
                .string();
    WriteFile(repo_.git_dir() + "/FETCH_HEAD", blob_ + '\n');
    archive_ = dir_ / "good.zpack";
    const ProcessResult converted =
        RunZpack({"convert", "-q", repo_.path(), archive_});
    Require(converted.ok(), "cannot convert: " + converted.err);
  }

  std::string LooseFile() const {
    return "objects/" + blob_.substr(0, 2) + '/' + blob_.substr(2);
  }

  // Every file of a repository that a command may open, below the git
  // directory.
  std::vector<std::string> Places() const {
    return {"HEAD",
            "config",
            "included",
            "config.worktree",
            "commondir",
            "packed-refs",
            "shallow",
            "description",
            "index",
            "MERGE_HEAD",
            "FETCH_HEAD",
            "hooks/pre-commit",
            "info/attributes",
            "info/exclude",
            "info/grafts",
            "lfs/objects/ab/cd/abcd",
            "logs/HEAD",
            "logs/refs/heads/main",
            "modules/a",
            "objects/info/alternates",
            "objects/info/commit-graph",
            "objects/info/packs",
            "objects/pack/multi-pack-index",
            pack_ + ".bitmap",
            pack_ + ".idx",
            pack_ + ".keep",
            pack_ + ".mtimes",
            pack_ + ".pack",
            pack_ + ".promisor",
            pack_ + ".rev",
            LooseFile(),
            "refs/heads/loose",
            "refs/heads/new",
            "worktrees/tree/HEAD",
            "worktrees/tree/commondir",
            "worktrees/tree/gitdir",
            "worktrees/tree/index",
            "worktrees/tree/locked",
            "worktrees/tree/logs/HEAD",
            "../.gitattributes",
            "../sub/.gitattributes"};
  }

  using Arguments = std::vector<std::string>;

  // The commands that read a repository.
  std::vector<Arguments> Commands() const {
    return {{"convert", "-q", "-f", "--with", "FETCH_HEAD", copy_,
             dir_ / "out.zpack"},
            {"verify", "-q", "--against", copy_, archive_},
            {"report", copy_},
            {"repack", "-q", "-d", "-b", copy_},
            {"restore", "-q", "--force", archive_, copy_ + "/.git"}};
  }

  // No command waits. If one fails, the message names the file.
  void ExpectEnd(const Arguments& command, const std::string& name) const {
    SCOPED_TRACE(::testing::PrintToString(command));
    ProcessOptions options;
    options.kill_after = std::chrono::seconds(20);
    const ProcessResult result = RunZpack(command, options);
    EXPECT_THAT(result.exit_code, AnyOf(0, 1, 128))
        << ::testing::PrintToString(result);
    if (result.exit_code != 128) return;
    // A repository that is not replaced is not read, either. A link out of
    // 'refs/' is not a HEAD.
    EXPECT_THAT(result.err, AnyOf(HasSubstr(name), HasSubstr("not replace"),
                                  HasSubstr("not a git repository")));
  }

  void Copy() const {
    fs::remove_all(copy_);
    fs::copy(repo_.path(), copy_,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }

  void ExpectEndWith(Obstacle kind,
                     const std::vector<Arguments>& commands) const {
    for (const std::string& place : Places()) {
      SCOPED_TRACE(place);
      for (const auto& command : commands) {
        Copy();
        PutObstacle(kind, copy_ + "/.git/" + place);
        ExpectEnd(command, fs::path(place).filename().string());
      }
    }
  }

  TempDir dir_;
  RepoBuilder repo_{dir_ / "repo", RepoBuilder::Kind::kWorkTree};
  std::string blob_;
  std::string pack_;
  std::string archive_;
  std::string copy_ = dir_ / "copy";
};

TEST_F(HostileRepositoryTest, PipesHangNoCommand) {
  ExpectEndWith(Obstacle::kPipe, Commands());
}

// 'repack' opens most of these files.
TEST_F(HostileRepositoryTest, DevicesAndDirectoriesHangNoCommand) {
  for (const Obstacle kind : {Obstacle::kDevice, Obstacle::kDirectory}) {
    SCOPED_TRACE(static_cast<int>(kind));
    ExpectEndWith(kind, {{"repack", "-q", "-d", "-b", copy_}});
  }
}

// Each name would lead to two longer ones, up to 2^40.
TEST_F(HostileRepositoryTest, LinksToTheDirectoryItselfEnd) {
  for (const std::string directory : {"refs/heads", "logs", "logs/refs"}) {
    SCOPED_TRACE(directory);
    for (const auto& command : Commands()) {
      Copy();
      for (const char* const name : {"x", "y"}) {
        fs::create_symlink(".", copy_ + "/.git/" + directory + '/' + name);
      }
      ExpectEnd(command, directory);
    }
  }
  Copy();
  fs::create_symlink(".", copy_ + "/.git/refs/heads/x");
  const ProcessResult result =
      RunZpack({"convert", "-f", copy_, dir_ / "out.zpack"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err,
              HasSubstr("warning: not included: refs below 'refs/heads/x', a "
                        "link to a directory above it\n"));
  EXPECT_EQ(RunZpack({"list-refs", dir_ / "out.zpack"}).out,
            repo_.Git({"show-ref", "--head"}) + '\n');
}

TEST_F(HostileRepositoryTest, LinksToOtherDirectoriesAreFollowedAsInGit) {
  Copy();
  const std::string refs = copy_ + "/.git/refs/";
  fs::create_directory(refs + "remotes");
  fs::create_symlink("../heads", refs + "remotes/here");
  fs::create_symlink("../tags", refs + "heads/tags");
  WriteFile(refs + "tags/v1", repo_.Git({"rev-parse", "HEAD"}) + '\n');
  const ProcessResult expected = RunGit({"show-ref", "--head"}, copy_);
  const ProcessResult result =
      RunZpack({"convert", "-q", copy_, dir_ / "out.zpack"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(RunZpack({"list-refs", dir_ / "out.zpack"}).out, expected.out);
  EXPECT_THAT(expected.out, HasSubstr(" refs/remotes/here/tags/v1\n"));
}

// Two links from each of 20 directories to the next.
TEST_F(HostileRepositoryTest, LinksDoNotDoubleNamesWithoutLimit) {
  for (const auto& command : Commands()) {
    Copy();
    const std::string heads = copy_ + "/.git/refs/heads/";
    for (int i = 0; i < 20; ++i) {
      const std::string directory = heads + 'd' + std::to_string(i);
      fs::create_directory(directory);
      for (const char* const name : {"/x", "/y"}) {
        fs::create_symlink("../d" + std::to_string(i + 1), directory + name);
      }
    }
    fs::create_directory(heads + "d20");
    ExpectEnd(command, "refs");
  }
}

// What their beginning says, or their size, is enough to refuse them or to pass
// them over.
TEST_F(HostileRepositoryTest, FilesOfATerabyteTakeNeitherMemoryNorTime) {
  for (const std::string& place : Places()) {
    // Whatever is in these is archived.
    const bool is_archived =
        place == "description" || place == "FETCH_HEAD" ||
        std::ranges::any_of(
            std::vector<std::string>{"hooks/", "info/", "lfs/", "logs/",
                                     "modules/", "worktrees/tree/lo"},
            [&](const std::string& start) { return place.starts_with(start); });
    if (is_archived) continue;
    for (const Arguments& command :
         {Arguments{"convert", "-q", "-f", copy_, dir_ / "out.zpack"},
          Arguments{"repack", "-q", "-d", copy_}}) {
      SCOPED_TRACE(place);
      Copy();
      const std::string path = copy_ + "/.git/" + place;
      WriteFile(path, Exists(path) ? ReadFile(path) : "");
      std::error_code error;
      fs::resize_file(path, uintmax_t{1} << 40U, error);
      if (error) GTEST_SKIP() << "no sparse files";
      ProcessOptions options;
      options.kill_after = std::chrono::seconds(20);
      // As without AddressSanitizer: libgit2 asks for a terabyte, and takes no
      // for an answer.
      options.environment = {"ASAN_OPTIONS=allocator_may_return_null=1"};
      const ProcessResult result = RunZpack(command, options);
      EXPECT_THAT(result.exit_code, AnyOf(0, 128)) << result.err;
      EXPECT_THAT(result.err, Not(HasSubstr("out of memory")));
    }
  }
}

TEST_F(HostileRepositoryTest, MissingAlternatesTakeLinearTime) {
  Copy();
  std::string list;
  for (int i = 0; i < 40000; ++i) {
    list += "/does/not/exist/" + std::to_string(i) + '\n';
  }
  WriteFile(copy_ + "/.git/objects/info/alternates", list);
  ExpectEnd({"repack", "-q", "-d", copy_}, "alternates");
  const ProcessResult result =
      RunZpack({"convert", "-f", copy_, dir_ / "out.zpack"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err,
              HasSubstr("warning: 39990 more object directories do not exist"));
}

}  // namespace
}  // namespace zpack::testing
