// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Built instead of batch_hash.cc where there is no libipsec-mb.

#include "base/batch_hash.h"

namespace zpack {

struct BatchHasher::State {};

BatchHasher::~BatchHasher() = default;

std::unique_ptr<BatchHasher> BatchHasher::Create(HashAlgorithm) {
  return nullptr;
}

std::string BatchHasher::Description() {
  return "OpenSSL, one message at a time";
}

void BatchHasher::Run(std::span<const ByteView>, std::span<Hash>) {}

}  // namespace zpack
