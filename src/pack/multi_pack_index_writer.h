// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes an index of several packs, a multi-pack-index (gitformat-pack(5)),
// with the bytes that 'git multi-pack-index write' gives it. A function without
// state; any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "pack/pack_index.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct IndexedPack {
  std::string name;        // without extension
  int64_t modified = 0;    // time of the pack, in seconds since 1970
  bool preferred = false;  // at most one pack
  PackIndex index;
};

// The file formats of a multi-pack-index that Git has. Without layers they
// differ in nothing but the number.
constexpr unsigned kFirstMultiPackIndexVersion = 1;
constexpr unsigned kLastMultiPackIndexVersion = 2;

// Appends the multi-pack-index to `file`. If several packs have an object, the
// index names the preferred pack, or else the youngest one. Packs of the same
// time count by name. kLimitExceeded above 2^32 - 1 objects; errors of writing.
Status WriteMultiPackIndex(ObjectFormat format, unsigned version,
                           std::vector<IndexedPack> packs, WritableFile& file);

}  // namespace zpack
