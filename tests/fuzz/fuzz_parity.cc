// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A damaged file and its parity: the size of the file in three bytes, the file,
// and the parity, which may also be in the file. Whatever can be repaired is
// repaired.

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "fuzz/engine_edits.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/parity_edits.h"
#include "parity/data_restorer.h"
#include "parity/packet_scanner.h"
#include "parity/repair_plan.h"
#include "support/memory_file.h"

namespace {

using namespace zpack;

void Repair(const RandomAccessFile& file, const RandomAccessFile& parity,
            const ParityParameters& parameters) {
  const ParityShape& shape = parameters.shape;
  // As FindParity limits it.
  if (shape.data_size > file.size() + parity.size()) return;
  const auto set =
      CollectSet(parity, shape.embedded() ? shape.gap : 0, parameters, {});
  if (!set) return;
  RunOptions run;
  run.threads = 1;
  const auto plan = MakeRepairPlan(file, *set, run);
  if (!plan || !plan->possible()) return;
  uint64_t end = 0;
  const Status done = RestoreData(
      {file, parity, *set, *plan}, run, [&](uint64_t offset, ByteView bytes) {
        end = std::max<uint64_t>(end, offset + bytes.size());
        return Status{};
      });
  if (!done || end != shape.data_size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteReader in(ByteView(data, size));
  const uint64_t file_size = (uint64_t{in.U8()} << 16) | in.U16();
  const ByteView file_bytes =
      in.Raw(std::min<uint64_t>(file_size, in.remaining()));
  const ByteView parity_bytes = in.Raw(in.remaining());
  const zpack::testing::MemoryFile file(
      Bytes(file_bytes.begin(), file_bytes.end()));
  const zpack::testing::MemoryFile parity(
      Bytes(parity_bytes.begin(), parity_bytes.end()));
  for (const zpack::testing::MemoryFile* holder : {&parity, &file}) {
    const auto found = FindParameters(*holder, holder->size(), {});
    if (!found) continue;
    for (const ParityParameters& parameters : *found) {
      Repair(file, *holder, parameters);
    }
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  using namespace zpack::testing;
  const EditBytes edit_bytes = EngineEdits(seed);
  Choices choices(seed);
  Bytes input(data, data + size);
  if (choices.OneIn(3) || !EditParity(input, choices, edit_bytes)) {
    edit_bytes(input);
  }
  return Give(input, data, max_size);
}
