// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes the index of a file that leaves it out, by decoding and hashing
// every object (FORMAT.md, "Derived ids").

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/file.h"
#include "format/trailer.h"
#include "reader/file_blocks.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What was found on the way.
struct Derivation {
  uint64_t objects = 0;  // decoded and hashed
  uint64_t bytes = 0;    // of these objects
  // Blocks that cannot be decoded, and what follows from that. Empty if the
  // index is complete and is the one that the file states.
  std::vector<Error> damages;
};

// `parts` are those of the file, without Parts::id_of; `digest` is what the
// file states of all ids, or nothing if the caller compares them. Uses the
// threads, the memory and the progress of ReadOptions::derivation. Returns the
// first of Derivation::damages, if there is one, and kInterrupted.
Result<FileIndex> DeriveIndex(const RandomAccessFile& file,
                              const ReadOptions& options,
                              FileBlocks::Parts parts,
                              const std::optional<format::Digest>& digest,
                              Derivation& derivation);

}  // namespace zpack
