// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests with Git cannot show (tests/cli/repack_midx_test.cc): packs of
// more than 4 GiB.

#include "pack/multi_pack_index_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "base/posix_file_system.h"
#include "support/matchers.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::IsOk;

class MultiPackIndexWriterTest : public ::testing::Test {
 protected:
  // A pack of objects at these offsets, whose ids begin with 'first' and so on.
  static IndexedPack Pack(const std::string& name, uint8_t first,
                          const std::vector<uint64_t>& offsets) {
    IndexedPack pack;
    pack.name = name;
    Bytes ids;
    for (const uint64_t offset : offsets) {
      Bytes id(20, 0);
      id[0] = first++;
      Append(ids, id);
      pack.index.offsets.push_back(offset);
    }
    pack.index.ids =
        *ObjectIdTable::FromSorted(ObjectFormat::kSha1, std::move(ids));
    return pack;
  }

  // The chunk of the file with this name; empty if there is none.
  Bytes Chunk(const std::vector<IndexedPack>& packs, std::string_view chunk) {
    const std::string path = dir_ / "midx";
    auto file = PosixFileSystem().CreateLocked(path);
    EXPECT_THAT(WriteMultiPackIndex(ObjectFormat::kSha1, 1, packs, **file),
                IsOk());
    const std::string bytes = testing::ReadFile(path);
    const size_t at = bytes.substr(0, 12 + 6 * 12).find(chunk);
    if (at == std::string::npos) return {};
    ByteReader row(AsBytes(bytes).subspan(at + 4));
    const uint64_t begin = row.U64();
    row.U32();
    const uint64_t end = row.U64();
    const ByteView content = AsBytes(bytes).subspan(begin, end - begin);
    return Bytes(content.begin(), content.end());
  }

  testing::TempDir dir_;
};

TEST_F(MultiPackIndexWriterTest, OffsetsOf32BitsNeedNoLargeOnes) {
  const std::vector<IndexedPack> packs = {Pack("a", 1, {12, 0xfffffff0})};
  EXPECT_EQ(Chunk(packs, "LOFF"), Bytes());
  EXPECT_EQ(Chunk(packs, "OOFF"), (Bytes{0, 0, 0, 0, 0, 0, 0, 12,  //
                                         0, 0, 0, 0, 255, 255, 255, 240}));
}

TEST_F(MultiPackIndexWriterTest, OneLargeOffsetMovesAllAbove31Bits) {
  const std::vector<IndexedPack> packs = {
      Pack("b", 1, {12, 0x100000001, 0x80000000}), Pack("a", 9, {0x7fffffff})};
  EXPECT_EQ(Chunk(packs, "LOFF"), (Bytes{0, 0, 0, 1, 0, 0, 0, 1,  //
                                         0, 0, 0, 0, 128, 0, 0, 0}));
  EXPECT_EQ(Chunk(packs, "OOFF"), (Bytes{0, 0, 0, 1, 0,   0,   0,   12,  //
                                         0, 0, 0, 1, 128, 0,   0,   0,   //
                                         0, 0, 0, 1, 128, 0,   0,   1,   //
                                         0, 0, 0, 0, 127, 255, 255, 255}));
}

TEST_F(MultiPackIndexWriterTest, PreferredPackComesBeforeTheYoungest) {
  std::vector<IndexedPack> packs = {Pack("a", 1, {11}), Pack("b", 1, {22}),
                                    Pack("c", 1, {33})};
  EXPECT_EQ(Chunk(packs, "OOFF"), (Bytes{0, 0, 0, 0, 0, 0, 0, 11}));
  packs[2].modified = 5;
  EXPECT_EQ(Chunk(packs, "OOFF"), (Bytes{0, 0, 0, 2, 0, 0, 0, 33}));
  packs[1].preferred = true;
  EXPECT_EQ(Chunk(packs, "OOFF"), (Bytes{0, 0, 0, 1, 0, 0, 0, 22}));
}

// In the order of the files' names, in which '.' comes after '-'.
TEST_F(MultiPackIndexWriterTest, NamesAreSortedAndFilledUp) {
  EXPECT_EQ(Chunk({Pack("a", 1, {11}), Pack("a-b", 2, {22})}, "PNAM"),
            (Bytes{'a', '-', 'b', '.', 'i', 'd', 'x', 0,  //
                   'a', '.', 'i', 'd', 'x', 0, 0, 0}));
}

}  // namespace
}  // namespace zpack
