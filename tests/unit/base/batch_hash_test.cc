// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/batch_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/repo_builder.h"

namespace zpack {
namespace {

class BatchHasherTest : public ::testing::TestWithParam<HashAlgorithm> {
 protected:
  void SetUp() override {
    batch_ = BatchHasher::Create(GetParam());
    if (batch_ == nullptr) GTEST_SKIP() << "not on this machine";
  }

  // Hashes the first bytes of `content_` in these lengths.
  void ExpectHashes(const std::vector<size_t>& sizes) {
    std::vector<ByteView> messages;
    for (const size_t size : sizes) {
      messages.push_back(AsBytes(content_).first(size));
    }
    std::vector<BatchHasher::Hash> hashes(sizes.size());
    batch_->Run(messages, hashes);
    for (size_t i = 0; i < sizes.size(); ++i) {
      single_.Update(messages[i]);
      std::array<uint8_t, Hasher::kMaxSize> out;
      const ByteView expected = single_.Finish(out);
      EXPECT_TRUE(std::ranges::equal(
          expected, ByteView(hashes[i]).first(expected.size())))
          << "of " << sizes[i] << " bytes";
    }
  }

  std::unique_ptr<BatchHasher> batch_;
  Hasher single_{GetParam()};
  std::string content_ = testing::RandomBytes(1, BatchHasher::kMaxMessage);
};

TEST_P(BatchHasherTest, HashesEveryLength) {
  std::vector<size_t> sizes;
  for (size_t size = 1; size < 700; ++size) sizes.push_back(size);
  for (size_t back = 0; back < 140; ++back) {
    sizes.push_back(BatchHasher::kMaxMessage - back);
  }
  ExpectHashes(sizes);
}

TEST_P(BatchHasherTest, HashesAnyNumberAtATime) {
  for (size_t count = 0; count < 70; ++count) {
    std::vector<size_t> sizes;
    for (size_t i = 0; i < count; ++i) {
      sizes.push_back(1 + (i * 7919 + count * 104729) % 20000);
    }
    ExpectHashes(sizes);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, BatchHasherTest,
                         ::testing::Values(HashAlgorithm::kSha1,
                                           HashAlgorithm::kSha256));

}  // namespace
}  // namespace zpack
