// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/engine_edits.h"

#include <algorithm>

// libFuzzer's own, where it is linked.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data,
                                                         size_t size,
                                                         size_t max_size);

namespace zpack::testing {

EditBytes EngineEdits(uint64_t seed) {
  return [seed](Bytes& bytes) {
    if (LLVMFuzzerMutate == nullptr) return FlipBytes(bytes, seed);
    const size_t size = bytes.size();
    bytes.resize(size + size / 8 + 64);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
  };
}

size_t Give(ByteView bytes, uint8_t* out, size_t max_size) {
  const size_t size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), size, out);
  return size;
}

}  // namespace zpack::testing
