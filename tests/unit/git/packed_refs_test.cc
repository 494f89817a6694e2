// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/packed_refs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsError;
using testing::IsOk;

// The id whose hexadecimal digits are all `digit`.
std::string Hex(ObjectFormat format, char digit) {
  return std::string(2 * ObjectIdWidth(format), digit);
}

class PackedRefsTest : public ::testing::TestWithParam<ObjectFormat> {
 protected:
  Result<RefsByName> Read(const std::string& content) const {
    testing::WriteFile(dir_ / "packed-refs", content);
    return ReadPackedRefs(GetParam(), dir_.path(), "the repository");
  }
  static std::string Hex(char digit) { return zpack::Hex(GetParam(), digit); }

  testing::TempDir dir_;
};

TEST_P(PackedRefsTest, NoFileHasNoRefs) {
  const auto refs = ReadPackedRefs(GetParam(), dir_.path(), "");
  ASSERT_THAT(refs, IsOk());
  EXPECT_TRUE(refs->empty());
}

TEST_P(PackedRefsTest, ReadsRefsInAnyOrder) {
  for (const std::string header :
       {"", "# pack-refs with: peeled fully-peeled sorted \n"}) {
    const auto refs = Read(header + Hex('2') + " refs/tags/v1\n^" + Hex('3') +
                           '\n' + Hex('1') + "\trefs/heads/a b\n");
    ASSERT_THAT(refs, IsOk());
    ASSERT_EQ(refs->size(), 2U);
    const Ref& branch = refs->at("refs/heads/a b");
    EXPECT_EQ(branch.name, "refs/heads/a b");
    EXPECT_EQ(branch.target.ToHex(), Hex('1'));
    EXPECT_FALSE(branch.symbolic());
    EXPECT_EQ(refs->at("refs/tags/v1").target.ToHex(), Hex('2'));
    // The tag itself says where it leads.
    EXPECT_TRUE(refs->at("refs/tags/v1").peeled.empty());
  }
}

TEST_P(PackedRefsTest, RefusesMalformedLines) {
  const ObjectFormat other = GetParam() == ObjectFormat::kSha1
                                 ? ObjectFormat::kSha256
                                 : ObjectFormat::kSha1;
  const std::string good = Hex('1') + " refs/heads/a\n";
  ASSERT_THAT(Read(good), IsOk());
  for (const std::string& bad : std::vector<std::string>{
           Hex('1') + " refs/heads/a",  // not terminated
           "# a header without an end",
           good + "# pack-refs with: \n",
           "\n",
           Hex('1') + " \n",
           Hex('1') + "\n",
           "# some comment\n" + good,
           "1" + Hex('1') + " refs/heads/a\n",
           Hex('1').substr(1) + " refs/heads/a\n",
           Hex('g') + " refs/heads/a\n",
           zpack::Hex(other, '1') + " refs/heads/a\n",
           '^' + Hex('1') + '\n',
           good + '^' + Hex('1') + '\n' + '^' + Hex('1') + '\n',
           good + '^' + Hex('1') + "0\n",
           good + '^' + Hex('1').substr(1) + '\n',
       }) {
    EXPECT_THAT(
        Read(bad),
        IsError(ErrorCode::kSourceCorrupt,
                ::testing::HasSubstr("of 'the repository': unexpected line")))
        << ::testing::PrintToString(bad);
  }
}

TEST_P(PackedRefsTest, RefusesANameThatOccursTwice) {
  EXPECT_THAT(Read(Hex('1') + " refs/heads/a\n" + Hex('2') + " refs/heads/a\n"),
              IsError(ErrorCode::kSourceCorrupt,
                      ::testing::HasSubstr("'refs/heads/a' occurs twice")));
}

TEST_P(PackedRefsTest, DirectoryIsAnError) {
  std::filesystem::create_directory(dir_ / "packed-refs");
  EXPECT_THAT(ReadPackedRefs(GetParam(), dir_.path(), ""),
              HasCode(ErrorCode::kInvalidArgument));
}

INSTANTIATE_TEST_SUITE_P(Formats, PackedRefsTest,
                         ::testing::Values(ObjectFormat::kSha1,
                                           ObjectFormat::kSha256),
                         [](const auto& one) {
                           return std::string(ObjectFormatName(one.param));
                         });

}  // namespace
}  // namespace zpack
