// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What reading a file has cost. Plain values.

#pragma once

#include <cstdint>

namespace zpack {

struct ReadCost {
  uint64_t blocks = 0;  // read from the file; a block read twice counts twice
  uint64_t bytes = 0;   // of these blocks in the file, compressed
};

}  // namespace zpack
