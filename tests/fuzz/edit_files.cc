// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The mutations of targets whose input is a .zpack file.

#include "fuzz/choices.h"
#include "fuzz/engine_edits.h"
#include "fuzz/file_mutator.h"
#include "fuzz/fuzz_target.h"

using namespace zpack;
using namespace zpack::testing;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  const EditBytes edit_bytes = EngineEdits(seed);
  Bytes file = MutateFile({data, size}, seed, edit_bytes);
  // Damage, which a checksum tells.
  if (Choices(seed).OneIn(8)) edit_bytes(file);
  return Give(file, data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_size,
                                            unsigned seed) {
  return Give(
      CrossFiles({data1, size1}, {data2, size2}, seed, EngineEdits(seed)), out,
      max_size);
}
