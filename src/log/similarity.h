// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How similar two texts are, with the results of Git (diffcore-delta and
// diffcore-rename): which share of their bytes stands in equal spans, whatever
// the order. A span is a line, or 64 bytes of a longer one. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "log/blob_texts.h"
#include "zpack/result.h"

namespace zpack::log {

// How many bytes of a text are in spans of each hash.
class SpanTable {
 public:
  // A CR before a LF does not count unless the text is binary.
  explicit SpanTable(ByteView text);

  // Bytes in spans that both texts have.
  uint64_t CountShared(const SpanTable& other) const;
  size_t memory() const { return spans_.capacity() * sizeof(Span); }

 private:
  struct Span {
    uint32_t hash = 0;
    uint32_t bytes = 0;
  };

  void Add(uint64_t state, uint32_t bytes);
  // Sorts the spans by hash, and joins those of equal hash.
  void Join();

  std::vector<Span> spans_;
};

// Estimates how similar blobs are. Reads each text once and keeps its table, as
// long as all tables take less than `max_kept` bytes. A text without a place is
// read again for each target.
class BlobSimilarity {
 public:
  // Index of a blob in the order of Add.
  using Handle = uint32_t;

  // `texts` must outlive this object.
  explicit BlobSimilarity(BlobTexts& texts, size_t max_kept = size_t{64} << 20)
      : texts_(texts), max_kept_(max_kept) {}

  // Equal blobs have equal handles.
  Handle Add(ObjectNumber blob);
  // Of kMostSimilar. 0 if the sizes alone say that it is less than
  // `min_similarity`; texts are not read then. Errors are those of `texts`.
  Result<uint32_t> Estimate(Handle source, Handle target,
                            uint32_t min_similarity);
  // Frees the table of a blob.
  void Forget(Handle blob);

 private:
  using TablePtr = std::shared_ptr<const SpanTable>;
  struct Blob {
    ObjectNumber number;
    bool has_size = false;
    uint64_t size = 0;
    TablePtr table;  // null: not kept
  };

  Result<uint64_t> SizeOf(Handle handle);
  Result<TablePtr> TableOf(Handle handle);

  BlobTexts& texts_;
  const size_t max_kept_;
  size_t kept_ = 0;  // bytes of the tables of `blobs_`
  // The latest target, whose table is here even if there is no place for it.
  Handle target_ = 0;
  TablePtr target_table_;
  std::vector<Blob> blobs_;
  std::unordered_map<ObjectNumber, Handle> handles_;
};

}  // namespace zpack::log
