// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// When lines came to paths and went: compares each commit with its parents.
// Thread-compatible.

#pragma once

#include <cstdint>
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
#include "base/text_table.h"
#include "history/numbered_trees.h"
#include "history/object_graph.h"
#include "history/tree_changes.h"
#include "reader/archive_file.h"
#include "search/pathspec.h"
#include "zpack/result.h"

namespace zpack::search {

// What a wanted line of a blob holds: the number of a text. Each is named once,
// in ascending order.
using LineOfBlob = uint32_t;
class LinesOfBlobs {
 public:
  using Lines = std::span<const LineOfBlob>;

  // For the objects 0 to `count` - 1. REQUIRES: count < 2^32.
  explicit LinesOfBlobs(uint32_t count) : places_(count) {}

  // REQUIRES: the blob has no lines yet.
  void Set(ObjectNumber blob, std::vector<LineOfBlob> lines) {
    blobs_.push_back(blob);
    lines_.push_back(std::move(lines));
    places_[blob.value()] = static_cast<uint32_t>(lines_.size());
  }
  // Empty for a blob without lines, and for what is not in the file.
  Lines Of(ObjectNumber blob) const {
    const size_t number = blob.value();
    if (number >= places_.size() || places_[number] == 0) return {};
    return lines_[places_[number] - 1];
  }
  // Those with lines, in no order.
  const std::vector<ObjectNumber>& blobs() const { return blobs_; }

 private:
  std::vector<uint32_t> places_;  // by object: 1 + position in `lines_`, or 0
  std::vector<ObjectNumber> blobs_;
  std::vector<std::vector<LineOfBlob>> lines_;
};

// What the history says about one text at one path.
struct LineEvents {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  uint32_t path = 0;
  uint32_t text = 0;
  ObjectNumber blob = {};    // the first version that has it
  uint32_t brought = kNone;  // positions among the commits
  uint32_t removed = kNone;
  bool present = false;
};

// What some commits say. Thread-compatible.
class LineWalk {
 public:
  // All references must outlive this object.
  LineWalk(const ArchiveFile& archive, const LinesOfBlobs& lines,
           const Pathspec& paths, NumberedTrees::Blocks blocks);

  // Compares a commit with its parents; `position` says where it is among all.
  Status WalkCommit(ObjectNumber commit, uint32_t position);
  // Notes what one of these trees has.
  Status WalkPresent(const std::vector<ObjectNumber>& trees);
  // Adds what another walk found.
  Status Join(const LineWalk& other);

  std::vector<LineEvents>& events() { return events_; }
  // Blobs with wanted lines that the commits have.
  const std::unordered_set<ObjectNumber>& reached() const { return reached_; }
  std::string_view path(uint32_t number) const { return paths_.text(number); }

 private:
  using Lines = LinesOfBlobs::Lines;

  Status TakeChange(const TreeChange& change, uint32_t position);
  Status TakePresent(const TreeChange& change);
  Lines LinesOf(const TreeSide& side) const {
    return side.exists() && !IsGitlinkMode(side.mode) ? lines_.Of(side.object)
                                                      : Lines();
  }
  // The events of a text at a path, which are new if it has none.
  Result<LineEvents*> Find(uint32_t path, uint32_t text);

  const LinesOfBlobs& lines_;
  const Pathspec& wanted_;
  ObjectGraph graph_;
  NumberedTrees trees_;
  TreeComparison compare_;
  TextTable paths_;
  std::vector<LineEvents> events_;
  std::unordered_map<uint64_t, uint32_t> event_numbers_;
  std::unordered_set<ObjectNumber> reached_;
  std::vector<LineOfBlob> some_;  // reused
};

class LineHistory {
 public:
  // `archive` and `lines` must outlive this object.
  LineHistory(const ArchiveFile& archive, const LinesOfBlobs& lines,
              Pathspec paths);

  // Walks all commits, and then compares with what is there now. Errors:
  // those of AllCommits and TreeComparison; kLimitExceeded; kInterrupted.
  Status Walk(unsigned threads, const std::stop_token& stop);

  // After Walk, in no order.
  std::vector<LineEvents>& events() { return all_.events(); }
  // Matching blobs that no commit has.
  std::vector<ObjectNumber> Unreached() const;
  ObjectId commit(uint32_t position) const {
    return archive_.ids()[archive_.rank(commits_[position])];
  }
  std::string_view path(uint32_t number) const { return all_.path(number); }

 private:
  const ArchiveFile& archive_;
  const LinesOfBlobs& lines_;
  const Pathspec wanted_;
  std::vector<ObjectNumber> commits_;
  LineWalk all_;
};

// The trees of what is there now: of branches, remote branches and HEAD; of all
// refs if there are none.
Result<std::vector<ObjectNumber>> PresentTrees(const ArchiveFile& archive,
                                               ObjectGraph& graph);

}  // namespace zpack::search
