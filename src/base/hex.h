// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts bytes to hexadecimal digits and back.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace zpack {

// Lower case, two digits for each byte.
std::string ToHex(ByteView bytes);
void AppendHex(ByteView bytes, Bytes& out);

// The value, 0 to 15, of a hexadecimal digit of either case; -1 for any other
// character.
int HexDigitValue(char digit);

// The bytes that `hex` stands for. Nothing if `hex` has an odd number of
// characters or a character that is not a hexadecimal digit.
std::optional<Bytes> FromHex(std::string_view hex);

}  // namespace zpack
