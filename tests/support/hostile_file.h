// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds whole .zpack files of any content, also such as no writer makes:
// every size, table, checksum and hash is right unless a test sets it wrong.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"

namespace zpack::testing {

// The streams of a block, before compression.
using RawStreams = std::vector<std::pair<format::StreamKind, Bytes>>;

// A varint for each value.
Bytes Varints(const std::vector<uint64_t>& values);
// `count` times the same bytes.
Bytes Repeated(ByteView bytes, uint64_t count);
inline Bytes Repeated(uint8_t byte, uint64_t count) {
  return Repeated(ByteView(&byte, 1), count);
}

// The twelve streams of a block of trees, and the twelve of a block of commits,
// each of them empty unless it is in `streams`.
RawStreams TreeStreams(const RawStreams& streams);
RawStreams CommitStreams(const RawStreams& streams);

// A stream that is too long to be made: `prefix`, then `count` times `byte`, in
// a zstd frame that takes four bytes for 128 KiB.
struct LongStream {
  format::StreamKind kind = format::StreamKind::kContents;
  Bytes prefix;
  uint64_t count = 0;
  uint8_t byte = 0;
};

class HostileFile {
 public:
  struct Chunk {
    uint32_t id = 0;
    uint32_t flags = 0;
    Bytes payload;
  };
  struct Block {
    uint32_t first_object = 0;  // in the block table
    Bytes chunk;                // whole, checksum included
  };

  // An empty file of sha1, with HEAD on 'refs/heads/main', which does not
  // exist.
  HostileFile();
  // Takes a valid file apart.
  explicit HostileFile(ByteView file);

  // What is written; all of it may be edited.
  format::FileHeader header;  // count, offset and size are set by Build
  RefsSnapshot refs;
  std::vector<Block> blocks;
  std::vector<ObjectId> ids;          // by object number
  std::vector<Chunk> extra;           // chunks behind the index
  bool copies = false;                // chunk COPY, of what is written
  std::optional<Bytes> refs_payload;  // instead of `refs`
  // Called right before these are encoded.
  std::function<void(format::BlockTable&)> edit_blocks;
  std::function<void(format::TableOfContents&)> edit_contents;
  std::function<void(format::FileHeader&)> edit_header;

  // Adds a block, whose objects get the next numbers and these ids; returns the
  // number of the first. `header` sets kind, type and segment offset. Object
  // count and first object follow from `ids`; a segment that continues an
  // object has none, and the number of the object before it.
  uint32_t Add(format::BlockHeader header, const RawStreams& streams,
               const std::vector<ObjectId>& block_ids);
  // The same with ids of nothing.
  uint32_t Add(format::BlockHeader header, const RawStreams& streams,
               uint32_t count);

  // The same with such streams, and those of `others` that are missing, empty.
  uint32_t AddLong(format::BlockHeader header,
                   const std::vector<LongStream>& streams,
                   const RawStreams& others, uint32_t count);

  // A block of whole objects, with the ids that they hash to.
  uint32_t AddObjects(ObjectType type, const std::vector<Bytes>& contents);
  // An object in segments of `segment` bytes, with the id that it hashes to.
  uint32_t AddSegments(ObjectType type, ByteView content, uint64_t segment);

  // A direct ref, sorted in.
  void AddRef(const std::string& name, const ObjectId& target,
              const ObjectId& peeled = {});

  // An id that nothing hashes to, another one for each number.
  ObjectId MadeUpId(uint64_t number) const;
  // The id of an object.
  ObjectId Hash(ObjectType type, ByteView content) const;

  // The bytes of the file. Aborts when two ids are equal.
  Bytes Build() const;
};

// The same with long streams.
Bytes LongChunk(const format::BlockHeader& header,
                const std::vector<LongStream>& streams);

// The chunk of a block as its parts say, whatever they say. zstd compresses
// each stream that becomes smaller by it.
Bytes BlockChunk(const format::BlockHeader& header, const RawStreams& streams);

// The streams in a chunk, decompressed, in their order.
RawStreams UnpackStreams(ByteView chunk, format::BlockHeader& header);

// Makes all checksums right again after an edit, and both digests of the
// trailer as far as the tables can be read.
void RepairFile(Bytes& bytes);

}  // namespace zpack::testing
