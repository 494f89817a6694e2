// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths in a tree, as users give them, and modes of its entries. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zpack {

// `path` without '.', '..' and repeated slashes, as Git reads it: with a slash
// at the end if the path names a directory by a slash, '.' or '..' there, and
// empty for the top of the tree. Nothing if the path leads out of the tree.
// REQUIRES: the path does not begin with a slash.
std::optional<std::string> NormalTreePath(std::string_view path);

// What Git makes of the mode of an entry: old and odd trees have others than
// 100644, 100755, 120000, 040000 and 160000.
constexpr uint32_t CanonicalMode(uint32_t mode) {
  switch (mode & 0170000) {
    case 0100000:
      return (mode & 0100) != 0 ? 0100755 : 0100644;
    case 0120000:
      return 0120000;
    case 0040000:
      return 0040000;
    default:
      return 0160000;
  }
}

}  // namespace zpack
