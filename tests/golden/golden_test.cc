// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that earlier versions wrote must keep decoding. tests/golden/v<N> holds
// them with the output of cat-file --batch-check (.txt) and list-refs (.refs).
// They are never edited and never deleted. rev-list is compared with Git.
// tests/golden/drafts holds files of drafts of the format, which are refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

std::string Output(const std::vector<std::string>& arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const int code = cli::Run(arguments, {in, out, err, false, {}});
  EXPECT_EQ(code, cli::kDone) << err.str();
  return out.str();
}

bool LacksObjects(const std::string& path) {
  const std::string shown = Output({"show", path});
  return shown.find("promisor remote") != std::string::npos ||
         shown.find("lost objects") != std::string::npos;
}

TEST(Golden, EveryOldFileStillDecodes) {
  int files = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(ZPACK_GOLDEN_DIRECTORY "/v1")) {
    if (entry.path().extension() != ".zpack") continue;
    SCOPED_TRACE(entry.path());
    const std::string path = entry.path().string();
    Output({"verify", "-q", "--level=connectivity", path});
    EXPECT_EQ(
        Output({"cat-file", "--batch-check", "--batch-all-objects", path}),
        ReadFile(fs::path(path).replace_extension(".txt").string()));
    EXPECT_EQ(Output({"list-refs", "--symref", "-d", path}),
              ReadFile(fs::path(path).replace_extension(".refs").string()));
    // As Git walks what the file gives back.
    const TempDir directory;
    const std::string restored = directory / "restored.git";
    Output({"restore", "-q", path, restored});
    std::vector<std::string> walk = {"rev-list", "--objects", "--all"};
    // Git cannot walk to a lost blob. The remote of a partial clone does not
    // exist.
    if (LacksObjects(path)) walk = {"rev-list", "--all"};
    const ProcessResult expected = RunGit(walk, restored);
    EXPECT_TRUE(expected.ok()) << expected.err;
    walk.push_back(path);
    EXPECT_EQ(Output(walk), expected.out);
    ++files;
  }
  EXPECT_GE(files, 5);
}

// One run for each object, so that each is looked up in the file.
TEST(Golden, EveryObjectOfOldFilesIsFound) {
  int objects = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(ZPACK_GOLDEN_DIRECTORY "/v1")) {
    if (entry.path().extension() != ".zpack") continue;
    SCOPED_TRACE(entry.path());
    const std::string path = entry.path().string();
    std::istringstream lines(
        ReadFile(fs::path(path).replace_extension(".txt").string()));
    std::string id;
    std::string type;
    std::string size;
    while (lines >> id >> type >> size) {
      EXPECT_EQ(Output({"cat-file", "-t", path, id}), type + "\n");
      EXPECT_EQ(Output({"cat-file", "-s", path, id.substr(0, 12)}),
                size + "\n");
      ++objects;
    }
  }
  EXPECT_GE(objects, 170);
}

TEST(Golden, FilesOfDraftsAreRefusedByName) {
  int files = 0;
  for (const auto& entry :
       fs::directory_iterator(ZPACK_GOLDEN_DIRECTORY "/drafts")) {
    SCOPED_TRACE(entry.path());
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(
        cli::Run({"verify", entry.path().string()}, {in, out, err, false, {}}),
        cli::kFailed);
    EXPECT_NE(err.str().find("chunk 'OIDS' is of a draft of the format"),
              std::string::npos)
        << err.str();
    ++files;
  }
  EXPECT_EQ(files, 3);
}

// The parity of v1/parity.zpack, in the file, and of v1/columns.zpack, beside
// it.
TEST(Golden, OldParityStillRepairs) {
  const std::string directory = ZPACK_GOLDEN_DIRECTORY "/v1/";
  for (const std::string name : {"parity.zpack", "columns.zpack"}) {
    SCOPED_TRACE(name);
    const TempDir copy;
    const std::string original = ReadFile(directory + name);
    std::string damaged = original;
    damaged[0] = 'x';
    damaged[300] = static_cast<char>(damaged[300] ^ 1);
    WriteFile(copy / "a", damaged);
    std::vector<std::string> repair = {"repair", "-q", "--in-place",
                                       copy / "a"};
    if (name == "columns.zpack") {
      repair.push_back(directory + name + ".zpar");
    }
    Output(repair);
    EXPECT_TRUE(ReadFile(copy / "a") == original);
  }
}

}  // namespace
}  // namespace zpack::testing
