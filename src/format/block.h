// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The payload of a 'BLCK' chunk: a header, a directory of streams, the streams
// (FORMAT.md, "Blocks"). This code does not compress or decompress. Pure.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

// On disk: do not change.
enum class BlockKind : uint8_t {
  kObjects = 1,  // one or more whole objects of one type
  kSegment = 2,  // a part of one object that is larger than a block
  kDeltas = 3,   // blobs, most of them deltas against other blobs of the block
  kTrees = 4,    // trees, as edits of other trees of the block
  kCommits = 5,  // commits in columns
};
enum class StreamKind : uint8_t {
  kSizes = 1,     // size of each object, as a varint
  kContents = 2,  // contents of the objects, one after the other
  // In blocks of deltas:
  kBases = 3,           // distance from each object back to its base, or 0
  kLiteralLengths = 4,  // before each copy, and after the last copy
  kCopyLengths = 5,
  kCopyOffsets = 6,
  kLiterals = 7,  // bytes that are not copied
  // In blocks of trees, which also have kSizes, kBases and kLiterals:
  kEditCounts = 8,         // number of edits of each tree
  kEditRuns = 9,           // entries of the base before each edit
  kEditKinds = 10,         // TreeEditKind of each edit
  kNames = 11,             // name of each added entry
  kModes = 12,             // mode of each added entry
  kChildren = 13,          // of each added or changed entry
  kChildDifferences = 14,  // of children with TreeChildren::kOther
  kNameTexts = 15,         // texts of names that are new in the block
  kOutsideIds = 16,        // ids referred to that are not in the file
  // In blocks of commits, which also have kOutsideIds:
  kRootTrees = 17,
  kParentCounts = 18,
  kParents = 19,
  kIdentities = 20,
  kIdentityTexts = 21,
  kTimes = 22,
  kTimeZones = 23,
  kHeaderSizes = 24,
  kHeaders = 25,
  kMessageSizes = 26,
  kMessages = 27,
};
enum class StreamCodec : uint8_t { kStored = 0, kZstd = 1 };

// Names for messages and JSON: lower case, words joined by '-'.
std::string_view KindName(BlockKind kind);
std::string_view KindName(StreamKind kind);
std::string_view CodecName(StreamCodec codec);

struct BlockHeader {
  BlockKind kind = BlockKind::kObjects;
  ObjectType type = ObjectType::kBlob;
  ObjectNumber first_object{0};  // number of the first object of the block
  uint32_t object_count = 0;     // 1 in a segment
  uint64_t segment_offset = 0;   // offset of the segment in its object, else 0
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
};

void Encode(const BlockHeader& header, const std::vector<StreamHeader>& streams,
            Bytes& out);

// Parses a block without decompressing its streams. kCorrupt if anything is
// malformed, a stream is missing, or a stream does not belong to this kind of
// block; kLimitExceeded if the raw sizes of the streams add up to more than
// `max_raw_size` bytes.
Result<BlockView> DecodeBlock(ByteView payload, uint64_t max_raw_size);

}  // namespace zpack::format
