// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The lengths of Git's packets (gitprotocol-common(5), "pkt-line"). A function
// without state; any thread.

#pragma once

#include <cstddef>
#include <string_view>

namespace zpack::cli {

// The digits with which a packet begins.
inline constexpr size_t kPacketLengthSize = 4;

// The bytes of a packet with its length; 0 if `digits` are not a length. The
// packets without a text, such as '0000', have only the length.
size_t PacketSize(std::string_view digits);

}  // namespace zpack::cli
