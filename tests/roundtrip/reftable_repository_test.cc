// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository gives the same file whether its refs are files or reftables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "reftable/stack_writer.h"
#include "support/memory_table.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using reftable::LogRecord;
using reftable::RefRecord;

RefRecord MakeRef(const std::string& name, const std::string& id,
                  const std::string& symref_target) {
  RefRecord record;
  record.ref.name = name;
  record.ref.symref_target = symref_target;
  if (symref_target.empty()) record.ref.target = *ObjectId::FromHex(id);
  record.update_index = 1;
  return record;
}

class ReftableRepositoryTest : public ::testing::Test {
 protected:
  // Turns the refs of a bare repository into reftables. Afterwards, older
  // versions of Git refuse the repository.
  static void Migrate(const RepoBuilder& repo,
                      const std::vector<LogRecord>& logs) {
    const std::string head = repo.Git({"symbolic-ref", "HEAD"});
    std::istringstream lines(repo.Git(
        {"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}));
    std::vector<RefRecord> refs = {MakeRef("HEAD", "", head)};
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string name;
      std::string id;
      std::string symref_target;
      words >> name >> id >> symref_target;
      refs.push_back(MakeRef(name, id, symref_target));
    }
    repo.Git({"config", "core.repositoryFormatVersion", "1"});
    repo.Git({"config", "extensions.refStorage", "reftable"});
    const std::string& path = repo.path();
    for (const char* const old : {"refs", "packed-refs", "logs"}) {
      fs::remove_all(path + '/' + old);
    }
    fs::create_directories(path + "/reftable");
    WriteFile(path + "/refs/heads", "this repository uses reftables\n");
    WriteFile(path + "/HEAD", "ref: refs/heads/.invalid\n");
    auto writer = reftable::StackWriter::Create(
        PosixFileSystem(), path + "/reftable", {.format = TestFormat()});
    Require(writer.has_value(), "cannot make a stack");
    for (const RefRecord& ref : refs) {
      Require(writer->table().Add(ref).has_value(), ref.ref.name);
    }
    for (const LogRecord& log : logs) {
      Require(writer->table().Add(log).has_value(), log.ref_name);
    }
    Require(writer->Commit().has_value(), "cannot publish a stack");
  }

  // The bytes of the file that `convert` makes.
  std::string Convert(const std::string& repo,
                      const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command = {"convert", "-f"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {repo, dir_ / "x.zpack"});
    const ProcessResult result = RunZpack(command);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    return ReadFile(dir_ / "x.zpack");
  }

  TempDir dir_;
};

TEST_F(ReftableRepositoryTest, GivesTheFileOfARepositoryWithRefsInFiles) {
  const RepoBuilder repo(dir_ / "repo");
  const std::string tip = repo.History(5);
  repo.SetRef("refs/tags/light", tip);
  repo.SetRef("refs/tags/heavy", repo.WriteTag(tip, "commit", "heavy"));
  repo.Git({"symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main"});
  repo.WriteBlob("nobody refers to this");
  const std::string of_files = Convert(repo.path());
  Migrate(repo, {});
  EXPECT_EQ(Convert(repo.path()), of_files);
}

TEST_F(ReftableRepositoryTest, KeepsWhatReflogsReach) {
  const RepoBuilder repo(dir_ / "repo");
  const std::string tip = repo.History(3);
  const std::string left = repo.SimpleCommit("only in a reflog", {tip});
  WriteFile(repo.path() + "/logs/refs/heads/main",
            left + ' ' + tip + " A <a@example.com> 1700000000 +0000\treset\n");
  const std::string of_files = Convert(repo.path(), {"--reachable"});
  LogRecord log = LogEntry("refs/heads/main", 1);
  log.old_id = *ObjectId::FromHex(left);
  log.new_id = *ObjectId::FromHex(tip);
  log.name = "A";
  log.email = "a@example.com";
  log.time = 1700000000;
  log.zone = 0;
  log.message = "reset\n";
  Migrate(repo, {log});
  EXPECT_EQ(Convert(repo.path(), {"--reachable"}), of_files);
}

// As JGit leaves them. No repository with files can have both reflogs.
TEST_F(ReftableRepositoryTest, LosesReflogsOfGoneRefsInTheWayOfOthers) {
  const RepoBuilder repo(dir_ / "repo");
  const std::string tip = repo.History(1);
  repo.SetRef("refs/heads/a/b", tip);
  repo.SetRef("refs/heads/c", tip);
  std::vector<LogRecord> logs;
  for (const char* const name :
       {"refs/heads/a", "refs/heads/a/b", "refs/heads/c", "refs/heads/c/d",
        "refs/heads/c/e"}) {
    logs.push_back(LogEntry(name, 1, 1, IdDigits() / 2));
  }
  Migrate(repo, logs);
  const ProcessResult converted =
      RunZpack({"convert", repo.path(), dir_ / "x.zpack"});
  ASSERT_TRUE(converted.ok()) << ::testing::PrintToString(converted);
  for (const char* const name :
       {"'refs/heads/a'", "'refs/heads/c/d'", "'refs/heads/c/e'"}) {
    EXPECT_THAT(converted.err, ::testing::HasSubstr(name));
  }
  ASSERT_TRUE(RunZpack({"restore", dir_ / "x.zpack", dir_ / "back.git"}).ok());
  EXPECT_THAT(ListDirectory(dir_ / "back.git/logs/refs/heads/a"),
              ::testing::ElementsAre("b"));
  EXPECT_TRUE(fs::is_regular_file(dir_ / "back.git/logs/refs/heads/c"));
}

// Pseudo-refs are not kept, and neither are their reflogs, whether they are
// there or not.
TEST_F(ReftableRepositoryTest, NotesReflogsOfPseudoRefsAsInFiles) {
  const RepoBuilder repo(dir_ / "repo");
  const std::string tip = repo.History(1);
  WriteFile(repo.path() + "/logs/ORIG_HEAD",
            tip + ' ' + tip + " A <a@example.com> 1700000000 +0000\treset\n");
  const auto convert = [&] {
    return RunZpack({"convert", "-f", repo.path(), dir_ / "x.zpack"});
  };
  const ProcessResult of_files = convert();
  EXPECT_THAT(of_files.err,
              ::testing::HasSubstr("the reflog of 'ORIG_HEAD', a pseudo-ref"));
  LogRecord log = LogEntry("ORIG_HEAD", 1, 1, IdDigits() / 2);
  log.old_id = log.new_id = *ObjectId::FromHex(tip);
  Migrate(repo, {log});
  const ProcessResult of_tables = convert();
  EXPECT_EQ(of_tables.exit_code, 0);
  EXPECT_EQ(of_tables.err, of_files.err);
}

TEST_F(ReftableRepositoryTest, IsRefusedWithoutHead) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  Migrate(repo, {});
  fs::remove(repo.path() + "/reftable/tables.list");
  ExpectRefused(repo.path(), dir_, {"has no HEAD"});
}

TEST_F(ReftableRepositoryTest, IsRefusedIfATableIsDamaged) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  Migrate(repo, {});
  const std::string list = ReadFile(repo.path() + "/reftable/tables.list");
  const std::string table = list.substr(0, list.find('\n'));
  std::string content = ReadFile(repo.path() + "/reftable/" + table);
  content.pop_back();
  WriteFile(repo.path() + "/reftable/" + table, content);
  ExpectRefused(repo.path(), dir_, {"bad reftable", table});
}

}  // namespace
}  // namespace zpack::testing
