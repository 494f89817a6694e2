// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What each kind of block consists of (FORMAT.md, "Blocks"). Pure.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "format/block.h"

namespace zpack::format {

struct BlockForm {
  BlockKind kind = BlockKind::kObjects;
  // The required feature without which a file has no such block; empty when
  // every file may have one.
  std::string_view feature;
  // The only type of its objects; any when not set.
  std::optional<ObjectType> type;
  // Each is in the block once, in the order in which they are written.
  std::span<const StreamKind> streams;
};

// All kinds that this version knows.
std::span<const BlockForm> BlockForms();

// Null for a kind that this version does not know.
const BlockForm* FindBlockForm(BlockKind kind);

}  // namespace zpack::format
