// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands say what they have read, and '--read-source' reads the objects
// of the repository as well.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/repository_files_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class WhatWasReadTest : public RepositoryFilesFixture {
 protected:
  ProcessResult Update(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"convert", "--update"});
    options.insert(options.end(), {repo_.path(), file_});
    return RunZpack(options);
  }

  ProcessResult Against(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"verify", "--against", repo_.path()});
    options.push_back(file_);
    return RunZpack(options);
  }

  // Gives the object the content of another one, as a failing disk would not.
  void Exchange(const std::string& id, const std::string& other) const {
    const std::string path = repo_.LooseObjectPath(id);
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    WriteFile(path, ReadFile(repo_.LooseObjectPath(other)));
  }

  // Expects that only a run that reads the repository finds `object`.
  void ExpectFound(const std::string& object) const {
    const ProcessResult unchanged = Update();
    EXPECT_EQ(unchanged.exit_code, 0) << unchanged.err;
    EXPECT_THAT(unchanged.err,
                AllOf(StartsWith("Unchanged: "), Not(HasSubstr("verified"))));
    EXPECT_EQ(Against().exit_code, 0);
    const ProcessResult read = Update({"--read-source"});
    EXPECT_EQ(read.exit_code, 128) << read.err;
    EXPECT_THAT(read.err, AllOf(StartsWith("fatal: "), HasSubstr(object)));
    const ProcessResult against = Against({"--read-source"});
    EXPECT_EQ(against.exit_code, 1) << against.err;
    EXPECT_THAT(against.err, AllOf(StartsWith("error: "), HasSubstr(object)));
  }
};

TEST_F(WhatWasReadTest, ADamagedLooseObjectIsFoundWhenTheSourceIsRead) {
  const std::string id = repo_.WriteBlob("the first content");
  const std::string other = repo_.WriteBlob("the other content");
  ASSERT_TRUE(Update().ok());
  Exchange(id, other);
  ExpectFound(id);
  // The new file copies the blob from the older one.
  repo_.WriteBlob("new");
  EXPECT_EQ(Update({"--read-source"}).exit_code, 128);
  const ProcessResult copied = Update();
  EXPECT_EQ(copied.exit_code, 0);
  EXPECT_THAT(copied.err, HasSubstr(" (not read from the repository), added"));
}

TEST_F(WhatWasReadTest, ADamagedPackIsFoundWhenTheSourceIsRead) {
  std::string content;
  for (int i = 0; i < 3000; ++i) content += std::to_string(i * i % 1013) + '\n';
  const std::string id = repo_.WriteBlob(content);
  repo_.SetRef("refs/tags/blob", id);
  repo_.PackAll();
  ASSERT_TRUE(Update().ok());
  std::string pack;
  for (const auto& entry : fs::directory_iterator(InGitDir("objects/pack"))) {
    if (entry.path().extension() == ".pack") pack = entry.path().string();
  }
  std::string bytes = ReadFile(pack);
  // The blob takes most of the pack.
  bytes.at(bytes.size() / 2) ^= 0x10;
  fs::permissions(pack, fs::perms::owner_write, fs::perm_options::add);
  WriteFile(pack, bytes);
  ExpectFound(id);
}

TEST_F(WhatWasReadTest, TheNumbersSayWhatWasReadFromTheRepository) {
  const auto numbers = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all = {"--json"};
    all.insert(all.end(), options.begin(), options.end());
    const Json json = Json::parse(Update(all).out, nullptr, false);
    return std::pair(json["source_objects_verified"].get<int>(),
                     json["objects"].get<int>());
  };
  const auto [read, objects] = numbers({});
  EXPECT_EQ(read, objects);
  EXPECT_GT(objects, 0);
  EXPECT_EQ(numbers({}), std::pair(0, objects));
  EXPECT_EQ(numbers({"--read-source"}), std::pair(objects, objects));
  repo_.WriteBlob("new");
  EXPECT_EQ(numbers({}), std::pair(1, objects + 1));
  repo_.WriteBlob("newer");
  EXPECT_EQ(numbers({"--read-source", "--no-verify"}),
            std::pair(objects + 2, objects + 2));
  const auto against = [&](const std::vector<std::string>& options) {
    return Json::parse(Against(options).out)["source_objects_verified"];
  };
  EXPECT_EQ(against({"--json"}), 0);
  EXPECT_EQ(against({"--json", "--read-source"}), objects + 2);
  EXPECT_THAT(Against().out, HasSubstr("(contents of objects not read)"));
  EXPECT_THAT(Against({"--read-source"}).out,
              HasSubstr("(contents of objects read)"));
  EXPECT_EQ(RunZpack({"verify", "--read-source", file_}).exit_code, 129);
}

// The digest and the hash are in the last 76 bytes of a file. No object needs
// them.
TEST_F(WhatWasReadTest, RestoreWarnsOfADamagedEnd) {
  ASSERT_TRUE(Convert({"-q"}).ok());
  const std::string intact = ReadFile(file_);
  const auto restore_damaged = [&](size_t offset) {
    std::string bytes = intact;
    bytes.at(offset) ^= 0x10;
    WriteFile(file_, bytes);
    return Restore({"-q"});
  };
  EXPECT_EQ(Restore({"-q"}).err, "");
  const ProcessResult hash = restore_damaged(intact.size() - 1);
  EXPECT_EQ(hash.exit_code, 0);
  EXPECT_THAT(hash.err, AllOf(StartsWith("warning: bad file hash in trailer at "
                                         "offset "),
                              HasSubstr(file_)));
  EXPECT_THAT(SplitLines(hash.err), ::testing::SizeIs(1));
  EXPECT_THAT(Restore({"-q", "--keep-going"}).err, StartsWith("warning: bad"));
  // Whatever byte of the end is wrong, the file is refused, or a warning says
  // so. The start has the same form.
  size_t warnings = 0;
  for (size_t i = 0; i < 80; i += 3) {
    const ProcessResult result = restore_damaged(intact.size() - 1 - i);
    if (result.exit_code != 0) continue;
    EXPECT_THAT(result.err, StartsWith("warning: ")) << i;
    ++warnings;
  }
  EXPECT_GT(warnings, 20U);
  const ProcessResult start = restore_damaged(20);
  EXPECT_EQ(start.exit_code, 0);
  EXPECT_THAT(start.err, StartsWith("warning: "));
  EXPECT_THAT(start.err, Not(HasSubstr("trailer")));
}

}  // namespace
}  // namespace zpack::testing
