// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A new stock pack from the objects of a source: delta what to copy, search,
// order, and writing.

#pragma once

#include <memory>
#include <string>

#include "pack/stock_pack_writer.h"
#include "repack/delta_search.h"
#include "zpack/options.h"

namespace zpack {

// Phases "Grouping paths", "Compressing objects" and "Writing objects": writes
// all of `list` into a pack in `directory`, under temporary names. Errors are
// those of reading and writing, kSourceCorrupt when an object changed, and
// kInterrupted.
Result<std::unique_ptr<StockPackWriter>> BuildStockPack(
    ObjectSource& source, const ObjectList& list,
    const DeltaSearchOptions& options, const RunOptions& run,
    FileSystem& file_system, const std::string& directory);

}  // namespace zpack
