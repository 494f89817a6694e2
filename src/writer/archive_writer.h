// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Implements Phase::kCompressingObjects: reads the planned objects from the
// source, encodes them in parallel and writes the blocks in order.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/files_writer.h"
#include "writer/written_blocks.h"
#include "zpack/convert_stats.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct WriteStats {
  std::array<ConvertStats::PerType, 4>
      types;  // in the order of kAllObjectTypes
  ConvertStats::Reused reused;
  ConvertStats::Added added;
  uint64_t resumed_blocks = 0;  // written by an interrupted run
  uint64_t resumed_bytes = 0;   // of these blocks
  // By reused block: true if the block was copied without a change. Blocks
  // beyond the end of `copied` were encoded.
  std::vector<bool> copied;
  uint64_t files = 0;       // of the repository
  uint64_t file_bytes = 0;  // their contents
  uint64_t file_size = 0;
  // Bytes that one thread took for large blobs. 0 if there are none.
  uint64_t large_memory = 0;
};

// Writes a whole .zpack file to `file` and syncs it: first the reused blocks,
// then the blocks of the plan, and the files of the repository (none if `files`
// is null). `file` already begins with the blocks of `written`, which are not
// encoded again. The bytes of the file depend only on the plan and `files`, not
// on the number of threads or on `written`. Returns kSourceCorrupt if an object
// cannot be read or differs from what the enumeration saw, and the errors of
// reading reused blocks and of writing.
Result<WriteStats> WriteArchive(const ArchivePlan& plan,
                                const WrittenBlocks& written,
                                const FilesToWrite* files,
                                const RunOptions& run, WritableFile& file);

}  // namespace zpack
