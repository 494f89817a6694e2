// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/worktree_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "support/matchers.h"
#include "support/repo_builder.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsError;
using testing::IsOk;

constexpr uint32_t kFile = 0100644;
constexpr uint32_t kDirectory = 0040000;
constexpr uint32_t kGitlink = 0160000;
constexpr uint16_t kExtended = 0x4000;

// The id whose bytes are all `fill`.
ObjectId Id(uint8_t fill) {
  const std::vector<uint8_t> bytes(ObjectIdWidth(testing::TestFormat()), fill);
  return ObjectId(bytes);
}

struct Entry {
  std::string name;
  uint8_t id = 0;
  uint32_t mode = kFile;
  uint16_t flags = 0;
};

// An index, field by field.
class IndexBytes {
 public:
  IndexBytes(uint32_t version, const std::vector<Entry>& entries)
      : version_(version), to_(bytes_) {
    to_.Raw(AsBytes("DIRC"));
    to_.U32(version);
    to_.U32(static_cast<uint32_t>(entries.size()));
    for (const Entry& entry : entries) Add(entry);
  }

  IndexBytes& Extension(std::string_view name, std::string_view content) {
    to_.Raw(AsBytes(name));
    to_.U32(static_cast<uint32_t>(content.size()));
    to_.Raw(AsBytes(content));
    return *this;
  }

  // With the trailing hash, which nobody looks at.
  Bytes Finish() {
    to_.Raw(Id(0xee).bytes());
    return bytes_;
  }

 private:
  void Add(const Entry& entry) {
    const size_t begin = to_.size();
    for (int field = 0; field < 6; ++field) to_.U32(0xf0f0f0f0);
    to_.U32(entry.mode);
    for (int field = 0; field < 3; ++field) to_.U32(0x0f0f0f0f);
    to_.Raw(Id(entry.id).bytes());
    to_.U16(entry.flags);
    if ((entry.flags & kExtended) != 0) to_.U16(0x2000);
    if (version_ == 4) {
      // Drops 300 bytes of the last name: two bytes of a number.
      to_.U8(0x81);
      to_.U8(0x2c);
    }
    to_.Raw(AsBytes(entry.name));
    to_.U8(0);
    while (version_ < 4 && (to_.size() - begin) % 8 != 0) to_.U8(0);
  }

  uint32_t version_;
  Bytes bytes_;
  ByteWriter to_;
};

// Adds everything that the index keeps alive to `tips`.
Status Read(ByteView bytes, std::set<ObjectId>& tips) {
  const auto index = ReadIndex(testing::TestFormat(), bytes, "the index");
  if (!index) return std::unexpected(index.error());
  tips.insert(index->entries.begin(), index->entries.end());
  tips.insert(index->others.begin(), index->others.end());
  tips.erase(ObjectId());
  return {};
}

std::set<ObjectId> Tips(ByteView bytes) {
  std::set<ObjectId> tips;
  EXPECT_THAT(Read(bytes, tips), IsOk());
  return tips;
}

std::string Text(uint8_t fill) {
  return std::string(ObjectIdWidth(testing::TestFormat()),
                     static_cast<char>(fill));
}

std::string Zero(std::string_view text) {
  std::string with_zero(text);
  with_zero += '\0';
  return with_zero;
}

// Everything that an index can have, in `version`.
Bytes Everything(uint32_t version) {
  std::vector<Entry> entries;
  // Names of all lengths modulo the alignment, an empty one as in a split
  // index too.
  for (uint8_t i = 0; i < 18; ++i) {
    entries.push_back({std::string(i, 'n'), static_cast<uint8_t>(i + 1)});
  }
  entries[5].mode = kDirectory;
  entries[6].mode = kGitlink;
  if (version >= 3) entries[7].flags = kExtended;
  IndexBytes index(version, entries);
  index.Extension("TREE", Zero("") + "3 1\n" + Text(0x21) + Zero("gone") +
                              "-1 0\n" + Zero("dir") + "2 0\n" + Text(0x22));
  index.Extension("REUC", Zero("a") + Zero("100644") + Zero("0") +
                              Zero("100755") + Text(0x31) + Text(0x32) +
                              Zero("b") + Zero("0") + Zero("0") +
                              Zero("120000") + Text(0x33));
  index.Extension("link", Text(0x41) + std::string(24, '\0'));
  index.Extension("EOIE", std::string(24, '\1'));
  return index.Finish();
}

std::set<ObjectId> ExpectedOfEverything() {
  std::set<ObjectId> expected;
  for (uint8_t i = 1; i <= 18; ++i) {
    if (i != 7) expected.insert(Id(i));  // the submodule
  }
  for (const uint8_t id : {0x21, 0x22, 0x31, 0x32}) {
    expected.insert(Id(id));
  }
  return expected;
}

TEST(WorktreeIndexTest, EmptyIndexHasNoTips) {
  for (const uint32_t version : {2U, 3U, 4U}) {
    EXPECT_TRUE(Tips(IndexBytes(version, {}).Finish()).empty());
  }
}

TEST(WorktreeIndexTest, FindsEverythingInEveryVersion) {
  for (const uint32_t version : {2U, 3U, 4U}) {
    SCOPED_TRACE(version);
    EXPECT_EQ(Tips(Everything(version)), ExpectedOfEverything());
  }
}

TEST(WorktreeIndexTest, NamesMayBeLongerThanTheFlagsCount) {
  const std::string name(70000, 'n');
  EXPECT_EQ(Tips(IndexBytes(2, {{name, 1, kFile, 0xfff}, {"z", 2}}).Finish()),
            (std::set<ObjectId>{Id(1), Id(2)}));
}

TEST(WorktreeIndexTest, OptionalExtensionsThatAreNotKnownAreSkipped) {
  EXPECT_EQ(Tips(IndexBytes(2, {{"a", 1}})
                     .Extension("UNTR", Text(9))
                     .Extension("FSMN", "")
                     .Finish()),
            (std::set<ObjectId>{Id(1)}));
}

// As Git: "index uses zzzz extension, which we do not understand".
TEST(WorktreeIndexTest, RefusesExtensionsThatAReaderHasToKnow) {
  std::set<ObjectId> tips;
  for (const char* const name : {"zzzz", "TREe", "1234", "@BCD", "[BCD"}) {
    const Bytes bytes = IndexBytes(2, {{"a", 1}}).Extension(name, "").Finish();
    const bool is_optional = name[0] == 'T';
    EXPECT_EQ(Read(bytes, tips).has_value(), is_optional) << name;
    if (is_optional) continue;
    EXPECT_THAT(Read(bytes, tips), IsError(ErrorCode::kUnsupported,
                                           ::testing::HasSubstr("the index")));
  }
}

TEST(WorktreeIndexTest, SymbolicLinksInResolvedConflictsAreNotKept) {
  const auto index =
      ReadIndex(testing::TestFormat(), Everything(2), "the index");
  ASSERT_THAT(index, IsOk());
  EXPECT_EQ(index->extra, std::set<ObjectId>{Id(0x33)});
}

// A bitmap with one run of equal words, and words after that.
std::string Bitmap(uint64_t run_marker, const std::vector<uint64_t>& words) {
  Bytes bytes;
  ByteWriter to(bytes);
  to.U32(0);  // Git does not look at the number of bits, either
  to.U32(static_cast<uint32_t>(words.size() + 1));
  to.U64(run_marker | uint64_t{words.size()} << 33);
  for (const uint64_t word : words) to.U64(word);
  to.U32(0);
  return std::string(AsText(bytes));
}

WorktreeIndex Split(const std::string& bitmaps) {
  const auto index = ReadIndex(
      testing::TestFormat(),
      IndexBytes(2, {}).Extension("link", Text(0x41) + bitmaps).Finish(),
      "the index");
  EXPECT_THAT(index, IsOk());
  return *index;
}

TEST(WorktreeIndexTest, SplitIndexHidesWhatItDeletesAndReplaces) {
  const WorktreeIndex index =
      Split(Bitmap(0, {0b101}) + Bitmap(uint64_t{1} << 1, {0b10}));
  EXPECT_EQ(index.shared, Id(0x41));
  const auto hidden = ReadHidden(index, 66, "the index");
  ASSERT_THAT(hidden, IsOk());
  for (size_t i = 0; i < 66; ++i) {
    EXPECT_EQ((*hidden)[i], i == 0 || i == 2 || i == 65) << i;
  }
  EXPECT_THAT(
      ReadHidden(index, 65, "the index"),
      IsError(ErrorCode::kSourceCorrupt, ::testing::HasSubstr("the index")));
}

TEST(WorktreeIndexTest, RunsOfOnesHideEverything) {
  const WorktreeIndex index =
      Split(Bitmap(uint64_t{2} << 1 | 1, {0b1}) + Bitmap(0, {}));
  const auto hidden = ReadHidden(index, 129, "the index");
  ASSERT_THAT(hidden, IsOk());
  EXPECT_EQ(*hidden, std::vector<bool>(129, true));
  EXPECT_FALSE(ReadHidden(index, 128, "the index"));
}

TEST(WorktreeIndexTest, SplitIndexMayHideNothing) {
  const auto hidden = ReadHidden(Split(""), 3, "the index");
  ASSERT_THAT(hidden, IsOk());
  EXPECT_EQ(*hidden, std::vector<bool>(3));
}

TEST(WorktreeIndexTest, ZerosStandForNoSharedIndex) {
  const auto index = ReadIndex(
      testing::TestFormat(),
      IndexBytes(2, {}).Extension("link", Text(0)).Finish(), "the index");
  ASSERT_THAT(index, IsOk());
  EXPECT_TRUE(index->shared.empty());
}

TEST(WorktreeIndexTest, RefusesLinksThatAreTooShort) {
  std::set<ObjectId> tips;
  EXPECT_THAT(Read(IndexBytes(2, {}).Extension("link", "short").Finish(), tips),
              HasCode(ErrorCode::kSourceCorrupt));
}

TEST(WorktreeIndexTest, DamagedBitmapsNeverCrash) {
  constexpr uint32_t kSeed = 11;
  std::mt19937 random(kSeed);
  const std::string sound =
      Bitmap(uint64_t{2} << 1 | 1, {0b1, 0}) + Bitmap(0, {3});
  for (int round = 0; round < 3000; ++round) {
    std::string bitmaps = sound.substr(0, 1 + random() % sound.size());
    for (unsigned edits = random() % 8; edits > 0; --edits) {
      bitmaps[random() % bitmaps.size()] = static_cast<char>(random());
    }
    const auto hidden = ReadHidden(Split(bitmaps), 200, "the index");
    if (hidden) {
      EXPECT_EQ(hidden->size(), 200U);
    } else {
      EXPECT_THAT(hidden, HasCode(ErrorCode::kSourceCorrupt));
    }
  }
}

TEST(WorktreeIndexTest, RefusesOtherVersions) {
  std::set<ObjectId> tips;
  for (const uint32_t version : {5U, 0xffffffffU}) {
    EXPECT_THAT(
        Read(IndexBytes(version, {}).Finish(), tips),
        IsError(ErrorCode::kUnsupported, ::testing::HasSubstr("the index")));
  }
  for (const uint32_t version : {0U, 1U}) {
    EXPECT_THAT(
        Read(IndexBytes(version, {}).Finish(), tips),
        IsError(ErrorCode::kSourceCorrupt, ::testing::HasSubstr("the index")));
  }
}

TEST(WorktreeIndexTest, RefusesAnotherSignature) {
  Bytes bytes = Everything(2);
  bytes[0] = 'd';
  std::set<ObjectId> tips;
  EXPECT_THAT(Read(bytes, tips), HasCode(ErrorCode::kSourceCorrupt));
}

TEST(WorktreeIndexTest, RefusesMoreEntriesThanThereAre) {
  for (const uint8_t count : {0x01, 0xff}) {
    Bytes bytes = IndexBytes(2, {{"a", 1}}).Finish();
    bytes[8] = count;
    std::set<ObjectId> tips;
    EXPECT_THAT(Read(bytes, tips), HasCode(ErrorCode::kSourceCorrupt));
  }
}

TEST(WorktreeIndexTest, RefusesExtensionsThatAreTooLong) {
  Bytes bytes = IndexBytes(2, {}).Extension("TREE", "").Finish();
  for (const size_t at : {16U, 17U, 18U, 19U}) {
    Bytes bad = bytes;
    bad[at] = 0xff;
    std::set<ObjectId> tips;
    EXPECT_THAT(Read(bad, tips), HasCode(ErrorCode::kSourceCorrupt));
  }
}

TEST(WorktreeIndexTest, RefusesEveryTruncationInsideEntriesAndExtensions) {
  for (const uint32_t version : {2U, 3U, 4U}) {
    const Bytes whole = Everything(version);
    // Bytes before the end of each extension: there the last bytes that are
    // left pass for the hash, as long as the rest ends with something whole.
    for (size_t size = 0; size < whole.size(); ++size) {
      std::set<ObjectId> tips;
      const Bytes part(whole.begin(),
                       whole.begin() + static_cast<ptrdiff_t>(size));
      const Status status = Read(part, tips);
      if (status) {
        // Nothing but extensions may be missing.
        for (uint8_t i = 1; i <= 18; ++i) {
          EXPECT_EQ(tips.contains(Id(i)), i != 7) << size;
        }
      } else {
        EXPECT_THAT(status, HasCode(ErrorCode::kSourceCorrupt)) << size;
      }
    }
  }
}

TEST(WorktreeIndexTest, DamageNeverCrashes) {
  constexpr uint32_t kSeed = 7;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = Everything(2 + static_cast<uint32_t>(round) % 3);
    for (unsigned edits = 1 + random() % 8; edits > 0; --edits) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    std::set<ObjectId> tips;
    const Status status = Read(bytes, tips);
    if (!status) {
      EXPECT_TRUE(status.error().code == ErrorCode::kSourceCorrupt ||
                  status.error().code == ErrorCode::kUnsupported);
    }
  }
  for (int round = 0; round < 1000; ++round) {
    Bytes bytes = {'D', 'I', 'R', 'C', 0, 0, 0, 2};
    for (unsigned size = random() % 300; size > 0; --size) {
      bytes.push_back(static_cast<uint8_t>(random()));
    }
    std::set<ObjectId> tips;
    (void)Read(bytes, tips);
  }
}

}  // namespace
}  // namespace zpack
