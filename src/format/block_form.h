// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of each kind of block (FORMAT.md, "Blocks"). Pure.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "format/block.h"

namespace zpack::format {

struct BlockForm {
  BlockKind kind = BlockKind::kObjects;
  // The required feature that a file with such a block must have. Empty if no
  // feature is needed.
  std::string_view feature;
  // The type of all objects in the block. Not set if any type is allowed.
  std::optional<ObjectType> type;
  // The streams of the block, each exactly once, in the order of writing.
  std::span<const StreamKind> streams;
};

// The forms of all kinds that this version knows.
std::span<const BlockForm> BlockForms();

// Null if this version does not know the kind.
const BlockForm* FindBlockForm(BlockKind kind);

}  // namespace zpack::format
