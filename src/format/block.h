// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Payload of a 'BLCK' chunk: a header, a directory of streams, the streams
// (FORMAT.md, "Blocks"). Compression is not known here. Pure.

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
  kDeltas = 3,   // blobs, most of them as deltas against others of the block
  kTrees = 4,    // trees as edits of others of the block
  kCommits = 5,  // commits in columns
};
enum class StreamKind : uint8_t {
  kSizes = 1,     // a varint for the size of each object
  kContents = 2,  // the objects' bytes, one after the other
  // Of a block of deltas:
  kBases = 3,           // how far before each object its base is, or 0
  kLiteralLengths = 4,  // before each copy, and after the last
  kCopyLengths = 5,
  kCopyOffsets = 6,
  kLiterals = 7,  // bytes that are not copied
  // Of a block of trees, besides sizes, bases and literals:
  kEditCounts = 8,         // of each tree
  kEditRuns = 9,           // entries of the base before each edit
  kEditKinds = 10,         // format::TreeEditKind
  kNames = 11,             // of each added entry
  kModes = 12,             // of each added entry
  kChildren = 13,          // of each added or changed entry
  kChildDifferences = 14,  // of children that were not expected
  kNameTexts = 15,         // of names that are new in the block
  kOutsideIds = 16,        // of what is named and not in the file
  // Of a block of commits, besides outside ids:
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

// For people and for JSON; lower case, words joined by '-'.
std::string_view KindName(BlockKind kind);
std::string_view KindName(StreamKind kind);
std::string_view CodecName(StreamCodec codec);

struct BlockHeader {
  BlockKind kind = BlockKind::kObjects;
  ObjectType type = ObjectType::kBlob;
  ObjectNumber first_object{0};  // of the block
  uint32_t object_count = 0;     // 1 in a segment
  uint64_t segment_offset = 0;   // of this segment in its object, else 0
};

struct StreamHeader {
  StreamKind kind = StreamKind::kSizes;
  StreamCodec codec = StreamCodec::kStored;
  uint64_t raw_size = 0;
  uint64_t stored_size = 0;
};

// A block as it is in the file. The views point into the payload.
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

// kCorrupt for anything out of the ordinary, such as a stream that the kind of
// the block does not have, or one that is missing; kLimitExceeded when the
// streams claim more than `max_raw_size` bytes. Does not decompress.
Result<BlockView> DecodeBlock(ByteView payload, uint64_t max_raw_size);

}  // namespace zpack::format
