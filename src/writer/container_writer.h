// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of a file in order: header, refs, blocks, tables, trailer.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/trailer.h"
#include "object/object_id_table.h"
#include "writer/encoded_block.h"
#include "writer/object_numbers.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

class ContainerWriter {
 public:
  // `file` outlives the writer. `features` are those that a reader must know.
  ContainerWriter(WritableFile& file, ObjectFormat format,
                  uint32_t object_count, std::vector<std::string> features);

  // Writes `preamble`, the start of the file up to the blocks. The first
  // `written` bytes of the file are known to be what will be written there, and
  // are passed over; the rest of it is cut off. Called once, first.
  Status Start(ByteView preamble, uint64_t written);

  // The next block, in the order of object numbers.
  Status AddBlock(const EncodedBlock& block);

  // Writes everything after the blocks, completes the header and syncs.
  // Called once, last.
  Status Finish(const FileNumbers& numbers);

  // Bytes written so far.
  uint64_t size() const { return size_; }

 private:
  // Writes what is hashed now, and what is not.
  Status Append(ByteView bytes);
  Status Put(ByteView bytes);
  Status AppendChunk(uint32_t id, uint32_t flags, ByteView payload);
  // Makes the file as large as one that stands for so much has to be.
  Status Pad();

  WritableFile& file_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::BlockTable blocks_;
  format::Expansion expansion_;  // of all blocks
  Hasher file_hash_;
  uint64_t size_ = 0;
  uint64_t written_ = 0;
};

// The first bytes of a file that is not finished, before the fingerprint.
inline constexpr std::string_view kUnfinishedMarker = "ZPKRESUM";

// What a file begins with until it is finished: a marker in the place of the
// header, which no reader takes for one, and the refs. `fingerprint` tells what
// the file is going to be.
Bytes EncodePreamble(const std::vector<std::string>& features,
                     const format::Digest& fingerprint,
                     const RefsSnapshot& refs);

}  // namespace zpack
