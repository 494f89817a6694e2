// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Refs and reflogs that go into a table come out of it unchanged.

#include "git/restore/restored_reftable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "git/refs/reftable_refs.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::TempDir;
using testing::WriteFile;

class RestoredReftable : public ::testing::Test {
 protected:
  RestoredReftable() { content_.head = {"HEAD", {}, {}, "refs/heads/main"}; }

  static ObjectId Id(uint8_t byte, size_t width = 20) {
    return ObjectId(Bytes(width, byte));
  }
  static std::string Line(uint8_t byte, const std::string& message,
                          size_t width = 20) {
    return Id(static_cast<uint8_t>(byte - 1), width).ToHex() + ' ' +
           Id(byte, width).ToHex() + " A <a@example.com> 1700000000 +0100\t" +
           message + '\n';
  }
  void WriteLog(const std::string& name, const std::string& text) {
    WriteFile(directory_ / ("logs/" + name), text);
    content_.logs.insert(name);
  }
  Status Write(const std::vector<Ref>& refs = {},
               ObjectFormat format = ObjectFormat::kSha1) {
    content_.refs = refs;
    return WriteRestoredReftable(PosixFileSystem(), directory_.path(), format,
                                 content_);
  }
  RepositoryLocation location() const {
    return {"r", directory_.path(), directory_.path(), ""};
  }
  auto Refs(ObjectFormat format = ObjectFormat::kSha1) const {
    return *ListReftableRefs(location(), format);
  }
  auto Logs(ObjectFormat format = ObjectFormat::kSha1) const {
    return *ReadReftableLogs(location(), format);
  }

  TempDir directory_;
  WorktreeRefs content_;
};

TEST_F(RestoredReftable, HoldsAnUnbornHeadAlone) {
  ASSERT_THAT(Write(), IsOk());
  const auto head = ReadReftableHead(location(), ObjectFormat::kSha1);
  ASSERT_THAT(head, IsOk());
  EXPECT_EQ((*head)->symref_target, "refs/heads/main");
  EXPECT_TRUE(Refs().empty());
  EXPECT_TRUE(Logs().empty());
}

TEST_F(RestoredReftable, HoldsADetachedHead) {
  content_.head = {"HEAD", Id(7), {}, ""};
  ASSERT_THAT(Write(), IsOk());
  EXPECT_EQ((*ReadReftableHead(location(), ObjectFormat::kSha1))->target,
            Id(7));
}

TEST_F(RestoredReftable, HoldsRefsAndReflogs) {
  for (const auto& [format, width] :
       {std::pair(ObjectFormat::kSha1, size_t{20}),
        std::pair(ObjectFormat::kSha256, size_t{32})}) {
    std::filesystem::remove_all(directory_ / "reftable");
    std::filesystem::remove_all(directory_ / "refs");
    const std::vector<Ref> refs = {
        {"refs/heads/a", Id(1, width), {}, ""},
        {"refs/heads/b", {}, {}, "refs/heads/a"},
        {"refs/tags/v", Id(2, width), Id(1, width), ""}};
    std::map<std::string, std::string> logs = {
        {"HEAD", Line(1, "first", width) + Line(2, "second", width)},
        {"refs/heads/a", ""},
        {"refs/heads/c/d", Line(1, "of a ref that is gone", width)},
        {"refs/heads/empty", ""}};
    for (int i = 0; i < 3000; ++i) {
      logs["refs/heads/a"] +=
          Line(static_cast<uint8_t>(1 + i % 200), std::to_string(i), width);
    }
    for (const auto& [name, text] : logs) WriteLog(name, text);
    ASSERT_THAT(Write(refs, format), IsOk());
    const auto found = Refs(format);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found.at("refs/heads/a"), refs[0]);
    EXPECT_EQ(found.at("refs/heads/b"), refs[1]);
    EXPECT_EQ(found.at("refs/tags/v").target, Id(2, width));
    EXPECT_EQ(Logs(format), logs);
    EXPECT_FALSE(testing::Exists(directory_ / "logs"));
  }
}

TEST_F(RestoredReftable, HoldsTheLongestNames) {
  std::string name = "refs";
  while (name.size() < 3840) name += '/' + std::string(255, 'n');
  ASSERT_THAT(Write({{name + "/a", Id(1), {}, ""},
                     {name + "/b", {}, {}, name + "/a"},
                     {name + "/c", Id(1), Id(2), ""}}),
              IsOk());
  EXPECT_EQ(Refs().size(), 3U);
  EXPECT_EQ(Refs().at(name + "/b").symref_target, name + "/a");
}

TEST_F(RestoredReftable, LeavesNoRefOutSilently) {
  const Status status =
      Write({{"refs/heads/b", Id(1), {}, ""}, {"refs/heads/a", Id(1), {}, ""}});
  ASSERT_THAT(status, HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(status.error().message, HasSubstr("'refs/heads/a'"));
}

TEST_F(RestoredReftable, CutsLongMessagesAsGitDoes) {
  WriteLog("HEAD", Line(1, std::string(2048, 'x')) +
                       Line(2, std::string(2049, 'x')) +
                       Line(3, std::string(1 << 20, 'x')));
  ASSERT_THAT(Write(), IsOk());
  EXPECT_EQ(Logs().at("HEAD"), Line(1, std::string(2048, 'x')) +
                                   Line(2, std::string(2048, 'x')) +
                                   Line(3, std::string(2048, 'x')));
}

TEST_F(RestoredReftable, RefusesALineThatIsNoEntry) {
  WriteLog("refs/heads/a", Line(1, "x") + "garbage\n" + Line(2, "y"));
  const Status status = Write();
  ASSERT_THAT(status, HasCode(ErrorCode::kUnsupported));
  EXPECT_THAT(status.error().message,
              HasSubstr("line 2 of the reflog of 'refs/heads/a'"));
  EXPECT_THAT(status.error().message, HasSubstr("--ref-format=files"));
  EXPECT_TRUE(testing::ListDirectory(directory_ / "reftable").empty());
}

TEST_F(RestoredReftable, RefusesALogWithoutAnEnd) {
  WriteLog("HEAD", "garbage");
  EXPECT_THAT(Write(), HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack
