// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_id_table.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "base/hex.h"

namespace zpack {
namespace {

// Tables of other ranks do not convert, not even by way of the base class.
static_assert(!std::is_convertible_v<FileIds, ListIds>);
static_assert(!std::is_constructible_v<ListIds, const FileIds&>);
static_assert(std::is_convertible_v<ObjectIdTable, FileIds>);

// An id that starts with `prefix` and goes on with zeros.
ObjectId Id(std::string prefix) {
  prefix.resize(40, '0');
  return *ObjectId::FromHex(prefix);
}

ObjectIdTable Table(const std::vector<std::string>& prefixes) {
  Bytes ids;
  for (const auto& prefix : prefixes) Append(ids, Id(prefix).bytes());
  return *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, ids);
}

TEST(ObjectIdTable, SortsAndDropsDuplicates) {
  const ObjectIdTable table = Table({"ff", "00", "7f", "00", "ff"});
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0], Id("00"));
  EXPECT_EQ(table[1], Id("7f"));
  EXPECT_EQ(table[2], Id("ff"));
}

TEST(ObjectIdTable, FindsEveryIdAndNoOther) {
  const ObjectIdTable table = Table({"00", "0001", "7f", "ff", "ffff"});
  for (uint32_t rank = 0; rank < table.size(); ++rank) {
    EXPECT_EQ(table.Find(table[rank]), rank);
  }
  EXPECT_FALSE(table.Find(Id("01")));
  EXPECT_FALSE(table.Find(Id("fffe")));
  EXPECT_FALSE(table.Find(ObjectId(Bytes(32, 0))));
}

TEST(ObjectIdTable, FindsNothingInAnEmptyOne) {
  EXPECT_FALSE(Table({}).Find(Id("00")));
  EXPECT_EQ(Table({}).FindPrefix("00"), std::pair(0U, 0U));
}

TEST(ObjectIdTable, FindsPrefixesOfOddAndEvenLength) {
  const ObjectIdTable table = Table({"1200", "1234", "1235", "13", "ff"});
  EXPECT_EQ(table.FindPrefix("12"), std::pair(0U, 3U));
  EXPECT_EQ(table.FindPrefix("123"), std::pair(1U, 3U));
  EXPECT_EQ(table.FindPrefix("1235"), std::pair(2U, 3U));
  EXPECT_EQ(table.FindPrefix("F"), std::pair(4U, 5U));
  const auto [first, last] = table.FindPrefix("9");
  EXPECT_EQ(first, last);
  EXPECT_EQ(table.FindPrefix("xy"), std::pair(0U, 0U));
  EXPECT_EQ(table.FindPrefix(""), std::pair(0U, 0U));
}

TEST(ObjectIdTable, RefusesSortedIdsThatAreNot) {
  Bytes ids;
  Append(ids, Id("02").bytes());
  Append(ids, Id("01").bytes());
  const auto table = ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::kCorrupt);
}

TEST(ObjectIdTable, RefusesRepeatedSortedIds) {
  Bytes ids;
  Append(ids, Id("02").bytes());
  Append(ids, Id("02").bytes());
  EXPECT_FALSE(ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids));
}

TEST(RanksOnlyIn, NamesWhatTheOtherTableLacks) {
  const ObjectIdTable a = Table({"01", "02", "04"});
  const ObjectIdTable b = Table({"02", "03", "05"});
  EXPECT_EQ(RanksOnlyIn(a, b), (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(RanksOnlyIn(b, a), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(RanksOnlyIn(a, Table({})), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(RanksOnlyIn(Table({}), a), std::vector<uint32_t>());
}

TEST(ObjectId, ParsesBothWidthsAndNothingElse) {
  EXPECT_EQ(ObjectId::FromHex(std::string(40, 'a'))->bytes().size(), 20U);
  EXPECT_EQ(ObjectId::FromHex(std::string(64, 'A'))->bytes().size(), 32U);
  EXPECT_FALSE(ObjectId::FromHex(std::string(39, 'a')));
  EXPECT_FALSE(ObjectId::FromHex(std::string(42, 'a')));
  EXPECT_FALSE(ObjectId::FromHex(std::string(40, 'g')));
}

}  // namespace
}  // namespace zpack
