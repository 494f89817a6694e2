// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds which added files were renamed or copied from others, with the results
// of Git (gitdiffcore(7), "diffcore-rename"). Thread-compatible.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "log/file_pair.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

// Reads blobs by number.
class BlobTexts {
 public:
  virtual ~BlobTexts() = default;
  virtual Result<uint64_t> Size(ObjectNumber blob) = 0;
  // Valid until the next call of any function but one. (Two texts are compared
  // at a time.)
  virtual Result<std::string_view> Text(ObjectNumber blob) = 0;
  virtual bool IsEmpty(ObjectNumber blob) = 0;
};

struct RenameOptions {
  RenameSearch search = RenameSearch::kRenames;
  uint32_t min_similarity = 30000;  // of kMostSimilar
  uint64_t limit = 1000;            // LogOptions::rename_limit
  // If not empty: only the file with this new path (Git's single_follow).
  std::string_view only = {};
};

// Joins pairs in `pairs`, which are in the order of git-diff-tree(1), to
// renamed and copied ones; the result has Git's order. Unchanged pairs are
// taken as sources with kCopiesHarder, and are removed. Errors are those of
// `texts`.
Status FindRenames(const RenameOptions& options, BlobTexts& texts,
                   std::vector<FilePair>& pairs);

}  // namespace zpack::log
