// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of limited width, as Git wraps them. Pure.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zpack::cli {

struct Wrapping {
  size_t width = 0;  // columns; 0: lines are only indented
  size_t first_indent = 0;
  size_t other_indent = 0;

  friend bool operator==(const Wrapping&, const Wrapping&) = default;
};

// `text` up to a zero byte, with line feeds in place of some spaces.
std::string WrapText(std::string_view text, const Wrapping& wrapping);

}  // namespace zpack::cli
