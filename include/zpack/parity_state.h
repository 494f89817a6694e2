// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What is left of the parity of a file. Plain values; thread-compatible.

#pragma once

#include <cstdint>
#include <string>

namespace zpack {

// Where parity is: in the file itself, or in a file of its own beside it, whose
// name has '.zpar' at the end.
enum class ParityPlace : uint8_t { kInside, kBeside };

struct ParityState {
  std::string path;  // the file that holds the parity
  // Undamaged when the parity was made. 0 if the file has a chunk of parity of
  // which no packet is left.
  uint64_t parity_shards = 0;
  uint64_t parity_left = 0;  // undamaged now
  // Shards of the file that are damaged, missing or moved.
  uint64_t damaged_shards = 0;
  ParityPlace place = ParityPlace::kBeside;
  // Whether Repair can restore the file.
  bool repair_possible = false;
  // Every byte of the parity is as it was made.
  bool intact = false;
  // A damaged run of up to this many bytes, in addition to the damage that is
  // there, takes no more parity than is left. The parity shards are as they
  // were written; that they fit the data shows only when a file is repaired.
  uint64_t repairable_bytes = 0;
};

}  // namespace zpack
