// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' of a repository in which an object is damaged, and not missing,
// for every kind of root, compared with 'git repack -a -d'. What Git refuses,
// git-zpack refuses. Whatever Git does, everything that can still be read
// stays, and the damaged object as well, because somebody may know how to
// repair it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/missing_roots_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::IsSupersetOf;

class RepackDamagedTest : public MissingRootsFixture {
 protected:
  enum class Damage { kEmpty, kGarbage, kTruncated, kOtherContent };

  // The repository in which the loose object `part` is damaged.
  std::string MakeDamaged(const Root& root, const std::string& part,
                          Damage damage) const {
    const std::string path = Make(root, part);
    WriteFile(LooseIn(path, part), Bytes(part, damage));
    return path;
  }

  std::string LooseIn(const std::string& path, const std::string& part) const {
    const std::string id = chain_.Parts().at(part);
    const std::string directory = path + "/objects/" + id.substr(0, 2);
    std::filesystem::create_directories(directory);
    return directory + '/' + id.substr(2);
  }

  std::string Bytes(const std::string& part, Damage damage) const {
    const std::string whole =
        ReadFile(repo_.LooseObjectPath(chain_.Parts().at(part)));
    switch (damage) {
      case Damage::kEmpty:
        return "";
      case Damage::kGarbage:
        return "no zlib stream";
      case Damage::kTruncated:
        return whole.substr(0, whole.size() - 6);
      case Damage::kOtherContent:
        return ReadFile(repo_.LooseObjectPath(unneeded_));
    }
    return "";
  }

  // Those that can be found; Git says 'missing' of others.
  std::set<std::string> Readable(const std::string& path) const {
    std::set<std::string> ids;
    for (const std::string& line : Objects(path)) {
      if (line.find(' ') == std::string::npos) ids.insert(line);
    }
    return ids;
  }

  void CompareDamaged(const Root& root, const std::string& part,
                      Damage damage) const {
    const std::string path = MakeDamaged(root, part, damage);
    const auto before = Snapshot(path);
    const ProcessResult ours = Repack(path, {"-d"});
    const bool refused = ours.exit_code == 128;
    if (refused) {
      EXPECT_TRUE(Snapshot(path) == before);
    } else {
      EXPECT_EQ(ours.exit_code, 0) << ::testing::PrintToString(ours);
      EXPECT_TRUE(std::filesystem::exists(LooseIn(path, part)));
    }
    const std::set<std::string> objects = Readable(path);
    EXPECT_THAT(objects, IsSupersetOf(packed_.at(part)));
    const std::string copy = MakeDamaged(root, part, damage);
    ProcessOptions options;
    options.environment = HermeticEnvironment(dir_.path());
    const ProcessResult git = RunProcess(
        {"git", "--git-dir=" + copy, "repack", "-q", "-d", "-a"}, options);
    EXPECT_TRUE(refused || git.ok())
        << ::testing::PrintToString(git) << ::testing::PrintToString(ours);
    EXPECT_THAT(objects, IsSupersetOf(Readable(copy)));
  }

  void CompareAllDamaged(const Roots& roots,
                         const std::vector<Damage>& damages) const {
    for (const auto& [what, root] : roots) {
      SCOPED_TRACE("root: " + what);
      for (const std::string& part : root.parts) {
        SCOPED_TRACE("damaged: " + part);
        for (const Damage damage : damages) {
          SCOPED_TRACE(static_cast<int>(damage));
          CompareDamaged(root, part, damage);
        }
      }
    }
  }
};

TEST_F(RepackDamagedTest, BelowRefs) {
  const Roots refs = Refs();
  CompareAllDamaged(refs, {Damage::kGarbage});
  const Roots some = {{"tag", refs.at("packed tag")},
                      {"branch", refs.at("refs/heads/r")}};
  CompareAllDamaged(
      some, {Damage::kEmpty, Damage::kTruncated, Damage::kOtherContent});
}
TEST_F(RepackDamagedTest, BelowRefsOfWorktrees) {
  CompareAllDamaged(Worktrees(), {Damage::kGarbage, Damage::kOtherContent});
}
TEST_F(RepackDamagedTest, BelowReflogs) {
  CompareAllDamaged(Reflogs(), {Damage::kGarbage});
  CompareAllDamaged({{"HEAD", Reflogs().at("logs/HEAD")}},
                    {Damage::kTruncated, Damage::kOtherContent});
}
TEST_F(RepackDamagedTest, BelowIndexes) {
  CompareAllDamaged(Indexes(), {Damage::kGarbage, Damage::kOtherContent});
}
TEST_F(RepackDamagedTest, BelowFilesOfUnfinishedCommands) {
  CompareAllDamaged(States(), {Damage::kGarbage});
}
TEST_F(RepackDamagedTest, BelowBoundaries) {
  CompareAllDamaged(Boundaries(), {Damage::kGarbage, Damage::kOtherContent});
}

}  // namespace
}  // namespace zpack::testing
