// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts that all tables of Git's ref format 'reftable' are made of: header,
// footer, varints, block headers (Git's Documentation/technical/reftable.adoc).
// Pure; values are thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::reftable {

// Largest number that the three bytes of a block's size can hold.
inline constexpr uint32_t kMaxBlockSize = (1U << 24) - 1;
// Type and size of a block.
inline constexpr size_t kBlockHeaderSize = 4;
inline constexpr size_t kMaxHeaderSize = 28;

// The values are on disk.
enum class BlockType : uint8_t {
  kRef = 'r',
  kIndex = 'i',
  kObject = 'o',
  kLog = 'g',
};

struct TableHeader {
  // Version 1 is for SHA-1 only. Version 2 names the hash.
  uint8_t version = 1;
  ObjectFormat format = ObjectFormat::kSha1;
  // Alignment of blocks; 0 if blocks follow each other without padding.
  uint32_t block_size = 0;
  uint64_t min_update_index = 0;
  uint64_t max_update_index = 0;

  static constexpr size_t kFooterRest = 5 * sizeof(uint64_t) + sizeof(uint32_t);
  size_t size() const { return version == 1 ? 24 : kMaxHeaderSize; }
  // The footer repeats the header, and adds five positions and a CRC-32.
  size_t footer_size() const { return size() + kFooterRest; }
  friend bool operator==(const TableHeader&, const TableHeader&) = default;
};

// Offsets in the file. A part that is absent has the position 0.
struct TableFooter {
  TableHeader header;
  uint64_t ref_index_position = 0;
  uint64_t object_position = 0;
  uint8_t object_id_width = 0;
  uint64_t object_index_position = 0;
  uint64_t log_position = 0;
  uint64_t log_index_position = 0;

  friend bool operator==(const TableFooter&, const TableFooter&) = default;
};

// A place in a table, for messages. The path is the caller's.
struct Place {
  const std::string& path;
  uint64_t offset = 0;
};

// kSourceCorrupt, with the place and the reason.
std::unexpected<Error> BadTable(const Place& place, std::string_view reason);

// Decodes the header at the front of `bytes`. kUnsupported for an unknown
// version or hash; kSourceCorrupt for anything else that is not a header.
Result<TableHeader> DecodeTableHeader(ByteView bytes, const Place& place);
void Encode(const TableHeader& header, Bytes& out);

// Decodes a footer, which takes all of `bytes`. kSourceCorrupt if the checksum
// is wrong; errors of DecodeTableHeader.
Result<TableFooter> DecodeTableFooter(ByteView bytes, const Place& place);
void Encode(const TableFooter& footer, Bytes& out);

// Numbers of three bytes.
uint32_t ReadU24(ByteReader& in);
// REQUIRES: `value` is at most kMaxBlockSize, and `out` has three bytes.
void StoreU24(uint32_t value, uint8_t* out);

}  // namespace zpack::reftable
