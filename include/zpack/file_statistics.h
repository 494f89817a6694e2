// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the bytes of a .zpack file are, what it costs to read the blobs of the
// file, and which commits and trees are stored verbatim. Plain values;
// thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

struct FileStatistics {
  // All streams of one kind in all blocks of one kind and object type.
  struct Stream {
    std::string block_kind;
    ObjectType type = ObjectType::kBlob;
    std::string kind;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  // A group of blobs. `stored_bytes` is an estimate: the stored bytes of a
  // block are divided among its blobs in proportion to their parts of the block
  // before compression.
  struct Share {
    uint64_t objects = 0;
    uint64_t content_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  struct Extension {
    std::string extension;  // without the dot; empty if there is none
    Share share;
  };
  // The blobs of one path.
  struct Lineage {
    // The path under which the trees of the file first name the blobs. Empty
    // if no tree names them.
    std::string path;
    Share share;
    uint64_t whole = 0;          // blobs that are not stored as deltas
    uint32_t longest_chain = 0;  // deltas between a blob and a whole one
  };
  // The objects with a value of at most `up_to`, and above `up_to` of the
  // previous bucket.
  struct Bucket {
    uint64_t up_to = 0;
    uint64_t objects = 0;
  };
  // Commits or trees that are stored verbatim for the same reason. Their
  // content does not have the form that the columns of FORMAT.md can hold.
  struct Verbatim {
    ObjectType type = ObjectType::kCommit;
    std::string reason;  // "no valid tree line", "unusual mode", ...
    uint64_t objects = 0;
    uint64_t content_bytes = 0;
    std::vector<ObjectId> examples;  // the first of them, at most kMaxExamples
  };
  // A distribution over all blobs.
  struct Histogram {
    std::vector<Bucket> buckets;  // up_to 0, 1, 2, 4, 8, ...
    uint64_t median = 0;
    uint64_t p99 = 0;
    uint64_t maximum = 0;
  };

  std::vector<Stream> streams;        // most stored bytes first
  std::vector<Extension> extensions;  // most stored bytes first
  // Most stored bytes first, at most kTopLineages.
  std::vector<Lineage> lineages;
  std::vector<Verbatim> verbatim;  // most content bytes first
  // For each blob: the number of deltas between the blob and a whole blob.
  Histogram chain_lengths;
  // For each blob: the uncompressed bytes that a reader of the blob decodes,
  // less the size of the blob: its block, the text of its group before the
  // block, and the same for each base in another block. 0 for a blob in
  // segments.
  Histogram block_data;
  // For each blob: the bytes of content that a reader of the blob rebuilds: the
  // blob and its bases.
  Histogram rebuilt_bytes;

  static constexpr size_t kTopLineages = 20;
  static constexpr size_t kMaxExamples = 3;
};

}  // namespace zpack
