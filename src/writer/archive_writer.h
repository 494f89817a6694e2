// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase Phase::kCompressingObjects: reads planned blocks from the source,
// encodes them in parallel and writes them in order.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/convert.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct WriteStats {
  std::array<ConvertStats::PerType, 4>
      types;  // in the order of kAllObjectTypes
  ConvertStats::Reused reused;
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
