// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How many columns of a terminal a text takes, as Git counts them. Pure.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace zpack::cli {

// A space as Git sees one, whatever the locale says.
constexpr bool IsGitSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct WideCharacter {
  size_t size = 0;  // bytes
  int width = 0;    // columns; -1 for a control character
};

// The character that `text` begins with; nothing if it is not UTF-8 or `text`
// is empty.
std::optional<WideCharacter> FirstCharacter(std::string_view text);

// The bytes of the escape sequence for colors that `text` begins with; 0 if
// there is none.
size_t ColorSequenceSize(std::string_view text);

// The columns of `text` without sequences for colors. Control characters take
// none. A text that is not UTF-8 takes a column for each byte.
size_t TextWidth(std::string_view text);

// The same, but nothing for a text with control characters and for one that is
// not UTF-8. Sequences for colors are not known.
std::optional<size_t> PlainTextWidth(std::string_view text);

// Replaces the columns from `first` on by `by`. Sequences for colors stay. A
// text that is not UTF-8 stays as it is.
std::string ReplaceColumns(const std::string& text, ptrdiff_t first,
                           ptrdiff_t columns, std::string_view by);

}  // namespace zpack::cli
