// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of a file in order: header, refs, blocks, tables, trailer.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "object/object_id_table.h"
#include "zpack/refs.h"

namespace zpack {

class ContainerWriter {
 public:
  // `file` is empty and outlives the writer. `features` are those that a
  // reader must know.
  ContainerWriter(WritableFile& file, ObjectFormat format,
                  uint32_t object_count, std::vector<std::string> features);

  // Writes the header's place and the refs. Called once, first.
  Status Start(const RefsSnapshot& refs);

  // `chunk` is a whole block chunk whose first object is `first_object`.
  Status AddBlock(uint32_t first_object, ByteView chunk);

  // Writes everything after the blocks, completes the header and syncs.
  // `numbers` is the object number of each rank. Called once, last.
  Status Finish(const ObjectIdTable& ids, const std::vector<uint32_t>& numbers);

  // Bytes written so far.
  uint64_t size() const { return size_; }

 private:
  Status Append(ByteView bytes);
  Status AppendChunk(uint32_t id, ByteView payload);

  WritableFile& file_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::BlockTable blocks_;
  Hasher file_hash_;
  uint64_t size_ = 0;
};

}  // namespace zpack
