// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the bytes of a .zpack file are, what reading its blobs costs, and which
// objects did not fit its columns.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct FileStatistics {
  // Streams of one kind in all blocks of one kind and type.
  struct Stream {
    std::string block_kind;
    ObjectType type = ObjectType::kBlob;
    std::string kind;
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  // Blobs that belong together. Stored bytes are an estimate: the blob's part
  // of its block before compression, times what compression does to the block.
  struct Share {
    uint64_t objects = 0;
    uint64_t content_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  struct Extension {
    std::string extension;  // without the dot; empty for none
    Share share;
  };
  // The blobs of one path.
  struct Lineage {
    std::string path;  // where the trees of the file first name it; or empty
    Share share;
    uint64_t whole = 0;  // blobs that are no deltas
    uint32_t longest_chain = 0;
  };
  // Objects with a value up to `up_to` and above that of the bucket before.
  struct Bucket {
    uint64_t up_to = 0;
    uint64_t objects = 0;
  };
  // Commits or trees that are stored as they are, since they are not of the
  // form that columns have.
  struct Verbatim {
    ObjectType type = ObjectType::kCommit;
    std::string reason;  // "no valid tree line", "unusual mode", ...
    uint64_t objects = 0;
    uint64_t content_bytes = 0;
    std::vector<ObjectId> examples;  // the first ones, kMaxExamples at most
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
  std::vector<Lineage>
      lineages;  // the most expensive ones, kTopLineages at most
  std::vector<Verbatim> verbatim;  // most content bytes first
  // By blob: deltas between it and an object without a base.
  Histogram chain_lengths;
  // By blob: uncompressed block data that reading it decodes, less its size.
  Histogram block_data;
  // By blob: content that reading it rebuilds, its own included.
  Histogram rebuilt_bytes;

  static constexpr size_t kTopLineages = 20;
  static constexpr size_t kMaxExamples = 3;
};

// Reads the whole file at `path`. Errors: those of opening a file, and
// kCorrupt, kLimitExceeded, kIo and kInterrupted while it is read.
Result<FileStatistics> CollectStatistics(const std::string& path,
                                         const ReadOptions& options,
                                         const RunOptions& run);

}  // namespace zpack
