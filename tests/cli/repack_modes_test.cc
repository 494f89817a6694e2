// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes of the files that 'repack' writes: those that Git would give them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class RepackModesTest : public RepackFixture {
 protected:
  // Processes that are started inherit it.
  explicit RepackModesTest() : before_(umask(022)) {}
  ~RepackModesTest() override { umask(before_); }

  static unsigned Mode(const std::string& path) {
    struct stat info;
    Require(stat(path.c_str(), &info) == 0, "stat " + path);
    return info.st_mode & 07777;
  }
  // Of the pack directory, and of files in it that end so.
  static std::set<unsigned> Modes(const std::string& repository,
                                  const std::string& extension) {
    const std::string directory = repository + "/objects/pack";
    std::set<unsigned> modes;
    for (const std::string& name : FilesWith(directory, extension)) {
      modes.insert(Mode(directory + '/' + name + extension));
    }
    return modes;
  }

  // Both make the pack directory, too.
  void ExpectModesOfGit(const std::string& setting) const {
    const std::string path = dir_ / "compared";
    fs::remove_all(path);
    fs::create_directory(path);
    for (const char* name : {"git", "zpack"}) {
      const RepoBuilder repo(path + '/' + name);
      repo.History(2);
      if (!setting.empty()) {
        repo.Git({"config", "core.sharedRepository", setting});
      }
      fs::remove(repo.path() + "/objects/pack");
    }
    const std::string git = path + "/git";
    const std::string zpack = path + "/zpack";
    ASSERT_TRUE(
        RunGit({"-c", "pack.writeReverseIndex", "repack", "-a", "-d", "-q"},
               git)
            .ok());
    const ProcessResult result = Repack(zpack, {"-d"});
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(Mode(zpack + "/objects/pack"), Mode(git + "/objects/pack"));
    for (const char* extension : {".pack", ".idx", ".rev"}) {
      EXPECT_THAT(Modes(git, extension), ::testing::SizeIs(1)) << extension;
      EXPECT_EQ(Modes(zpack, extension), Modes(git, extension)) << extension;
    }
  }

 private:
  mode_t before_;
};

TEST_F(RepackModesTest, AreThoseOfGit) {
  for (const mode_t mask : {022, 077}) {
    umask(mask);
    for (const char* setting :
         {"", "umask", "false", "group", "true", "all", "world", "everybody",
          "0", "1", "2", "0600", "0640", "0660", "0664", "0666"}) {
      SCOPED_TRACE(setting);
      ExpectModesOfGit(setting);
    }
  }
}

TEST_F(RepackModesTest, SettingWithoutAValueMeansTheGroup) {
  umask(077);
  repo_.History(2);
  repo_.PackAll();
  const std::string config = repo_.git_dir() + "/config";
  WriteFile(config, ReadFile(config) + "[core]\n\tsharedRepository\n");
  ASSERT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_EQ(Modes(repo_.path(), ".pack"), std::set<unsigned>{0440});
}

TEST_F(RepackModesTest, OutputDirectoryGetsThem) {
  repo_.History(2);
  repo_.Git({"config", "core.sharedRepository", "0640"});
  const std::string out = dir_ / "out";
  fs::create_directory(out);
  ASSERT_EQ(Repack({"--output", out}).exit_code, 0);
  for (const std::string& name : ListDirectory(out)) {
    EXPECT_EQ(Mode(out + '/' + name), 0440U) << name;
  }
}

TEST_F(RepackModesTest, NonsenseIsRefused) {
  repo_.History(2);
  const std::string config = repo_.git_dir() + "/config";
  const std::string before = ReadFile(config);
  for (const char* setting : {"0400", "sometimes"}) {
    WriteFile(config,
              before + "[core]\n\tsharedRepository = " + setting + '\n');
    ExpectRefusal("core.sharedRepository");
  }
}

}  // namespace
}  // namespace zpack::testing
