// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches every version of every file, each once, and says when lines came and
// went. Functions without state.

#pragma once

#include "base/visitor.h"
#include "reader/archive_file.h"
#include "zpack/result.h"
#include "zpack/search.h"

namespace zpack::search {

// Calls `visit` with each line at each path, the youngest first; lines that one
// commit brought by path and number. Errors: those of SearchBlobs,
// NumberedTrees and `visit`; kLimitExceeded if the matches take too much
// memory. REQUIRES: the index is loaded.
Status SearchHistory(const ArchiveFile& archive,
                     const HistorySearchOptions& options,
                     const Visitor<const HistoryMatch&>& visit);

// Calls `visit` with each blob that matches, in the order of the commits that
// brought them, the youngest first. Errors are those of SearchHistory.
Status SearchVersions(const ArchiveFile& archive,
                      const HistorySearchOptions& options,
                      const Visitor<const MatchingBlob&>& visit);

}  // namespace zpack::search
