// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block of commits (FORMAT.md, "Commits"): what writes its streams, and what
// rebuilds the commits from them. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_streams.h"
#include "format/commit_columns.h"
#include "format/commit_text.h"
#include "format/link_numbers.h"
#include "zpack/result.h"

namespace zpack::format {

// Writes the streams. Thread-compatible.
class CommitBlockBuilder {
 public:
  static constexpr BlockKind kKind = BlockKind::kCommits;

  // `file` must outlive the builder.
  explicit CommitBlockBuilder(const FileNumbers& file)
      : numbers_(file), links_(numbers_) {}

  // Begins a block whose first object has number `first`.
  void Begin(ObjectNumber first);
  // Appends a commit: in columns if they restore it byte for byte, otherwise
  // verbatim.
  void Add(ByteView content);

  uint32_t count() const { return count_; }
  // Bytes of all commits.
  uint64_t content() const { return content_; }
  const BlockStreams& streams() const { return streams_; }

 private:
  void AddColumns(const CommitText& text);
  // Both return 0 for a text that is new in the block. For a known text, Age
  // returns its distance from the end of the list of texts (1 for the newest),
  // and Place returns its position in that list, plus 1.
  uint64_t Age(std::string_view text);
  uint64_t Place(std::string_view text);
  // The link to the object `id`.
  LinkNumber Link(const ObjectId& id) {
    return links_.Encode(numbers_.Number(id),
                         streams_[StreamKind::kOutsideIds]);
  }

  ObjectNumbers numbers_;
  LinkEncoder links_;
  // Of the open block:
  ObjectNumber first_;
  uint32_t count_ = 0;
  uint64_t content_ = 0;
  BlockStreams streams_{BlockKind::kCommits};
  std::unordered_map<std::string, uint32_t> texts_;
  CommitColumnEncoder columns_;
  CommitRow row_;  // of the last commit; kept so that its memory is reused
};

struct CommitContext {
  CommitNumbers numbers;
  IdOfNumber id_of;
};

struct Commits {
  Bytes contents;               // one after the other
  std::vector<uint64_t> sizes;  // of each
};

// Rebuilds `count` commits. Returns kCorrupt if the streams are not valid, and
// kLimitExceeded if the commits take more than `max_size` bytes.
Result<Commits> DecodeCommits(const BlockStreams& streams, uint32_t count,
                              const CommitContext& context, uint64_t max_size);

}  // namespace zpack::format
