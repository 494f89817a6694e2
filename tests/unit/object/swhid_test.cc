// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// tests/ci/attest_case.py computes the same from repositories.

#include "object/swhid.h"

#include <gtest/gtest.h>

#include <map>

namespace zpack {
namespace {

std::optional<ObjectType> NoObject(const ObjectId& /*id*/) {
  return std::nullopt;
}

// The identifier of the empty snapshot in the archive of Software Heritage.
TEST(SnapshotSwhid, OfNoBranches) {
  EXPECT_EQ(SnapshotSwhid({}, NoObject),
            "swh:1:snp:1a8893e6a86f444e8be8e7bda6cb34fb1735a00e");
}

// 'git hash-object -t snapshot --literally' gives the same hash to the
// manifest.
TEST(SnapshotSwhid, OfEveryKindOfTarget) {
  const auto id = [](char digit) {
    return *ObjectId::FromHex(std::string(40, digit));
  };
  const std::map<ObjectId, ObjectType> types = {{id('1'), ObjectType::kCommit},
                                                {id('2'), ObjectType::kTree},
                                                {id('3'), ObjectType::kBlob},
                                                {id('4'), ObjectType::kTag}};
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/main";
  // Git has no such name, but a file may; it comes before HEAD.
  refs.refs = {{"AA", id('5'), {}, ""},     {"refs/a", id('1'), {}, ""},
               {"refs/b", id('2'), {}, ""}, {"refs/c", id('3'), {}, ""},
               {"refs/d", id('4'), {}, ""}, {"refs/e", {}, {}, "refs/gone"}};
  EXPECT_EQ(
      SnapshotSwhid(refs,
                    [&](const ObjectId& wanted) -> std::optional<ObjectType> {
                      const auto at = types.find(wanted);
                      if (at == types.end()) return std::nullopt;
                      return at->second;
                    }),
      "swh:1:snp:07637ac8f8098184f2eef8c791cf9f13b3239d65");
}

}  // namespace
}  // namespace zpack
