// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints trees as 'git cat-file -p' and 'git ls-tree' do.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

// Returns one line per entry: mode, type, id, tab, name. The mode is one of
// Git's five canonical modes. Returns kCorrupt if an entry is malformed.
Result<std::string> FormatTree(std::span<const uint8_t> content,
                               ObjectFormat format);

}  // namespace zpack::cli
