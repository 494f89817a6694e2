// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What has the name of a loose object or of a reflog, and is no file or may not
// be read. Git passes over it, and reads the object elsewhere. Its 'fsck' and
// 'log -g' wait for a pipe; this program waits for none.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/obstacle.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array kUnreadable = {Obstacle::kDirectory, Obstacle::kDangling,
                                    Obstacle::kLoop, Obstacle::kPipe,
                                    Obstacle::kForbidden};

std::string Reason(Obstacle kind) {
  switch (kind) {
    case Obstacle::kDangling:
    case Obstacle::kLoop:
      return "is a link that leads nowhere";
    case Obstacle::kForbidden:
      return "may not be read";
    default:
      return "is not a regular file";
  }
}

class UnreadableFilesTest : public RepackFixture {
 protected:
  UnreadableFilesTest()
      : RepackFixture(RepoBuilder::Kind::kWorkTree), tip_(repo_.History(3)) {
    repo_.Git({"repack", "-q", "-a", "-d"});
    packed_ = repo_.Git({"rev-parse", "HEAD~1^{tree}"});
    repo_.Git({"reset", "-q", "--hard"});
    WriteFile(repo_.path() + "/later", "later\n");
    repo_.Git({"add", "."});
    repo_.Git({"commit", "-q", "-m", "later"});
    loose_ = repo_.Git({"rev-parse", "HEAD:later"});
    unreached_ = repo_.WriteBlob("unreached\n");
    // Root may read everything.
    if (geteuid() == 0) {
      prefix_ = {"setpriv", "--reuid", "65534",
                 "--regid", "65534",   "--clear-groups"};
    }
  }
  ~UnreadableFilesTest() override {
    if (geteuid() == 0) GiveTo("0");
  }

  void GiveTo(const std::string& user) const {
    Require(RunProcess({"chown", "-hR", user, dir_.path()}).ok(), "chown");
  }
  // Runs the command as a user whom permissions bind.
  ProcessResult RunBound(const std::vector<std::string>& arguments) const {
    if (!prefix_.empty()) GiveTo("65534:65534");
    fs::permissions(dir_.path(), fs::perms::all);
    std::vector<std::string> command = prefix_;
    command.push_back(ZpackBinary());
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.environment = HermeticEnvironment();
    options.kill_after = std::chrono::seconds(60);
    ProcessResult result = RunProcess(command, options);
    if (!prefix_.empty()) GiveTo("0:0");
    return result;
  }
  ProcessResult Convert(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "-f"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {repo_.path(), file_});
    return RunBound(arguments);
  }
  // Whether the file has the object.
  bool Stores(const std::string& id) const {
    return RunZpack({"cat-file", "-t", file_, id}).ok();
  }

  std::string tip_;
  std::string packed_;     // a tree, in the pack
  std::string loose_;      // a blob of HEAD, loose alone
  std::string unreached_;  // a blob that nothing names
  std::string file_ = dir_ / "x.zpack";
  std::vector<std::string> prefix_;
};

TEST_F(UnreadableFilesTest, PackHasTheObject) {
  const std::string path = repo_.LooseObjectPath(packed_);
  for (const Obstacle kind : kUnreadable) {
    SCOPED_TRACE(Reason(kind));
    PutObstacle(kind, path);
    const ProcessResult result = Convert();
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, Not(HasSubstr("not included: object")));
    EXPECT_TRUE(Stores(packed_));
    EXPECT_EQ(RunBound({"report", repo_.path()}).exit_code, 0);
  }
}

TEST_F(UnreadableFilesTest, AlternateHasTheObject) {
  const RepoBuilder lender(dir_ / "lender");
  ASSERT_EQ(lender.WriteBlob("later\n"), loose_);
  WriteFile(repo_.git_dir() + "/objects/info/alternates",
            lender.path() + "/objects\n");
  const std::string path = repo_.LooseObjectPath(loose_);
  for (const Obstacle kind : kUnreadable) {
    SCOPED_TRACE(Reason(kind));
    PutObstacle(kind, path);
    const ProcessResult result = Convert();
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, Not(HasSubstr("not included: object")));
    EXPECT_TRUE(Stores(loose_));
  }
}

// 'git clone' and 'git repack -a -d' succeed.
TEST_F(UnreadableFilesTest, NothingReachesTheObject) {
  const std::string never = HashObject("blob", "never written\n");
  for (const std::string& id : {unreached_, never}) {
    const std::string path = repo_.LooseObjectPath(id);
    for (const Obstacle kind : kUnreadable) {
      SCOPED_TRACE(id + Reason(kind));
      PutObstacle(kind, path);
      ProcessResult result = Convert();
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      EXPECT_THAT(result.err,
                  HasSubstr(fmt::format(
                      "warning: not included: object {}, because '{}' {}\n", id,
                      path, Reason(kind))));
      EXPECT_FALSE(Stores(id));
      result = RunBound({"verify", "-q", "--against", repo_.path(), file_});
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      EXPECT_EQ(RunBound({"report", repo_.path()}).exit_code, 0);
    }
    for (const char* const option : {"-a", "-A", "--cruft"}) {
      SCOPED_TRACE(option);
      const ProcessResult result =
          RunBound({"repack", "-q", "-d", option, repo_.path()});
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      EXPECT_TRUE(Exists(path));
    }
    fs::remove_all(path);
  }
  repo_.Git({"fsck"});
}

// Git fails, too, or waits for the pipe.
TEST_F(UnreadableFilesTest, ObjectThatIsNeededIsNamedWithItsPath) {
  const std::string head = repo_.Git({"rev-parse", "HEAD"});
  for (const std::string& id : {loose_, head}) {
    const std::string path = repo_.LooseObjectPath(id);
    const std::string sound = ReadFile(path);
    for (const Obstacle kind : kUnreadable) {
      SCOPED_TRACE(Reason(kind));
      PutObstacle(kind, path);
      const std::string why =
          fmt::format("cannot read object {}: '{}' {}", id, path, Reason(kind));
      for (const std::vector<std::string>& command :
           {std::vector<std::string>{"convert", "-f", repo_.path(), file_},
            {"repack", "-a", "-d", repo_.path()}}) {
        const ProcessResult result = RunBound(command);
        EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
        EXPECT_THAT(result.err, AllOf(HasSubstr("fatal: "), HasSubstr(why)));
      }
    }
    fs::remove_all(path);
    WriteFile(path, sound);
  }
}

// 'git reflog' prints nothing, 'git repack' and 'git gc' go on and do not keep
// what the reflog names; only for a pipe, 'git reflog' waits.
TEST_F(UnreadableFilesTest, ReflogCountsAsAbsent) {
  const std::string log = "logs/refs/heads/main";
  const std::string path = repo_.git_dir() + '/' + log;
  ASSERT_FALSE(ReadFile(path).empty());
  for (const Obstacle kind : kUnreadable) {
    SCOPED_TRACE(Reason(kind));
    PutObstacle(kind, path);
    ProcessResult result = Convert();
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(RunZpack({"list-refs", file_}).out,
              repo_.Git({"show-ref", "--head"}) + '\n');
    const std::string files = RunZpack({"list-files", file_}).out;
    EXPECT_THAT(files, AllOf(HasSubstr("logs/HEAD"), Not(HasSubstr(log))));
    // Git leaves directories there itself, when branches go.
    if (kind != Obstacle::kDirectory) {
      EXPECT_THAT(result.err,
                  HasSubstr(fmt::format("warning: not included: '{}' {}\n", log,
                                        kind == Obstacle::kForbidden
                                            ? "may not be read"
                                            : "is not a regular file")));
    }
    result = RunBound({"verify", "-q", "--against", repo_.path(), file_});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(RunBound({"report", repo_.path()}).exit_code, 0);
  }
}

// It may keep objects alive. Git takes it for absent.
TEST_F(UnreadableFilesTest, ReflogThatMayNotBeReadStopsRepack) {
  const std::string path = repo_.git_dir() + "/logs/refs/heads/main";
  for (const Obstacle kind : kUnreadable) {
    SCOPED_TRACE(Reason(kind));
    PutObstacle(kind, path);
    const ProcessResult result =
        RunBound({"repack", "-q", "-a", "-d", repo_.path()});
    if (kind == Obstacle::kDirectory) {
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    } else {
      EXPECT_EQ(result.exit_code, 128);
      EXPECT_THAT(result.err, AllOf(HasSubstr("fatal: "), HasSubstr(path)));
    }
  }
}

}  // namespace
}  // namespace zpack::testing
