// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits a tree into the parts that columns store (FORMAT.md, "Trees"). Pure.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack::format {

// The first reason why a tree cannot be stored in columns.
enum class TreeFlaw : uint8_t {
  kNone,
  kEntry,  // not mode, blank, name, zero byte and id
  kMode,   // not in kTreeModes
};

// A short description for messages.
std::string_view FlawName(TreeFlaw flaw);

// The views point into the tree.
struct TreeTextEntry {
  uint8_t mode = 0;  // index in kTreeModes
  std::string_view name;
  ByteView id;
};

// Reads the entry at the front of `rest`. If the entry has no flaw, removes it
// from `rest`.
TreeFlaw TakeTreeEntry(ByteView& rest, ObjectFormat format,
                       TreeTextEntry& entry);

// The first flaw in a whole tree, or kNone.
TreeFlaw FindTreeFlaw(ByteView content, ObjectFormat format);

}  // namespace zpack::format
