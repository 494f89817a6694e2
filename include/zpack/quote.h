// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names from files and repositories, made safe for a line of text. A hostile
// name could otherwise command a terminal or forge lines of output. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace zpack {

// What QuoteName does with characters beyond ASCII.
enum class BeyondAscii : uint8_t {
  kKeep,    // those that print, in valid UTF-8, stay as they are
  kEscape,  // all bytes are escaped, as Git does with core.quotePath
};

// Bytes of a name that messages show, and that a row of a table does.
inline constexpr size_t kMaxNameInMessage = 1000;
inline constexpr size_t kMaxNameInTable = 200;
inline constexpr size_t kWholeName = std::numeric_limits<size_t>::max();

// `name` as Git quotes names: as it is when all of it prints, otherwise in
// double quotes, with C escapes for control characters, quotes, backslashes and
// bytes that do not print. What does not print: C0 and C1 control characters,
// what is not UTF-8, and characters that break lines or turn the direction of
// text. Names longer than `max_size` bytes are cut there, and '...' follows.
std::string QuoteName(std::string_view name, size_t max_size = kWholeName,
                      BeyondAscii beyond_ascii = BeyondAscii::kKeep);

// A text of several lines with the same escapes, but neither quotes around it
// nor escapes for quotes, backslashes, tabs and line feeds.
std::string EscapeUnprintable(std::string_view text);

}  // namespace zpack
