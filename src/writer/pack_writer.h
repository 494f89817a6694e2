// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase "Compressing objects": reads planned blocks from the source, encodes
// them in parallel and writes them in order.

#pragma once

#include <array>
#include <cstdint>

#include "base/file.h"
#include "object/object_source.h"
#include "writer/encoding_options.h"
#include "writer/object_list.h"
#include "zpack/options.h"
#include "zpack/refs.h"

namespace zpack {

struct WriteStats {
  struct PerType {
    uint64_t count = 0;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;  // whole block chunks
  };
  std::array<PerType, 5> types;  // by ObjectType; entry 0 unused
  uint64_t file_size = 0;
};

// Writes a whole .zpack file with the objects in `list` and `refs` to `file`
// and syncs it. The same input and options give the same bytes for any number
// of threads. kSourceCorrupt when an object cannot be read or is not what the
// enumeration saw.
Result<WriteStats> WritePack(ObjectSource& source, const ObjectList& list,
                             const RefsSnapshot& refs,
                             const EncodingOptions& options,
                             const RunOptions& run, WritableFile& file);

}  // namespace zpack
