// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What is going to be written, down to the last byte. Immutable once made; any
// number of threads may read it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "writer/block_worker.h"
#include "writer/encoding_options.h"
#include "writer/object_numbers.h"
#include "writer/reusable_blocks.h"
#include "writer/write_order.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// What goes into a file.
struct ArchiveContents {
  const FileIds& ids;      // of all objects
  const ObjectList& list;  // those that are encoded
  const RefsSnapshot& refs;
  // Holds the other objects; null when there are none.
  const ReusableBlocks* reused = nullptr;

  size_t reused_count() const {
    return reused == nullptr ? 0 : reused->block_count();
  }
};

struct ArchivePlan {
  ArchiveContents contents;
  EncodingOptions options;
  EncodingInput input;
  std::vector<PlannedStretch> stretches;  // behind those that are reused
  FileNumbers numbers;
  std::vector<std::string> features;
  Bytes preamble;  // of the file, until it is finished
};

// Groups, orders, numbers and divides the objects. All arguments outlive the
// plan. Errors are those of reading objects.
Result<ArchivePlan> PlanArchive(ObjectSource& source,
                                const ArchiveContents& contents,
                                const EncodingOptions& options,
                                const RunOptions& run);

}  // namespace zpack
