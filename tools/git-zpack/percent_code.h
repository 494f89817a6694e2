// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Percent-encoding of URLs (RFC 3986, section 2.1). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zpack::cli {

// What '+' stands for.
enum class Plus : uint8_t {
  kPlus,   // itself, as in the path of a URL
  kSpace,  // a space, as in the query of a URL
};

// Replaces each '%' and two hexadecimal digits by the byte that they stand for.
// A '%' that is followed by anything else stays, as with Git.
std::string PercentDecode(std::string_view text, Plus plus);

// Replaces each byte of a path that may not stand in the path of a URL by '%'
// and two hexadecimal digits. Slashes stay.
std::string PercentEncode(std::string_view path);

}  // namespace zpack::cli
