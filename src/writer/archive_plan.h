// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The plan of an archive, which determines every byte of it. Immutable once
// made, so any number of threads may read it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/link_numbers.h"
#include "format/refs_chunk.h"
#include "inventory/object_list.h"
#include "object/lost_objects.h"
#include "object/object_source.h"
#include "object/promises.h"
#include "writer/block_worker.h"
#include "writer/encoding_options.h"
#include "writer/reusable_blocks.h"
#include "writer/write_order.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The content of an archive.
struct ArchiveContents {
  const FileIds& ids;      // of all objects
  const ObjectList& list;  // the objects to be encoded
  const RefsSnapshot& refs;
  // Holds the objects that are not in `list`; null if there are none.
  const ReusableBlocks* reused = nullptr;
  // Objects of `reused` that objects of `list` may be deltas against.
  FarVersions far = {};
  Promises promises = {};
  LostObjects lost = {};

  // If set, the archive depends on a file with the objects of the blocks of
  // `reused` before `first_reused`, which are not written.
  std::optional<format::BackedRefs> backed = {};
  size_t first_reused = 0;

  // The blocks of `reused` that are written.
  size_t reused_count() const {
    return reused == nullptr ? 0 : reused->block_count() - first_reused;
  }
  // Number of the first object that is written.
  uint32_t first_object() const {
    return backed ? backed->below.object_count : 0;
  }
};

struct ArchivePlan {
  ArchiveContents contents;
  EncodingOptions options;
  EncodingInput input;
  std::vector<PlannedStretch> stretches;  // after the reused blocks
  format::FileNumbers numbers;
  std::vector<std::string> features;
  Bytes preamble;  // start of the file until it is finished
};

// Groups, orders and numbers the objects, and divides them into stretches.
// `source` and everything that `contents` refers to must outlive the plan.
// Errors are those of reading objects.
Result<ArchivePlan> PlanArchive(ObjectSource& source,
                                const ArchiveContents& contents,
                                const EncodingOptions& options,
                                const RunOptions& run);

}  // namespace zpack
