// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of commits as blocks of columns (FORMAT.md, "Commits"),
// each of which decodes by itself. Thread-compatible: one per worker.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "format/commit_text.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "writer/object_numbers.h"

namespace zpack {

class CommitStretchEncoder {
 public:
  // Blocks are closed at `block_size` bytes before compression. The tables are
  // those of ObjectNumbers; all outlive this.
  CommitStretchEncoder(const ObjectIdTable& ids,
                       const std::vector<uint32_t>& order,
                       const std::vector<uint32_t>& numbers,
                       uint64_t block_size, BlockEncoder& encoder)
      : numbers_(ids, order, numbers),
        block_size_(block_size),
        encoder_(encoder) {}

  // Begins a stretch with object number `first`. Blocks are appended to `out`,
  // which outlives the stretch.
  void Begin(uint32_t first, std::vector<EncodedBlock>& out);
  // Adds the next commit of the stretch. `path` means nothing for commits.
  Status Add(const Bytes& content, uint32_t path);
  // Ends the stretch.
  Status Finish();

 private:
  static constexpr std::array kKinds = {
      format::StreamKind::kOutsideIds,   format::StreamKind::kRootTrees,
      format::StreamKind::kParentCounts, format::StreamKind::kParents,
      format::StreamKind::kIdentities,   format::StreamKind::kIdentityTexts,
      format::StreamKind::kTimes,        format::StreamKind::kTimeZones,
      format::StreamKind::kHeaderSizes,  format::StreamKind::kHeaders,
      format::StreamKind::kMessageSizes, format::StreamKind::kMessages};

  Bytes& Stream(format::StreamKind kind);
  void Number(format::StreamKind kind, uint64_t value) {
    ByteWriter(Stream(kind)).Varint(value);
  }
  void Difference(format::StreamKind kind, uint64_t value, uint64_t expected) {
    Number(kind, ZigZag(static_cast<int64_t>(value - expected)));
  }
  void AddColumns(const format::CommitText& text);
  void AddVerbatim(ByteView content);
  // Codes of a text: 0 for a new one, else the number of texts since it was
  // new, or one more than its place among them.
  uint64_t Age(std::string_view text);
  uint64_t Place(std::string_view text);
  // The number in this block of an object that a commit names.
  uint32_t BlockNumber(const ObjectId& id);
  void Clear();
  Status CloseBlock();

  ObjectNumbers numbers_;
  uint64_t block_size_;
  BlockEncoder& encoder_;
  uint32_t first_ = 0;  // object of the open block
  uint32_t count_ = 0;  // commits in it
  std::vector<EncodedBlock>* out_ = nullptr;

  // Of the open block:
  std::array<Bytes, kKinds.size()> streams_;
  std::unordered_map<std::string, uint32_t> texts_;
  std::unordered_map<uint32_t, uint32_t> outside_;
  uint64_t expected_tree_ = 0;
  uint64_t last_time_ = 0;
};

}  // namespace zpack
