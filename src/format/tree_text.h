// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a tree that columns can hold (FORMAT.md, "Trees"). Pure.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack::format {

// Why a tree cannot be in columns: the first thing found.
enum class TreeFlaw : uint8_t {
  kNone,
  kEntry,  // no mode, blank, name, zero byte and id
  kMode,   // not one of kTreeModes
};

// In a few words.
std::string_view FlawName(TreeFlaw flaw);

// Views point into the tree.
struct TreeTextEntry {
  uint8_t mode = 0;  // see kTreeModes
  std::string_view name;
  ByteView id;
};

// Reads the entry at the front of `rest` and, if it has no flaw, drops it from
// there.
TreeFlaw TakeTreeEntry(ByteView& rest, ObjectFormat format,
                       TreeTextEntry& entry);

// The flaw of a whole tree.
TreeFlaw FindTreeFlaw(ByteView content, ObjectFormat format);

}  // namespace zpack::format
