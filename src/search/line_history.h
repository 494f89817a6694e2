// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// When lines came to paths and went: compares each commit with its parents.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/index_spaces.h"
#include "history/numbered_trees.h"
#include "history/object_graph.h"
#include "history/tree_changes.h"
#include "reader/archive_file.h"
#include "search/pathspec.h"
#include "zpack/result.h"

namespace zpack::search {

// The wanted lines of a blob: what they hold, in ascending order, and the
// number of the first line that holds it.
struct LineOfBlob {
  uint32_t text = 0;
  uint32_t number = 0;
};
using LinesOfBlobs =
    std::unordered_map<ObjectNumber, std::vector<LineOfBlob>>;

// What the history says about one text at one path.
struct LineEvents {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  uint32_t path = 0;
  uint32_t text = 0;
  uint32_t line = 0;        // in `blob`
  ObjectNumber blob = {};   // the first version that has it
  uint32_t brought = kNone;  // positions among the commits
  uint32_t removed = kNone;
  bool present = false;
};

class LineHistory {
 public:
  // `archive` and `lines` must outlive this object.
  LineHistory(const ArchiveFile& archive, const LinesOfBlobs& lines,
              Pathspec paths);

  // Walks all commits, and then compares with what is there now. Errors:
  // those of AllCommits and TreeComparison; kLimitExceeded; kInterrupted.
  Status Walk(const std::stop_token& stop);

  // After Walk, in no order.
  std::vector<LineEvents>& events() { return events_; }
  // Matching blobs that no commit has.
  std::vector<ObjectNumber> Unreached() const;
  ObjectId commit(uint32_t position) const {
    return graph_.id(commits_[position]);
  }
  std::string_view path(uint32_t number) const { return paths_[number]; }

 private:
  using Lines = std::span<const LineOfBlob>;

  Status WalkCommit(uint32_t position);
  Status WalkTips();
  Status TakeChange(const TreeChange& change, uint32_t position, bool merge);
  Status TakeTip(const TreeChange& change);
  Lines LinesOf(const TreeSide& side) const;
  // The events of a text at a path, which are new if it has none.
  Result<LineEvents*> Find(uint32_t path, uint32_t text);
  uint32_t PathNumber(std::string_view path);

  const ArchiveFile& archive_;
  const LinesOfBlobs& lines_;
  const Pathspec wanted_;
  ObjectGraph graph_;
  NumberedTrees trees_;
  TreeComparison compare_;
  std::vector<ObjectNumber> commits_;
  std::deque<std::string> paths_;
  std::unordered_map<std::string_view, uint32_t> path_numbers_;
  std::vector<LineEvents> events_;
  std::unordered_map<uint64_t, uint32_t> event_numbers_;
  std::unordered_set<ObjectNumber> reached_;
  // Of the merge that is being walked: by event, how many parents have the
  // line that the merge does not have.
  std::unordered_map<uint32_t, uint32_t> lost_;
};

// The trees of what is there now: of branches, remote branches and HEAD; of all
// refs if there are none.
Result<std::vector<ObjectNumber>> PresentTrees(const ArchiveFile& archive,
                                               ObjectGraph& graph);

}  // namespace zpack::search
