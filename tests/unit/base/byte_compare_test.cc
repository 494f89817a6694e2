// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/byte_compare.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace zpack {
namespace {

constexpr size_t kMaxSize = 40;

// Bytes that are all different; buffers of exactly that size, so that
// AddressSanitizer sees a read beyond them.
Bytes Counting(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i);
  return bytes;
}

TEST(LoadWord, HasTheFirstByteLowestOnEveryMachine) {
  EXPECT_EQ(LoadWord(Counting(8).data()), 0x0706050403020100U);
}

TEST(CommonPrefix, EndsAtTheFirstDifference) {
  for (size_t size = 1; size <= kMaxSize; ++size) {
    const Bytes a = Counting(size);
    for (size_t at = 0; at < size; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes b = a;
        b[at] ^= static_cast<uint8_t>(1 << bit);
        ASSERT_EQ(CommonPrefix(a.data(), b.data(), size), at) << size;
      }
    }
  }
}

TEST(CommonSuffix, EndsAtTheLastDifference) {
  for (size_t size = 1; size <= kMaxSize; ++size) {
    const Bytes a = Counting(size);
    for (size_t at = 0; at < size; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes b = a;
        b[at] ^= static_cast<uint8_t>(1 << bit);
        ASSERT_EQ(CommonSuffix(a.data() + size, b.data() + size, size),
                  size - 1 - at)
            << size;
      }
    }
  }
}

TEST(CommonPrefix, CountsOnlyTheFirstOfSeveralDifferences) {
  const Bytes a = Counting(kMaxSize);
  for (size_t at = 0; at < kMaxSize; ++at) {
    Bytes b = a;
    for (size_t i = at; i < kMaxSize; ++i) b[i] ^= 0xff;
    ASSERT_EQ(CommonPrefix(a.data(), b.data(), kMaxSize), at);
  }
}

TEST(CommonSuffix, CountsOnlyTheLastOfSeveralDifferences) {
  const Bytes a = Counting(kMaxSize);
  for (size_t at = 0; at < kMaxSize; ++at) {
    Bytes b = a;
    for (size_t i = 0; i <= at; ++i) b[i] ^= 0xff;
    ASSERT_EQ(CommonSuffix(a.data() + kMaxSize, b.data() + kMaxSize, kMaxSize),
              kMaxSize - 1 - at);
  }
}

TEST(CommonPrefix, GoesNoFurtherThanTheLimit) {
  for (size_t size = 0; size <= kMaxSize; ++size) {
    const Bytes a = Counting(size);
    const Bytes b = a;
    for (size_t limit = 0; limit <= size; ++limit) {
      ASSERT_EQ(CommonPrefix(a.data(), b.data(), limit), limit);
      ASSERT_EQ(CommonSuffix(a.data() + size, b.data() + size, limit), limit);
    }
  }
}

TEST(CommonPrefix, IsZeroForNothing) {
  EXPECT_EQ(CommonPrefix(nullptr, nullptr, 0), 0U);
  EXPECT_EQ(CommonSuffix(nullptr, nullptr, 0), 0U);
}

TEST(CommonPrefix, WorksAtAnyAlignment) {
  const Bytes a = Counting(kMaxSize);
  for (size_t shift = 0; shift < 9; ++shift) {
    Bytes b(shift);
    Append(b, a);
    ASSERT_EQ(CommonPrefix(a.data(), b.data() + shift, kMaxSize), kMaxSize);
    ASSERT_EQ(CommonSuffix(a.data() + kMaxSize, b.data() + b.size(), kMaxSize),
              kMaxSize);
  }
}

}  // namespace
}  // namespace zpack
