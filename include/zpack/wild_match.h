// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Patterns for paths (gitignore(5), "PATTERN FORMAT"). Pure.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

enum class LetterCase : uint8_t { kExact, kIgnore };

// What a slash is. kApart: '*', '?' and sets do not match it; '**' between
// slashes does. kPlain: it is a character like any other, as in pathspecs.
enum class Slashes : uint8_t { kApart, kPlain };

// True if `pattern` matches all of `text`. Takes time in proportion to the
// product of the lengths.
bool WildMatch(std::string_view pattern, std::string_view text,
               LetterCase letters = LetterCase::kExact,
               Slashes slashes = Slashes::kApart);

}  // namespace zpack
