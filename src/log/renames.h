// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds which added files were renamed or copied from others, with the results
// of Git (gitdiffcore(7), "diffcore-rename"). Thread-compatible.

#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <vector>

#include "log/blob_texts.h"
#include "log/file_pair.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

struct RenameOptions {
  RenameSearch search = RenameSearch::kRenames;
  // Of kMostSimilar, which is the greatest value and asks for equal files only.
  // 0 stands for the default, as in Git.
  uint32_t min_similarity = 30000;
  uint64_t limit = 1000;  // LogOptions::rename_limit
  // If not empty: only the file with this new path (Git's single_follow).
  std::string_view only = {};
  std::stop_token stop = {};
};

// Joins pairs in `pairs`, which are in the order of git-diff-tree(1), to
// renamed and copied ones; the result has Git's order. Unchanged pairs are
// taken as sources with kCopiesHarder, and are removed. Attributes are not
// read: a text is binary if there is a NUL in its first 8,000 bytes. Above the
// limit, kCopiesHarder falls back to kCopies before only equal files are found.
// Errors are those of `texts`, for regular files only; kInterrupted.
Status FindRenames(const RenameOptions& options, BlobTexts& texts,
                   std::vector<FilePair>& pairs);

}  // namespace zpack::log
