// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes to hexadecimal digits and back.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace zpack {

// Lower case, two digits a byte.
std::string ToHex(ByteView bytes);

// The value 0 to 15 of a hexadecimal digit of either case, or -1.
int HexDigitValue(char digit);

// The bytes of an even number of digits, or nothing.
std::optional<Bytes> FromHex(std::string_view hex);

}  // namespace zpack
