// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Known answers: FIPS 180 for SHA, xxHash's own documentation for XXH3.

#include "base/hash.h"

#include <gtest/gtest.h>

#include "base/hex.h"

namespace zpack {
namespace {

std::string Hash(HashAlgorithm algorithm, std::string_view text) {
  Hasher hasher(algorithm);
  hasher.Update(AsBytes(text));
  std::array<uint8_t, Hasher::kMaxSize> out;
  return ToHex(hasher.Finish(out));
}

TEST(Hasher, GivesThePublishedSha1) {
  EXPECT_EQ(Hash(HashAlgorithm::kSha1, "abc"),
            "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hash(HashAlgorithm::kSha1, ""),
            "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(Hasher, GivesThePublishedSha256) {
  EXPECT_EQ(Hash(HashAlgorithm::kSha256, "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hasher, StartsOverAfterFinish) {
  Hasher hasher(HashAlgorithm::kSha1);
  std::array<uint8_t, Hasher::kMaxSize> out;
  hasher.Update(AsBytes("something else"));
  hasher.Finish(out);
  hasher.Update(AsBytes("ab"));
  hasher.Update(AsBytes("c"));
  EXPECT_EQ(ToHex(hasher.Finish(out)),
            "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Checksum, GivesThePublishedXxh3) {
  EXPECT_EQ(Checksum({}), 0x2d06800538d394c2U);
}

TEST(Hex, RoundTripsAndRefusesOtherCharacters) {
  const Bytes bytes = {0x00, 0x7f, 0xab, 0xff};
  EXPECT_EQ(ToHex(bytes), "007fabff");
  EXPECT_EQ(FromHex("007FabFF"), bytes);
  EXPECT_FALSE(FromHex("0"));
  EXPECT_FALSE(FromHex("0g"));
}

TEST(ChecksumHasher, DoesNotCareAboutPieces) {
  Bytes bytes;
  ChecksumHasher hasher;
  EXPECT_EQ(hasher.Value(), Checksum({}));
  for (size_t size = 0; size < 700; size += 13) {
    const Bytes piece(size, static_cast<uint8_t>(size));
    hasher.Update(piece);
    Append(bytes, piece);
    EXPECT_EQ(hasher.Value(), Checksum(bytes));
  }
}

}  // namespace
}  // namespace zpack
