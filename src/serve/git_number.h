// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in requests, as Git reads them: decimal, octal after '0', hexadecimal
// after '0x'; white space and a '+' may precede the digits, and a zero byte
// ends the text. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack {

// The depth of a history: the number modulo 2^32, from 1 to 2^31 - 1.
std::optional<uint64_t> ParseDepth(std::string_view text);

// Seconds since 1970. No text means 0, and -n means 2^64 - n.
std::optional<uint64_t> ParseTime(std::string_view text);

// A number with an optional unit, 'k', 'm' or 'g' in either case, as in Git's
// configuration.
std::optional<uint64_t> ParseSize(std::string_view text);

}  // namespace zpack
