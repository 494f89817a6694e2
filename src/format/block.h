// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The payload of a 'BLCK' chunk: a header, a directory of streams, the streams
// (FORMAT.md, "Blocks"). This code does not compress or decompress. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_form.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

// On disk: do not change.
enum class StreamCodec : uint8_t {
  kStored = 0,
  kZstd = 1,
  kContinued = 2,  // the next piece of a zstd frame of several blocks
};
inline constexpr size_t kStreamCodecEnd = 3;

// For messages and JSON. "unknown" if this version does not know the codec.
std::string_view CodecName(StreamCodec codec);

// Consecutive blocks of one kind are a group if each has one stream with the
// codec kContinued: the pieces of all blocks are one zstd frame (FORMAT.md,
// "Groups").
struct GroupPlace {
  uint32_t blocks = 0;    // of the group, before this block
  uint32_t raw_size = 0;  // of their continued streams

  bool operator==(const GroupPlace&) const = default;
};

struct BlockHeader {
  BlockKind kind = BlockKind::kObjects;
  ObjectType type = ObjectType::kBlob;
  ObjectNumber first_object{0};  // number of the first object of the block
  uint32_t object_count = 0;     // 1 in a segment
  uint64_t segment_offset = 0;   // offset of the segment in its object, else 0
  GroupPlace group = {};         // 0 unless a stream is continued
};

struct StreamHeader {
  StreamKind kind = StreamKind::kSizes;
  StreamCodec codec = StreamCodec::kStored;
  uint64_t raw_size = 0;
  uint64_t stored_size = 0;
};

// An encoded block. The views point into the payload.
struct BlockView {
  BlockHeader header;
  struct Stream {
    StreamHeader header;
    ByteView stored;
  };
  std::vector<Stream> streams;

  // The stream of `kind`, or null.
  const Stream* Find(StreamKind kind) const;
  // The stream with the codec kContinued, or null.
  const Stream* FindContinued() const;
};

void Encode(const BlockHeader& header, const std::vector<StreamHeader>& streams,
            Bytes& out);

// Puts the fields of a header, as Encode does.
void PutBlockHeader(const BlockHeader& header, size_t stream_count,
                    ByteWriter& to);
// Takes the fields of a header and sets `stream_count`. Checks nothing: the
// caller looks at `in.ok()` and at the values.
BlockHeader TakeBlockHeader(ByteReader& in, uint16_t& stream_count);

// What the beginning of a block says of the whole.
struct BlockStart {
  BlockKind kind = BlockKind::kObjects;
  uint64_t raw_size = 0;  // of all streams, in bytes
};
// Parses the header and the directory of streams at the beginning of a payload,
// which may be damaged. Nothing if they are not there, or if the streams have
// more than `max_raw_size` bytes.
std::optional<BlockStart> PeekBlock(ByteView start, uint64_t max_raw_size);

// Parses a block without decompressing its streams. kCorrupt if anything is
// malformed, a stream is missing, or a stream does not belong to this kind of
// block; kLimitExceeded if the raw sizes of the streams add up to more than
// `max_raw_size` bytes.
Result<BlockView> DecodeBlock(ByteView payload, uint64_t max_raw_size);

}  // namespace zpack::format
