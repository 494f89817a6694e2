// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "packet_size.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace zpack::cli {

size_t PacketSize(std::string_view digits) {
  constexpr int kHexadecimal = 16;
  size_t size = 0;
  const auto parsed =
      std::from_chars(digits.begin(), digits.end(), size, kHexadecimal);
  if (parsed.ec != std::errc() || parsed.ptr != digits.end()) return 0;
  return std::max(size, kPacketLengthSize);
}

}  // namespace zpack::cli
