// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase "Compressing objects": reads planned blocks from the source, encodes
// them in parallel and writes them in order.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/options.h"

namespace zpack {

struct WriteStats {
  struct PerType {
    uint64_t count = 0;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;  // whole block chunks
  };
  struct Reused {
    uint64_t blocks = 0;  // copied as they are
    uint64_t bytes = 0;   // of these
    uint64_t objects = 0;
    uint64_t renumbered_blocks = 0;
  };
  std::array<PerType, 5> types;  // by ObjectType; entry 0 unused
  Reused reused;
  uint64_t resumed_blocks = 0;  // that an interrupted run had written
  // By block: whether it was copied as it is. Blocks beyond it were not.
  std::vector<bool> copied;
  uint64_t file_size = 0;
};

// Writes a whole .zpack file to `file` and syncs it: reused blocks, then those
// of the plan. `written` of them are there already, and `file` begins with
// them. The same plan gives the same bytes for any number of threads, and
// whatever was written. kSourceCorrupt when an object cannot be read or is not
// what the enumeration saw; errors of reading the reused blocks.
Result<WriteStats> WriteArchive(const ArchivePlan& plan,
                                const WrittenBlocks& written,
                                const RunOptions& run, WritableFile& file);

}  // namespace zpack
