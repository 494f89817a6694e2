// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversations with a server in memory: packets as text, and what the server
// answers.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reader/archive_file.h"
#include "zpack/serve.h"

namespace zpack::testing {

// Packets for a request. A line gets its length.
std::string Pkt(std::string_view line);
inline constexpr std::string_view kFlushPkt = "0000";
inline constexpr std::string_view kDelimiterPkt = "0001";

// A request of protocol v2 with these arguments.
std::string RequestV2(std::string_view command,
                      const std::vector<std::string>& arguments);

// The packets of an answer: lines without line feed, "flush", "delimiter".
// Packets of the pack's band are left out. "bad" if the answer is malformed.
std::vector<std::string> Packets(std::string_view answer);
// The bytes of the pack's band.
std::string PackIn(std::string_view answer);
// The number of objects that the header of a pack states.
uint32_t ObjectsIn(std::string_view pack);

struct Answer {
  Status status;
  std::string bytes;
};
// Sends `request` at once and reads everything that the server says.
Answer Converse(const ArchiveFile& archive, const UploadPackOptions& options,
                std::string_view request);

}  // namespace zpack::testing
