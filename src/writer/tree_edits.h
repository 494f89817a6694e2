// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the edits that turn one tree into another. Pure.

#pragma once

#include <cstddef>
#include <vector>

#include "format/tree_block_builder.h"

namespace zpack {

// Fills `edits` and returns true. Returns false if there would be more than
// `limit`. `names` are those of the items.
bool FindTreeEdits(const format::TreeNames& names,
                   const std::vector<format::TreeItem>& base,
                   const std::vector<format::TreeItem>& tree, size_t limit,
                   std::vector<format::TreeEdit>& edits);

}  // namespace zpack
