// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// archive writes what 'git archive --format=tar' writes, byte for byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() : repo_(dir_ / "repo") {
    const std::string blob = repo_.WriteBlob("content");
    repo_.WriteTree("");
    std::string deep = repo_.WriteTree(TreeEntryBytes("100644", "file", blob));
    for (const size_t size : {90, 3, 60, 1}) {
      deep = repo_.WriteTree(
          TreeEntryBytes("40000", std::string(size, 'd'), deep) +
          TreeEntryBytes("100644", std::string(size, 'f'), blob));
    }
    const std::string middle =
        repo_.WriteTree(TreeEntryBytes("40000", "empty", kEmptyTree) +
                        TreeEntryBytes("100644", "file", repo_.WriteBlob("")) +
                        TreeEntryBytes("100644", "full", RandomBlob(512)) +
                        TreeEntryBytes("160000", "module", FakeId('b')));
    tree_ = repo_.WriteTree(
        TreeEntryBytes("100644", "a b\n\"c\"", blob) +
        TreeEntryBytes("40000", "deep", deep) +
        TreeEntryBytes("40000", "dir", middle) +
        TreeEntryBytes("100664", "dir2", RandomBlob(513)) +
        TreeEntryBytes("40000", "empty", kEmptyTree) +
        TreeEntryBytes("100644", "la\xe4tin", RandomBlob(511)) +
        TreeEntryBytes("120000", "link", repo_.WriteBlob("dir/file")) +
        TreeEntryBytes("120000", "link100",
                       repo_.WriteBlob(std::string(100, 'l'))) +
        TreeEntryBytes("120000", "link101",
                       repo_.WriteBlob(std::string(101, 'l'))) +
        TreeEntryBytes("100644", "n" + std::string(99, 'a'), blob) +
        TreeEntryBytes("100644", "n" + std::string(100, 'b'), blob) +
        TreeEntryBytes("100755", "program", blob) +
        TreeEntryBytes("160000", "submodule", FakeId('c')) +
        TreeEntryBytes("40000", "t" + std::string(154, 'a'), middle) +
        TreeEntryBytes("40000", "t" + std::string(155, 'b'), middle) +
        TreeEntryBytes("160000", "t" + std::string(300, 'c'), FakeId('d')));
    CommitFields fields;
    fields.tree = tree_;
    commit_ = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", commit_);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(commit_, "commit", "v1"));
  }

  std::string RandomBlob(size_t size) const {
    return repo_.WriteBlob(RandomBytes(size, size));
  }
  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }
  ProcessResult Archive(std::vector<std::string> options,
                        const std::vector<std::string>& arguments) const {
    options.insert(options.begin(), "archive");
    options.push_back(file_);
    options.insert(options.end(), arguments.begin(), arguments.end());
    return RunZpack(options);
  }
  void ExpectSame(const std::vector<std::string>& options,
                  const std::vector<std::string>& arguments) const {
    std::vector<std::string> git = {"archive", "--format=tar"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), arguments.begin(), arguments.end());
    const ProcessResult expected = repo_.TryGit(git);
    const ProcessResult actual = Archive(options, arguments);
    EXPECT_EQ(actual.exit_code, expected.exit_code)
        << ::testing::PrintToString(git) << actual.err << expected.err;
    EXPECT_TRUE(actual.out == expected.out)
        << ::testing::PrintToString(git) << " differs: " << actual.out.size()
        << " bytes instead of " << expected.out.size();
    if (!expected.ok()) return;
    EXPECT_THAT(actual.err, IsEmpty());
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tree_;
  std::string commit_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(ArchiveTest, EveryKindOfEntry) {
  Convert();
  for (const std::string& name :
       {std::string("HEAD"), std::string("v1"), commit_, std::string("v1^{}"),
        std::string("none"), std::string("HEAD:dir/file")}) {
    ExpectSame({}, {name});
  }
}

TEST_F(ArchiveTest, GzipHasTheBytesOfGit) {
  Convert();
  for (const char* const format : {"tar.gz", "tgz"}) {
    const std::string option = std::string("--format=") + format;
    const std::string expected = repo_.TryGit({"archive", option, "HEAD"}).out;
    const ProcessResult actual = Archive({option}, {"HEAD"});
    EXPECT_EQ(actual.exit_code, 0) << actual.err;
    EXPECT_TRUE(actual.out == expected);
  }
}

TEST_F(ArchiveTest, ZipHasTheBytesOfGit) {
  // Text that compresses, an executable, a link and a name that is not ASCII.
  const std::string text = repo_.WriteBlob(std::string(5000, 't'));
  const std::string tree = repo_.WriteTree(
      TreeEntryBytes("100644", "binary", repo_.WriteBlob(std::string(99, 0))) +
      TreeEntryBytes("40000", "directory",
                     repo_.WriteTree(TreeEntryBytes("100755", "x", text))) +
      TreeEntryBytes("100644", "empty", repo_.WriteBlob("")) +
      TreeEntryBytes("120000", "link", repo_.WriteBlob("binary")) +
      TreeEntryBytes("100644", "n\xc3\xa4me", repo_.WriteBlob("x")) +
      TreeEntryBytes("100644", "random", RandomBlob(3000)) +
      TreeEntryBytes("160000", "submodule", FakeId('c')) +
      TreeEntryBytes("100644", "text", text));
  CommitFields fields;
  fields.tree = tree;
  repo_.SetRef("refs/heads/zip", repo_.WriteCommit(fields));
  Convert();
  for (const std::string& name : {std::string("zip"), std::string("HEAD")}) {
    const std::string expected =
        repo_.TryGit({"archive", "--format=zip", "--prefix=p/", name}).out;
    const ProcessResult actual =
        Archive({"--format=zip", "--prefix=p/"}, {name});
    EXPECT_EQ(actual.exit_code, 0) << actual.err;
    EXPECT_TRUE(actual.out == expected)
        << actual.out.size() << " bytes instead of " << expected.size();
  }
}

// What 16 bits cannot count is in a record of its own.
TEST_F(ArchiveTest, ZipOfManyFilesHasTheBytesOfGit) {
  constexpr int kMost = 65535;
  const std::string blob = repo_.WriteBlob("");
  std::string entries;
  for (int i = 1; i < kMost; ++i) {
    entries += TreeEntryBytes("100644", "f" + std::to_string(100000 + i), blob);
  }
  const std::string file = TreeEntryBytes("100644", "g", blob);
  const std::string other = TreeEntryBytes("100644", "h", blob);
  const std::string program = TreeEntryBytes("100755", "h", blob);
  CommitFields fields;
  for (const auto& [name, more] :
       std::map<std::string, std::string>{{"all", file},
                                          {"more", file + other},
                                          {"program", file + program}}) {
    fields.tree = repo_.WriteTree(entries + more);
    repo_.SetRef("refs/heads/" + name, repo_.WriteCommit(fields));
  }
  Convert();
  for (const char* const name : {"all", "more", "program"}) {
    const std::string expected =
        repo_.TryGit({"archive", "--format=zip", name}).out;
    ASSERT_GT(expected.size(), kMost);
    EXPECT_TRUE(Archive({"--format=zip"}, {name}).out == expected) << name;
  }
}

// The dates of ZIP go from 1980 to 2107, the times of Unix in it up to 2106.
TEST_F(ArchiveTest, ZipHasTheNearestTimeOfAnyCommit) {
  constexpr uint64_t kFirst = 315532800 + 86400;
  constexpr uint64_t kLast = 4294967295;
  const std::vector<uint64_t> inside = {kFirst, 2147483647, 2147483648, kLast};
  const std::vector<uint64_t> before = {0, 1, 315532800 - 86400};
  const std::vector<uint64_t> after = {uint64_t{1} << 33, 67767976233532799,
                                       INT64_MAX,         uint64_t{1} << 63,
                                       UINT64_MAX - 1,    UINT64_MAX};
  CommitFields fields;
  fields.tree = repo_.WriteTree(
      TreeEntryBytes("100644", "file", repo_.WriteBlob("content")));
  const auto name = [](uint64_t time) { return "t" + std::to_string(time); };
  for (const auto* times : {&inside, &before, &after}) {
    for (const uint64_t time : *times) {
      fields.time = time;
      repo_.SetRef("refs/heads/" + name(time), repo_.WriteCommit(fields));
    }
  }
  Convert();
  // The times of the first entry: that of MS-DOS, and that of Unix.
  const auto times_of = [&](uint64_t time) {
    const ProcessResult zip = Archive({"--format=zip"}, {name(time)});
    EXPECT_EQ(zip.exit_code, 0) << zip.err;
    EXPECT_GT(zip.out.size(), 60U);
    const size_t field = zip.out.find("UT");
    return RawToHex(zip.out.substr(10, 4)) + ' ' +
           RawToHex(zip.out.substr(field + 5, 4));
  };
  for (const uint64_t time : inside) {
    EXPECT_TRUE(Archive({"--format=zip"}, {name(time)}).out ==
                repo_.TryGit({"archive", "--format=zip", name(time)}).out)
        << time;
  }
  for (const uint64_t time : before) {
    EXPECT_THAT(times_of(time), ::testing::StartsWith("00002100 "));
  }
  for (const uint64_t time : after) {
    EXPECT_EQ(times_of(time), "7dbf9fff ffffffff");
  }
}

TEST_F(ArchiveTest, TheNameOfTheOutputChoosesTheFormat) {
  Convert();
  const std::string tar = repo_.TryGit({"archive", "HEAD"}).out;
  for (const std::string suffix :
       {"tar", "out", "tar.gz", "tgz", "tar.zst", "zip"}) {
    const std::string output = dir_ / ("a." + suffix);
    ASSERT_EQ(Archive({"-o", output}, {"HEAD"}).exit_code, 0);
    const std::string bytes = ReadFile(output);
    if (suffix == "tar" || suffix == "out") {
      EXPECT_TRUE(bytes == tar);
    } else if (suffix == "zip") {
      EXPECT_THAT(bytes, ::testing::StartsWith("PK"));
    } else if (suffix == "tar.zst") {
      const ProcessResult plain = RunProcess({"zstd", "-dqc", output});
      EXPECT_TRUE(plain.out == tar) << plain.err;
    } else {
      EXPECT_TRUE(RunProcess({"gzip", "-dc", output}).out == tar);
    }
  }
  // The option has precedence.
  ASSERT_EQ(Archive({"--format=tar", "-o", dir_ / "b.zip"}, {"HEAD"}).exit_code,
            0);
  EXPECT_TRUE(ReadFile(dir_ / "b.zip") == tar);
  EXPECT_EQ(Archive({"--format=rar"}, {"HEAD"}).exit_code, 129);
}

TEST_F(ArchiveTest, Prefixes) {
  Convert();
  for (const std::string prefix :
       {"project-1.0/", "name", "a/b//", "/", "x/../y/"}) {
    ExpectSame({"--prefix=" + prefix}, {"HEAD"});
  }
  ExpectSame({"--prefix=" + std::string(99, 'p') + "/"}, {"HEAD"});
  ExpectSame({"--prefix=" + std::string(200, 'p') + "/"}, {"HEAD"});
}

TEST_F(ArchiveTest, Paths) {
  Convert();
  const std::vector<std::vector<std::string>> all = {
      {"dir"},          {"dir/"}, {"dir/file"},    {"dir/module"},
      {"deep", "link"}, {"none"}, {"dir", "none"}, {"dir/file/none"},
      {"di"},           {"."},    {"submodule"},   {"dir/file", "a b\n\"c\""}};
  for (const auto& paths : all) {
    std::vector<std::string> arguments = {"HEAD"};
    arguments.insert(arguments.end(), paths.begin(), paths.end());
    ExpectSame({}, arguments);
    ExpectSame({"--prefix=p/"}, arguments);
  }
}

TEST_F(ArchiveTest, ATreeHasNoCommitAndTheTimeOfToday) {
  Convert();
  const ProcessResult result = Archive({}, {"HEAD:dir"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("pax_global_header")));
  EXPECT_EQ(result.out.size(), repo_.Git({"archive", "HEAD:dir"}).size());
}

TEST_F(ArchiveTest, SizesAtTheEndOfABlock) {
  for (const size_t size : {0, 7168, 7680, 8192, 8704, 9216, 9217, 10240}) {
    CommitFields fields;
    fields.tree =
        repo_.WriteTree(TreeEntryBytes("100644", "file", RandomBlob(size)));
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
    Convert();
    ExpectSame({}, {"HEAD"});
  }
}

TEST_F(ArchiveTest, EmptyTreesAndOddTimes) {
  for (const uint64_t time : {uint64_t{0}, uint64_t{8589934591},
                              uint64_t{8589934592}, uint64_t{99999999999}}) {
    CommitFields fields;
    fields.tree = time == 0 ? kEmptyTree : tree_;
    fields.time = time;
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
    Convert();
    ExpectSame({}, {"HEAD"});
    ExpectSame({"--prefix=p/"}, {"HEAD"});
  }
}

TEST_F(ArchiveTest, EveryFileHasTheEmptyTree) {
  Convert();
  ExpectSame({}, {kEmptyTree});
  for (const std::string path : {".", "./", "dir/..", "none/..", "none"}) {
    ExpectSame({}, {kEmptyTree, path});
  }
  EXPECT_THAT(Archive({}, {kEmptyTree, "./"}).err,
              HasSubstr("pathspec '.' did not match any files"));
}

TEST_F(ArchiveTest, OutputIsAFile) {
  Convert();
  const std::string path = dir_ / "x.tar";
  EXPECT_EQ(Archive({"-o", path}, {"HEAD"}).exit_code, 0);
  EXPECT_TRUE(ReadFile(path) == Archive({}, {"HEAD"}).out);
  EXPECT_EQ(Archive({"-o", dir_ / "no/x.tar"}, {"HEAD"}).exit_code, 128);
}

TEST_F(ArchiveTest, TheInputIsNotOverwritten) {
  Convert();
  const std::string before = ReadFile(file_);
  EXPECT_EQ(Archive({"-o", file_}, {"HEAD"}).exit_code, 128);
  EXPECT_TRUE(ReadFile(file_) == before);
  EXPECT_EQ(RunProcess({"sh", "-c", "\"$0\" archive -o \"$1\" - HEAD < \"$1\"",
                        ZpackBinary(), file_})
                .exit_code,
            128);
  EXPECT_TRUE(ReadFile(file_) == before);
}

TEST_F(ArchiveTest, AFailureLeavesTheOldOutput) {
  CommitFields fields;
  fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "gone", FakeId('d')));
  const std::string commit = repo_.WriteCommit(fields);
  Convert();
  const size_t files = ListDirectory(dir_.path()).size();
  const std::string path = dir_ / "x.tar";
  EXPECT_EQ(Archive({"-o", path}, {commit}).exit_code, 128);
  EXPECT_FALSE(Exists(path));
  WriteFile(path, "old");
  EXPECT_EQ(Archive({"-o", path}, {commit}).exit_code, 128);
  EXPECT_EQ(ReadFile(path), "old");
  EXPECT_EQ(ListDirectory(dir_.path()).size(), files + 1);
  EXPECT_EQ(Archive({"-o", "/dev/null"}, {"HEAD"}).exit_code, 0);
}

TEST_F(ArchiveTest, AnInterruptionLeavesNothing) {
  const std::string blob = RandomBlob(64 << 10);
  std::string entries;
  for (int i = 100'000; i < 140'000; ++i) {
    entries += TreeEntryBytes("100644", std::to_string(i), blob);
  }
  const std::string tree = repo_.WriteTree(entries);
  Convert();
  const std::string directory = dir_ / "out";
  std::filesystem::create_directory(directory);
  ZpackProcess process({"archive", "-o", directory + "/x.tar", file_, tree});
  while (ListDirectory(directory).empty()) std::this_thread::yield();
  process.Signal(SIGINT);
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.signal, SIGINT) << ::testing::PrintToString(result);
  EXPECT_THAT(ListDirectory(directory), IsEmpty());
}

TEST_F(ArchiveTest, AttributesThatAreNotAppliedGiveAWarning) {
  const auto archive = [&](const std::string& mode, const std::string& id,
                           const std::vector<std::string>& names) {
    CommitFields fields;
    fields.tree = repo_.WriteTree(TreeEntryBytes(mode, ".gitattributes", id) +
                                  TreeEntryBytes("100644", "x", RandomBlob(1)));
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
    Convert();
    return Archive({}, names);
  };
  const std::string ignores = repo_.WriteBlob("*.x export-ignore\n");
  const std::string warning = "'.gitattributes' are not applied";
  EXPECT_THAT(archive("100644", ignores, {"HEAD"}).err, HasSubstr(warning));
  EXPECT_THAT(archive("100644", ignores, {"HEAD", "x"}).err,
              HasSubstr(warning));
  const std::string none = repo_.WriteBlob("* text=auto diff=cpp\n");
  EXPECT_THAT(archive("100644", none, {"HEAD"}).err, IsEmpty());
  const std::string large = repo_.WriteBlob(std::string(2 << 20, '#'));
  EXPECT_THAT(archive("100644", large, {"HEAD"}).err, HasSubstr(warning));
  // A submodule or a link of that name has none.
  EXPECT_THAT(archive("160000", std::string(ignores.size(), '1'), {"HEAD"}).err,
              IsEmpty());
  EXPECT_THAT(archive("120000", ignores, {"HEAD"}).err, IsEmpty());
}

TEST_F(ArchiveTest, LargeFilesAreStreamed) {
  const std::string large = RandomBytes(1, size_t{70} << 20);
  const std::string blob = repo_.WriteBlob(large);
  CommitFields fields;
  fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "a", blob) +
                                TreeEntryBytes("100644", "b", RandomBlob(9)));
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  Convert();
  ExpectSame({}, {"HEAD"});
}

TEST_F(ArchiveTest, WhatIsNotSupportedIsAnError) {
  Convert();
  EXPECT_EQ(
      Archive({"--format=7z", "-o", dir_ / "x.tar.gz"}, {"HEAD"}).exit_code,
      129);
  EXPECT_EQ(Archive({}, {"HEAD", "*.c"}).exit_code, 128);
  EXPECT_EQ(Archive({}, {}).exit_code, 129);
  EXPECT_FALSE(Exists(dir_ / "x.tar.gz"));
}

TEST_F(ArchiveTest, RefusesUnsafeNames) {
  const std::string blob = repo_.WriteBlob("content");
  const std::vector<std::string> names = {"",     ".",    "..",
                                          ".git", ".GiT", "../x"};
  std::vector<std::string> trees;
  for (const std::string& name : names) {
    const std::string inner =
        repo_.WriteTree(TreeEntryBytes("100644", name, blob));
    trees.push_back(repo_.WriteTree(TreeEntryBytes("40000", "dir", inner)));
  }
  Convert();
  for (size_t i = 0; i < trees.size(); ++i) {
    const ProcessResult result = Archive({}, {trees[i]});
    EXPECT_EQ(result.exit_code, 128) << names[i];
    const std::string message = names[i].empty()
                                    ? "malformed tree"
                                    : "invalid path 'dir/" + names[i] + "'";
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

TEST_F(ArchiveTest, RefusesTheNamesThatGitRefuses) {
  const std::string blob = repo_.WriteBlob("content");
  const std::string inner =
      repo_.WriteTree(TreeEntryBytes("100644", "a", blob));
  std::vector<std::string> trees;
  for (const std::string name : {".git",
                                 ".git ",
                                 ".git.",
                                 ".git . .",
                                 ".git:",
                                 ".git .:x",
                                 ".git::$INDEX_ALLOCATION",
                                 ".git\\x",
                                 ".git\\",
                                 ".gitx",
                                 ".git x",
                                 "git~1",
                                 "GIT~1",
                                 "git~1.",
                                 "git~1 x",
                                 "git~2",
                                 "git~10",
                                 "git~1\\y",
                                 "x\\.git",
                                 "x\\GIT~1 \\y",

                                 "x\\.gitx",
                                 "x\\",
                                 "\\",
                                 "...",
                                 ".. ",
                                 ". ",
                                 "..x",
                                 ".gitmodules",
                                 ".GITmodules",
                                 ".gitmodules .",
                                 ".gitmodules.:x",
                                 ".gitmodules\\x",
                                 ".gitmodulesx",
                                 "gitmod~1",
                                 "GITMOD~4 ",
                                 "gitmod~4:x",
                                 "gitmod~0",
                                 "gitmod~5",
                                 "gitmod~",
                                 "gitmod~12",
                                 "gi7eba~1",
                                 "GI7EBA~9.",
                                 "gi7eb~12",
                                 "gi7eb~1",
                                 "gi7eba~0",
                                 "gi7eba~1x",
                                 "gi7ebx~1",
                                 "g~999999",
                                 "~1234567",
                                 "~1000000:",
                                 "~0123456",
                                 "gi7eba1~",
                                 "x\\.gitmodules",
                                 "x\\gitmod~1 ",
                                 ".gitattributes",
                                 ".gitignore",
                                 "gitatt~1"}) {
    for (const auto& [mode, id] :
         {std::pair("100644", blob), std::pair("120000", blob),
          std::pair("40000", inner), std::pair("160000", FakeId('b'))}) {
      trees.push_back(repo_.WriteTree(TreeEntryBytes(mode, name, id)));
    }
  }
  Convert();
  size_t refused = 0;
  for (const std::string& tree : trees) {
    // Where it refuses the name of a link, it ends with 255.
    const bool gits = repo_.TryGit({"archive", tree}).ok();
    EXPECT_EQ(Archive({}, {tree}).exit_code, gits ? 0 : 128)
        << repo_.Git({"ls-tree", tree});
    refused += gits ? 0 : 1;
  }
  EXPECT_GT(refused, trees.size() / 4);
  EXPECT_LT(refused, trees.size() * 3 / 4);
}

TEST_F(ArchiveTest, MissingFilesAreAnError) {
  CommitFields fields;
  fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "gone", FakeId('d')));
  const std::string commit = repo_.WriteCommit(fields);
  Convert();
  const ProcessResult result = Archive({}, {commit});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr(FakeId('d')));
}

}  // namespace
}  // namespace zpack::testing
