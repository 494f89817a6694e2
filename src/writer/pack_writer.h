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
#include "object/object_source.h"
#include "writer/encoding_options.h"
#include "writer/object_list.h"
#include "writer/reusable_blocks.h"
#include "zpack/options.h"
#include "zpack/refs.h"

namespace zpack {

// What goes into a file.
struct PackContents {
  const ObjectIdTable& ids;  // of all objects
  const ObjectList& list;    // those that are encoded
  const RefsSnapshot& refs;
  // Holds the other objects; null when there are none.
  const ReusableBlocks* reused = nullptr;
};

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
  // By block: whether it was copied as it is. Blocks beyond it were not.
  std::vector<bool> copied;
  uint64_t file_size = 0;
};

// Writes a whole .zpack file to `file` and syncs it: reused blocks, then those
// of `contents.list`. The same input and options give the same bytes for any
// number of threads. kSourceCorrupt when an object cannot be read or is not
// what the enumeration saw; errors of reading the reused blocks.
Result<WriteStats> WritePack(ObjectSource& source, const PackContents& contents,
                             const EncodingOptions& options,
                             const RunOptions& run, WritableFile& file);

}  // namespace zpack
