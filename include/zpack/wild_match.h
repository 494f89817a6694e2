// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Patterns for paths (gitignore(5), "PATTERN FORMAT"). Pure.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

enum class LetterCase : uint8_t { kExact, kIgnore };

// True if `pattern` matches all of `text`. '*' and '?' do not match a slash;
// '**' between slashes does. Takes time in proportion to the product of the
// lengths.
bool WildMatch(std::string_view pattern, std::string_view text,
               LetterCase letters = LetterCase::kExact);

}  // namespace zpack
