// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths in a tree, as users give them. Pure.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zpack {

// `path` without '.', '..' and repeated slashes, as Git reads it: with a slash
// at the end if the path names a directory by a slash, '.' or '..' there, and
// empty for the top of the tree. Nothing if the path leads out of the tree.
// REQUIRES: the path does not begin with a slash.
std::optional<std::string> NormalTreePath(std::string_view path);

}  // namespace zpack
