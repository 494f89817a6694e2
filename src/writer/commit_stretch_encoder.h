// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of commits as blocks of columns (FORMAT.md, "Commits").
// Each block can be decoded without the others. Thread-compatible: one encoder
// per worker.

#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block.h"
#include "format/commit_text.h"
#include "writer/block_streams.h"
#include "writer/link_columns.h"
#include "writer/object_numbers.h"
#include "writer/stretch_output.h"
#include "zpack/result.h"

namespace zpack {

class CommitStretchEncoder {
 public:
  // Closes a block once it holds `block_size` bytes before compression. Both
  // references must outlive this object.
  CommitStretchEncoder(const FileNumbers& numbers, uint64_t block_size,
                       BlockEncoder& encoder)
      : numbers_(numbers),
        block_size_(block_size),
        output_(encoder),
        block_numbers_(numbers_) {}

  // Begins a stretch whose first object has number `first`. Blocks are appended
  // to `out`, which must outlive the stretch.
  void Begin(ObjectNumber first, std::vector<EncodedBlock>& out);
  // Adds the next commit of the stretch. `path` is ignored.
  Status Add(const Bytes& content, PathNumber path);
  // Ends the stretch.
  Status Finish();

 private:
  void Difference(format::StreamKind kind, uint64_t value, uint64_t expected) {
    streams_.Number(kind, ZigZag(static_cast<int64_t>(value - expected)));
  }
  void AddColumns(const format::CommitText& text);
  void AddVerbatim(ByteView content);
  // Both return 0 for a text that is new in the block. For a known text, Age
  // returns its distance from the end of the list of texts (1 for the newest),
  // and Place returns its position in that list, plus 1.
  uint64_t Age(std::string_view text);
  uint64_t Place(std::string_view text);
  // Number by which the open block refers to the object `id`.
  LinkNumber BlockNumber(const ObjectId& id) {
    return block_numbers_.Number(numbers_.Number(id),
                                 streams_[format::StreamKind::kOutsideIds]);
  }
  void Clear();
  Status CloseBlock();

  ObjectNumbers numbers_;
  uint64_t block_size_;
  StretchOutput output_;

  // Of the open block:
  uint32_t count_ = 0;         // commits
  uint64_t content_size_ = 0;  // of those commits
  BlockStreams streams_ = {
      format::StreamKind::kOutsideIds,   format::StreamKind::kRootTrees,
      format::StreamKind::kParentCounts, format::StreamKind::kParents,
      format::StreamKind::kIdentities,   format::StreamKind::kIdentityTexts,
      format::StreamKind::kTimes,        format::StreamKind::kTimeZones,
      format::StreamKind::kHeaderSizes,  format::StreamKind::kHeaders,
      format::StreamKind::kMessageSizes, format::StreamKind::kMessages};
  std::unordered_map<std::string, uint32_t> texts_;
  BlockNumbers block_numbers_;
  CommitLinkColumns links_;
  uint64_t last_time_ = 0;
  std::vector<LinkNumber> parents_;  // of the last commit
};

}  // namespace zpack
