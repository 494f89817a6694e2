// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees for people, as 'git cat-file -p' and 'git ls-tree' print them.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

// One line an entry: mode, type, id, tab, name. The mode is the one of five
// that Git takes the stored one for. kCorrupt at the first byte that is no
// entry.
Result<std::string> FormatTree(std::span<const uint8_t> content,
                               ObjectFormat format);

}  // namespace zpack::cli
