// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_format.h"

#include <array>

#include "base/hash.h"

namespace zpack {

void AppendSha1(Bytes& bytes) {
  Hasher hasher(HashAlgorithm::kSha1);
  hasher.Update(bytes);
  std::array<uint8_t, Hasher::kMaxSize> storage;
  Append(bytes, hasher.Finish(storage));
}

}  // namespace zpack
