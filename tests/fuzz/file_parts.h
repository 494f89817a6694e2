// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A .zpack file taken apart, so that any part can be edited, and put together
// again with all checksums, digests, sizes and offsets made right. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "format/constants.h"
#include "format/file_header.h"
#include "zpack/refs.h"

namespace zpack::testing {

// A stream as its decompressed bytes, unless there are too many or it is not
// one zstd frame; then only `stored` is known.
struct StreamPart {
  uint8_t kind = 0;
  uint8_t codec = 0;
  uint16_t reserved = 0;
  enum class Is : uint8_t { kUnknown, kAsStored, kEdited };
  Is raw_is = Is::kUnknown;
  Bytes raw;
  Bytes stored;                 // not used once `raw` is edited
  uint64_t raw_size_error = 0;  // stated minus true, modulo 2^64
  uint64_t stored_size_error = 0;
};

struct BlockPart {
  format::BlockHeader header;
  std::vector<StreamPart> streams;
};

// A chunk, and what its row in the table of contents states beyond the truth.
struct ChunkPart {
  uint32_t id = 0;
  uint32_t flags = 0;
  Bytes payload;
  std::optional<BlockPart> block;  // instead of the payload
  bool copies = false;             // made anew, instead of the payload
  uint32_t row_flags = 0;
  uint64_t offset_error = 0;
  uint64_t size_error = 0;
};

struct BlockRow {
  uint64_t offset_error = 0;
  uint32_t first_object = 0;
};

struct NumberedId {
  Bytes id;
  uint32_t number = 0;
};

struct FileParts {
  format::FileHeader header;  // offset and size are made right
  uint8_t id_width = 20;
  uint16_t reserved = 0;
  std::vector<ChunkPart> chunks;  // all but the table of contents, in order
  // What the chunks of tables hold, where they decode; else their payloads are
  // kept as they are.
  std::optional<RefsSnapshot> refs;
  std::optional<std::vector<BlockRow>> rows;
  std::optional<std::vector<NumberedId>> ids;  // ascending by id
  ObjectFormat ids_format = ObjectFormat::kSha1;
};

// Nothing when the framing of `file` is not understood.
std::optional<FileParts> TakeApart(ByteView file);

Bytes PutTogether(const FileParts& parts);

// Puts a digest of the ids in the place of the index. Does nothing if the ids
// are not known.
void LeaveOutIds(FileParts& parts);

// Changes `parts` so that numbers of objects, counts, ids and features follow
// from the blocks that are there.
void MakeCountsAgree(FileParts& parts);

}  // namespace zpack::testing
