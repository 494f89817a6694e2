// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a new pack back from disk. The function has no state and may be called
// from any thread.

#pragma once

#include <string>

#include "base/file.h"
#include "object/object_id_table.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Implements Phase::kVerifyingObjects: reads a pack and its index from disk,
// hashes every object, and compares the checksums with the index and the ids
// with `expected`. If anything differs, returns kMismatch, naming the object,
// or kCorrupt, naming the entry.
Status VerifyPack(const std::string& pack, const std::string& index,
                  const PackIds& expected, const RunOptions& run,
                  FileSystem& file_system);

}  // namespace zpack
