// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a new pack back from disk. A function without state; any thread.

#pragma once

#include "object/object_id_table.h"
#include "pack/stock_pack_writer.h"
#include "zpack/options.h"

namespace zpack {

// Phase "Verifying objects": reads the pack that `writer` has finished back
// from disk, hashes every object, and compares checksums with the index and the
// set of ids with `expected`. kMismatch, naming the object, or kCorrupt, naming
// the entry, when anything differs.
Status VerifyStockPack(const StockPackWriter& writer,
                       const ObjectIdTable& expected, const RunOptions& run,
                       FileSystem& file_system);

}  // namespace zpack
