// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects FileStatistics from an open file. Thread-compatible.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "report/object_paths.h"
#include "report/verbatim_counter.h"
#include "zpack/file_statistics.h"

namespace zpack {

class StatisticsCollector {
 public:
  explicit StatisticsCollector(const ArchiveFile& archive)
      : archive_(archive), paths_(archive), verbatim_(archive) {}

  // Reads all blocks.
  Status ReadBlocks(const RunOptions& run);

  // The statistics of one blob.
  struct Blob {
    ObjectNumber number;
    uint64_t content_bytes = 0;
    uint64_t stored_bytes = 0;
    uint32_t chain_length = 0;
  };

  // REQUIRES for all: ReadBlocks has succeeded, and Finish was not called.
  // Passes each blob, with its value of FileStatistics::block_data.
  void VisitBlobs(
      const std::function<void(const Blob&, uint64_t)>& visit) const;
  // Stored bytes of all streams, in the order of kAllObjectTypes.
  std::array<uint64_t, kAllObjectTypes.size()> StoredByType() const;
  FileStatistics Finish();

 private:
  struct StreamSum {
    uint64_t raw_bytes = 0;
    uint64_t stored_bytes = 0;
  };

  // What a blob adds to the cost of reading those whose base it is.
  struct BaseCost {
    uint32_t chain_length = 0;
    uint64_t far_data = 0;       // decoded in blocks of far bases
    uint64_t rebuilt_bytes = 0;  // the blob and its bases
  };

  Status ReadBlock(size_t block);
  Status AddBlobs(const BlockObjects& objects, uint64_t raw, uint64_t stored);
  Status AddDeltas(const DecodedBlock& block, uint64_t raw, uint64_t stored);
  // kCorrupt if no block was read that has the base.
  Result<BaseCost> CostOf(const format::FarBase& base) const;
  void AddBlob(const Blob& blob, uint64_t block_data, uint64_t rebuilt);

  const ArchiveFile& archive_;
  ObjectPaths paths_;
  VerbatimCounter verbatim_;
  BlockDecoder decoder_;
  std::map<std::tuple<std::string, ObjectType, std::string>, StreamSum>
      streams_;
  std::vector<Blob> blobs_;
  std::vector<uint64_t> chain_lengths_;
  std::vector<uint64_t> block_data_;
  std::vector<uint64_t> rebuilt_bytes_;
};

}  // namespace zpack
