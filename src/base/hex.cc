// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/hex.h"

namespace zpack {
namespace {

// Writes two digits for each byte to `out`, which has room for them.
void WriteHex(ByteView bytes, auto* out) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  for (const uint8_t byte : bytes) {
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
}

}  // namespace

std::string ToHex(ByteView bytes) {
  std::string out(bytes.size() * 2, '\0');
  WriteHex(bytes, out.data());
  return out;
}

void AppendHex(ByteView bytes, Bytes& out) {
  const size_t start = out.size();
  out.resize(start + bytes.size() * 2);
  WriteHex(bytes, out.data() + start);
}

int HexDigitValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::optional<Bytes> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  Bytes out;
  out.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigitValue(hex[i]);
    const int low = HexDigitValue(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  return out;
}

}  // namespace zpack
