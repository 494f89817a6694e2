// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the commits and trees that are stored verbatim. Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "zpack/statistics.h"

namespace zpack {

class VerbatimCounter {
 public:
  // `archive` must outlive this object, and its index must be loaded.
  explicit VerbatimCounter(const ArchiveFile& archive) : archive_(archive) {}

  // REQUIRES: `block` holds trees, or commits.
  void AddTrees(const DecodedBlock& block);
  void AddCommits(const DecodedBlock& block);

  // Ordered by bytes, largest first, then by type and reason.
  std::vector<FileStatistics::Verbatim> Finish() const;

 private:
  void Add(const DecodedBlock& block, size_t index, std::string_view reason);

  const ArchiveFile& archive_;
  std::map<std::pair<ObjectType, std::string_view>, FileStatistics::Verbatim>
      sums_;
};

}  // namespace zpack
