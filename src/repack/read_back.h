// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a new pack back from disk. A function without state; any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "object/object_id_table.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Phase Phase::kVerifyingObjects: reads a pack and its index back from disk,
// hashes every object, and compares checksums with the index and the set of ids
// with `expected`. kMismatch, naming the object, or kCorrupt, naming the entry,
// when anything differs.
Status VerifyPack(const std::string& pack, const std::string& index,
                  const PackIds& expected, const RunOptions& run,
                  FileSystem& file_system);

}  // namespace zpack
