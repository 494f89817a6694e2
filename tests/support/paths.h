// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths by their full names.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "object/path_table.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// The path with these components, joined by '/', which must be there.
inline PathNumber FindPath(PathTable& paths, std::string_view name) {
  const uint32_t before = paths.size();
  PathNumber path = PathTable::kRoot;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    path = paths.Intern(path, name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  Require(paths.size() == before, "no such path");
  return path;
}

}  // namespace zpack::testing
