// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of blocks and streams, and the parts of each kind of block
// (FORMAT.md, "Blocks"). Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "zpack/object_id.h"

namespace zpack::format {

// On disk: do not change.
enum class BlockKind : uint8_t {
  kObjects = 1,  // one or more whole objects of one type
  kSegment = 2,  // a part of one object that is larger than a block
  kDeltas = 3,   // blobs, most of them deltas against other blobs of the block
  kTrees = 4,    // trees, as edits of other trees of the block
  kCommits = 5,  // commits in columns
  // Blobs or trees, most of them deltas against objects of earlier blocks.
  kFarDeltas = 6,
};
enum class StreamKind : uint8_t {
  kSizes = 1,     // size of each object, as a varint
  kContents = 2,  // contents of the objects, one after the other
  // In blocks of deltas and far deltas:
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
  // In blocks of far deltas, which also have the streams of blocks of deltas:
  kFarBases = 28,  // number and size of each base in an earlier block
};

struct BlockForm {
  BlockKind kind = BlockKind::kObjects;
  std::string_view name;
  // The required feature that a file with such a block must have. Empty if no
  // feature is needed.
  std::string_view feature;
  // The types that the objects of a block may have, all of them the same one.
  std::span<const ObjectType> types;
  // The streams of the block, each exactly once, in the order of writing.
  std::span<const StreamKind> streams;
  // The stream that may be continued from block to block.
  std::optional<StreamKind> continued = std::nullopt;
};

// The forms of all kinds that this version knows.
std::span<const BlockForm> BlockForms();

// Null if this version does not know the kind.
const BlockForm* FindBlockForm(BlockKind kind);

// One more than the largest number of a stream.
inline constexpr size_t kStreamKindEnd = 29;

// Names for messages and JSON: lower case, words joined by '-'. "unknown" if
// this version does not know the kind.
std::string_view KindName(BlockKind kind);
std::string_view KindName(StreamKind kind);
bool IsKnown(StreamKind kind);

}  // namespace zpack::format
