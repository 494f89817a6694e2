// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the steps of a salvage work on.

#pragma once

#include <cstddef>
#include <vector>

#include "reader/file_blocks.h"
#include "reader/proven_ids.h"
#include "salvage/salvaged_blocks.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// `file` is made by SalvagedBlocks::Open and gets its ids from `ids`.
struct Salvaging {
  const SalvagedBlocks& blocks;
  const FileBlocks& file;
  const RunOptions& run;
  ProvenIds& ids;
  std::vector<Error>& damages;

  // Notes that a block costs its objects. Returns the error if it is fatal.
  Status Note(size_t row, const Error& error) const;
};

// Proves the objects of the undamaged blocks (reader/object_prover.h). Uses
// several threads. Errors: kIo, kInterrupted, kOutOfMemory.
Status ProveSalvaged(const Salvaging& salvaging);

}  // namespace zpack
