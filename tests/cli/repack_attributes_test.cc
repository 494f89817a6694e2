// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack' and the attribute 'delta': what Git stores whole for its sake, is
// stored whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <sstream>

#include "support/obstacle.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RepackAttributesTest : public RepackFixture {
 protected:
  explicit RepackAttributesTest(
      RepoBuilder::Kind kind = RepoBuilder::Kind::kWorkTree)
      : RepackFixture(kind) {}

  // Versions of a few files, each a good base for the others of its path.
  void Versions() const {
    std::string text;
    for (uint64_t i = 0; i < 8; ++i) {
      text += RawToHex(RandomBytes(i, 400)) + '\n';
      for (const char* path :
           {"plain.txt", "a.bin", "dir/sub/b.bin", "c.dat"}) {
        WriteFile(repo_.path() + '/' + path, path + text);
      }
      repo_.Git({"add", "-A"});
      repo_.Git({"commit", "-q", "-m", "version"});
    }
  }

  // Ids of all versions of a path.
  std::set<std::string> Blobs(const std::string& path) const {
    std::set<std::string> ids;
    for (const std::string& commit :
         SplitLines(repo_.Git({"rev-list", "--all"}))) {
      ids.insert(repo_.Git({"rev-parse", commit + ':' + path}));
    }
    return ids;
  }

  // Blobs that are deltas, or that others are deltas against.
  std::set<std::string> InDeltas() const {
    std::set<std::string> ids;
    std::istringstream lines(
        repo_.Git({"cat-file", "--batch-all-objects",
                   "--batch-check=%(objectname) %(objecttype) %(deltabase)"}));
    std::string id;
    std::string type;
    std::string base;
    while (lines >> id >> type >> base) {
      if (type != "blob" || base == FakeId('0')) continue;
      ids.insert(id);
      ids.insert(base);
    }
    return ids;
  }

  void ExpectWhole(const std::set<std::string>& paths) const {
    // As Git sees it.
    repo_.Git({"repack", "-q", "-a", "-d", "-F"});
    for (const char* who : {"git", "zpack"}) {
      SCOPED_TRACE(who);
      const std::set<std::string> deltas = InDeltas();
      for (const char* path :
           {"plain.txt", "a.bin", "dir/sub/b.bin", "c.dat"}) {
        SCOPED_TRACE(path);
        std::set<std::string> found;
        std::ranges::set_intersection(Blobs(path), deltas,
                                      std::inserter(found, found.end()));
        if (paths.contains(path)) {
          EXPECT_THAT(found, IsEmpty());
        } else {
          EXPECT_EQ(found, Blobs(path));
        }
      }
      ExpectOnePack({"-F"});
    }
  }
};

TEST_F(RepackAttributesTest, NoneMeansDeltas) {
  Versions();
  ExpectWhole({});
}

TEST_F(RepackAttributesTest, InfoAttributes) {
  Versions();
  WriteFile(repo_.git_dir() + "/info/attributes",
            "*.bin -delta\nplain.txt delta\nc.dat !delta\n");
  ExpectWhole({"a.bin", "dir/sub/b.bin"});
}

TEST_F(RepackAttributesTest, FilesOfTheWorkTree) {
  Versions();
  WriteFile(repo_.path() + "/.gitattributes", "a.bin -delta\n*.dat -delta\n");
  WriteFile(repo_.path() + "/dir/.gitattributes", "sub/b.bin -delta\n");
  ExpectWhole({"a.bin", "dir/sub/b.bin", "c.dat"});
  // The deeper one decides, and info/attributes before both.
  WriteFile(repo_.path() + "/dir/.gitattributes", "*.bin delta\n");
  WriteFile(repo_.git_dir() + "/info/attributes", "c.dat delta\n");
  ExpectWhole({"a.bin"});
}

TEST_F(RepackAttributesTest, FilesOfTheIndexWhereTheWorkTreeHasNone) {
  Versions();
  WriteFile(repo_.path() + "/.gitattributes", "*.bin -delta\n");
  repo_.Git({"add", ".gitattributes"});
  std::filesystem::remove(repo_.path() + "/.gitattributes");
  ExpectWhole({"a.bin", "dir/sub/b.bin"});
}

TEST_F(RepackAttributesTest, FileOfTheUser) {
  Versions();
  WriteFile(dir_ / "attributes", "*.dat -delta\n");
  repo_.Git({"config", "core.attributesFile", dir_ / "attributes"});
  ExpectWhole({"c.dat"});
}

TEST_F(RepackAttributesTest, FileOfTheUserThatIsNoFileIsAnError) {
  Versions();
  PutObstacle(Obstacle::kSocket, dir_ / "attributes");
  repo_.Git({"config", "core.attributesFile", dir_ / "attributes"});
  const ProcessResult result = RunZpack({"repack", "-q", "-d", repo_.path()});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr(dir_ / "attributes"));
}

// As Git does from version 2.52 on.
TEST_F(RepackAttributesTest, FileOfTheUserMayBeOptional) {
  Versions();
  WriteFile(dir_ / "attributes", "*.dat -delta\n");
  repo_.Git(
      {"config", "core.attributesFile", ":(optional)" + (dir_ / "attributes")});
  ASSERT_TRUE(RunZpack({"repack", "-q", "-d", "-F", repo_.path()}).ok());
  const std::set<std::string> deltas = InDeltas();
  for (const std::string& id : Blobs("c.dat")) {
    EXPECT_FALSE(deltas.contains(id)) << id;
  }
  EXPECT_THAT(deltas, Not(IsEmpty()));
}

TEST_F(RepackAttributesTest, BareRepositoryHasInfoAttributesOnly) {
  WriteFile(repo_.path() + "/.gitattributes", "plain.txt -delta\n");
  Versions();
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", repo_.path(), clone});
  repo_ = RepoBuilder::Existing(clone);
  repo_.Git({"config", "repack.writeBitmaps", "false"});
  ExpectWhole({});
  WriteFile(clone + "/info/attributes", "*.bin -delta\n");
  ExpectWhole({"a.bin", "dir/sub/b.bin"});
}

TEST_F(RepackAttributesTest, OddPathsDoNoHarm) {
  CommitFields fields;
  std::string inner =
      TreeEntryBytes("100644", "x", repo_.WriteBlob(std::string(100, 'x')));
  for (const char* name : {"..", ".", ".git", "a/b", "\xff\n"}) {
    inner = TreeEntryBytes("40000", name, repo_.WriteTree(inner));
  }
  inner += TreeEntryBytes("100644", std::string(5000, 'y'),
                          repo_.WriteBlob(std::string(100, 'y')));
  fields.tree = repo_.WriteTree(inner);
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  WriteFile(repo_.git_dir() + "/info/attributes", "* -delta\n");
  const std::string all = repo_.Git({"rev-list", "--objects", "--all"});
  const ProcessResult result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(repo_.Git({"rev-list", "--objects", "--all"}), all);
  EXPECT_THAT(LooseObjects(), IsEmpty());
}

// A commit of two files, below as many directories.
std::string CommitBelow(int directories, int version) {
  std::string path;
  for (int i = 0; i < directories; ++i) path += "d/";
  const std::string text =
      RawToHex(RandomBytes(1, 400)) + std::to_string(version);
  std::string commands =
      "commit refs/heads/main\ncommitter A <a@b> 1 +0000\n"
      "data 0\n";
  for (const char* name : {"a.bin", "plain.txt"}) {
    const std::string content = name + text;
    commands += "M 100644 inline " + path + name + "\ndata " +
                std::to_string(content.size()) + '\n' + content + '\n';
  }
  return commands + '\n';
}

TEST_F(RepackAttributesTest, DeepPathsHaveThoseOfTheirLastName) {
  repo_.Git({"fast-import", "--quiet"},
            CommitBelow(300, 1) + CommitBelow(300, 2));
  WriteFile(repo_.git_dir() + "/info/attributes", "*.bin -delta\n");
  const ProcessResult result = Repack({"-a", "-d", "-F"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(InDeltas().size(), 2U);
}

TEST_F(RepackAttributesTest, DepthCostsLittle) {
  repo_.Git({"fast-import", "--quiet"}, CommitBelow(4000, 1));
  // It takes 0.2 s of a processor; 30 s if each directory of each path is
  // looked at.
  const ProcessResult result =
      RunProcess({"bash", "-c", "ulimit -t 15; exec \"$0\" \"$@\"",
                  ZpackBinary(), "repack", "-a", "-d", "-q", repo_.path()});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
}

}  // namespace
}  // namespace zpack::testing
