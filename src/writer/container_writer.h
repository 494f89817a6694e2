// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the parts of an archive in order: header, refs, blocks, tables,
// trailer. Thread-compatible.

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
#include "format/link_numbers.h"
#include "format/trailer.h"
#include "object/lost_objects.h"
#include "object/object_id_table.h"
#include "object/promises.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

class ContainerWriter {
 public:
  // `file` must outlive the writer. `objects` are the numbers of the objects in
  // the file. `features` are the features that a reader must support.
  ContainerWriter(WritableFile& file, ObjectFormat format,
                  format::ObjectNumberRange objects,
                  std::vector<std::string> features);

  // Writes `preamble`, the start of the file up to the blocks. `file` already
  // holds the first `written` bytes of what is going to be written. These bytes
  // are not written again, and everything after them is cut off. REQUIRES: this
  // is the first call, and the only call of Start.
  Status Start(ByteView preamble, uint64_t written);

  // Writes the next block, in the order of object numbers.
  Status AddBlock(const EncodedBlock& block);

  // Writes the tables of blocks and objects. `numbers` are those of the file
  // and of the files below it. REQUIRES: all blocks are written.
  Status AddTables(const format::FileNumbers& numbers);

  // Writes the list of promised objects, if there are any. REQUIRES: AddTables
  // was called.
  Status AddPromises(const Promises& promises);
  // Writes the list of lost objects, if there are any. REQUIRES: AddTables was
  // called.
  Status AddLost(const LostObjects& lost);

  // Writes a chunk whose size is known only at its end. EndChunk completes its
  // header and reads it back from `reader`, which reads the same file, because
  // checksum and hash begin with the header. REQUIRES: AddTables was called.
  Status BeginChunk(uint32_t id);
  Status AppendToChunk(ByteView piece);
  Status EndChunk(const RandomAccessFile& reader);
  // Writes an optional chunk.
  Status AddChunk(uint32_t id, ByteView payload) {
    return AppendChunk(id, 0, payload);
  }
  // Adds to the content that the file stands for.
  void AddContent(uint64_t bytes) { expansion_.content += bytes; }

  // Path of the file.
  const std::string& path() const { return file_.path(); }

  // Writes the end of the file, completes the header and syncs the file. `ids`
  // are those of the file and of the files below it. REQUIRES: this is the last
  // call.
  Status Finish(const ObjectIdTable& ids);

  // Size of the file up to the current position, including bytes passed over.
  uint64_t size() const { return size_; }

 private:
  // Append hashes and writes `bytes`; Put only writes them.
  Status Append(ByteView bytes);
  Status Put(ByteView bytes);
  Status AppendChunk(uint32_t id, uint32_t flags, ByteView payload);
  // Appends padding if the file is smaller than its expansion requires.
  Status Pad();
  // Appends the copies and the table of contents. Sets the sizes in the header.
  Status AddCopies();

  WritableFile& file_;
  format::ObjectNumberRange objects_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::BlockTable blocks_;
  Bytes refs_chunk_;
  Bytes block_table_chunk_;
  format::Expansion expansion_;  // of all blocks
  Hasher file_hash_;
  uint64_t size_ = 0;
  uint64_t written_ = 0;
  uint64_t chunk_begin_ = 0;  // of the chunk between BeginChunk and EndChunk
};

// The first bytes of an unfinished file, followed by the fingerprint.
inline constexpr std::string_view kUnfinishedMarker = "ZPKRESUM";

// Returns the bytes that a file starts with until it is finished: a marker in
// place of the header, which every reader rejects, and the refs. `fingerprint`
// identifies the plan of the file, `refs` is the payload of the chunk.
Bytes EncodePreamble(const std::vector<std::string>& features,
                     const format::Digest& fingerprint, ByteView refs);

}  // namespace zpack
