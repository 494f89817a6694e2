// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/line_history.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "history/commit_order.h"
#include "history/commit_shares.h"

namespace zpack::search {
namespace {

constexpr size_t kMostEvents = size_t{4} << 20;

}  // namespace

LineWalk::LineWalk(const ArchiveFile& archive, const LinesOfBlobs& lines,
                   const Pathspec& paths, NumberedTrees::Blocks blocks)
    : lines_(lines),
      wanted_(paths),
      graph_(archive),
      trees_(archive, std::move(blocks)),
      compare_(trees_, [this](std::string_view directory) {
        return wanted_.MayEnter(directory);
      }) {}

Status LineWalk::WalkCommit(ObjectNumber commit, uint32_t position) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree, graph_.ReadRootTree(commit));
  ZPACK_ASSIGN_OR_RETURN(const auto parents, ParentsInFile(graph_, commit));
  std::vector<TreeComparison::Tree> before;
  before.reserve(parents.size());
  for (const ObjectNumber parent : parents) {
    ZPACK_ASSIGN_OR_RETURN(before.emplace_back(), graph_.ReadRootTree(parent));
  }
  if (before.empty()) before.emplace_back();
  const auto take = [&](const TreeChange& change) {
    return TakeChange(change, position);
  };
  ZPACK_VISIT(compare_.Compare(before, tree, take), {});
  return {};
}

Result<LineEvents*> LineWalk::Find(uint32_t path, uint32_t text) {
  const auto [at, added] = event_numbers_.try_emplace(
      (uint64_t{path} << 32) | text, static_cast<uint32_t>(events_.size()));
  if (added) {
    if (events_.size() == kMostEvents) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "more than {} lines match; search for less, or only "
                       "list or count files",
                       kMostEvents);
    }
    events_.push_back({.path = path, .text = text});
  }
  return &events_[at->second];
}

Status LineWalk::TakeChange(const TreeChange& change, uint32_t position) {
  const Lines after = LinesOf(change.after);
  if (!after.empty()) reached_.insert(change.after.object);
  const auto has_lines = [&](const TreeSide& side) {
    return !LinesOf(side).empty();
  };
  if (after.empty() && !std::ranges::any_of(change.before, has_lines)) {
    return {};
  }
  if (!wanted_.Matches(change.path)) return {};
  const uint32_t path = paths_.Number(change.path);
  // What no parent has, came. Older commits follow.
  some_.assign(after.begin(), after.end());
  for (const TreeSide& side : change.before) {
    std::erase_if(some_, [&](LineOfBlob line) {
      return std::ranges::binary_search(LinesOf(side), line);
    });
  }
  for (const LineOfBlob line : some_) {
    ZPACK_ASSIGN_OR_RETURN(LineEvents* const events, Find(path, line));
    events->brought = position;
    events->blob = change.after.object;
  }
  // What all parents have, went.
  const Lines first = LinesOf(change.before.front());
  some_.assign(first.begin(), first.end());
  std::erase_if(some_, [&](LineOfBlob line) {
    return std::ranges::binary_search(after, line) ||
           !std::ranges::all_of(change.before, [&](const TreeSide& side) {
             return std::ranges::binary_search(LinesOf(side), line);
           });
  });
  for (const LineOfBlob line : some_) {
    ZPACK_ASSIGN_OR_RETURN(LineEvents* const events, Find(path, line));
    if (events->removed == LineEvents::kNone) events->removed = position;
  }
  return {};
}

Status LineWalk::WalkPresent(const std::vector<ObjectNumber>& trees) {
  TreeComparison::Tree before;
  for (const ObjectNumber tree : trees) {
    // Neighbours differ little, so each costs little.
    const auto take = [&](const TreeChange& change) {
      return TakePresent(change);
    };
    ZPACK_VISIT(compare_.Compare(std::span(&before, 1), tree, take), {});
    before = tree;
  }
  return {};
}

Status LineWalk::TakePresent(const TreeChange& change) {
  const Lines lines = LinesOf(change.after);
  if (lines.empty() || !wanted_.Matches(change.path)) return {};
  const uint32_t path = paths_.Number(change.path);
  for (const LineOfBlob line : lines) {
    const auto known = event_numbers_.find((uint64_t{path} << 32) | line);
    if (known != event_numbers_.end()) events_[known->second].present = true;
  }
  return {};
}

Status LineWalk::Join(const LineWalk& other) {
  reached_.insert(other.reached_.begin(), other.reached_.end());
  for (const LineEvents& theirs : other.events_) {
    ZPACK_ASSIGN_OR_RETURN(
        LineEvents* const ours,
        Find(paths_.Number(other.path(theirs.path)), theirs.text));
    // The oldest commit that brought the line, and the youngest that did not
    // have it any more.
    const bool is_older =
        theirs.brought != LineEvents::kNone &&
        (ours->brought == LineEvents::kNone || theirs.brought > ours->brought);
    if (is_older) {
      ours->brought = theirs.brought;
      ours->blob = theirs.blob;
    }
    ours->removed = std::min(ours->removed, theirs.removed);
  }
  return {};
}

LineHistory::LineHistory(const ArchiveFile& archive, const LinesOfBlobs& lines,
                         Pathspec paths)
    : archive_(archive),
      lines_(lines),
      wanted_(std::move(paths)),
      all_(archive, lines, wanted_, NumberedTrees::MakeBlocks(archive)) {}

Status LineHistory::Walk(unsigned threads, const std::stop_token& stop) {
  ObjectGraph graph(archive_);
  ZPACK_ASSIGN_OR_RETURN(commits_, AllCommits(archive_, graph, stop));
  std::mutex mutex;
  threads = TreeThreads(archive_, threads);
  const auto blocks = NumberedTrees::MakeBlocks(archive_, threads);
  const ShareBody walk_share = [&](uint64_t begin, uint64_t end) -> Status {
    LineWalk walk(archive_, lines_, wanted_, blocks);
    for (uint64_t i = begin; i < end; ++i) {
      ZPACK_TRY(CheckStop(stop));
      ZPACK_TRY(walk.WalkCommit(commits_[i], static_cast<uint32_t>(i)));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    return all_.Join(walk);
  };
  ZPACK_TRY(ForSharesOfCommits(commits_.size(), threads, stop, walk_share));
  ZPACK_ASSIGN_OR_RETURN(const auto trees, PresentTrees(archive_, graph));
  return all_.WalkPresent(trees);
}

std::vector<ObjectNumber> LineHistory::Unreached() const {
  std::vector<ObjectNumber> blobs;
  if (!wanted_.empty()) return blobs;
  for (const ObjectNumber blob : lines_.blobs()) {
    if (!all_.reached().contains(blob)) blobs.push_back(blob);
  }
  std::ranges::sort(blobs);
  return blobs;
}

Result<std::vector<ObjectNumber>> PresentTrees(const ArchiveFile& archive,
                                               ObjectGraph& graph) {
  const RefsSnapshot& refs = archive.refs();
  std::vector<ObjectId> tips;
  const auto add = [&](std::string_view name) {
    const ObjectId id = refs.Resolve(name);
    if (!id.empty()) tips.push_back(id);
  };
  add("HEAD");
  for (const Ref& ref : refs.refs) {
    if (ref.name.starts_with("refs/heads/") ||
        ref.name.starts_with("refs/remotes/")) {
      add(ref.name);
    }
  }
  if (tips.empty()) {
    for (const Ref& ref : refs.refs) add(ref.name);
  }
  std::vector<ObjectNumber> trees;
  for (const ObjectId& tip : tips) {
    const auto rank = archive.ids().Find(tip);
    if (!rank) continue;
    ZPACK_ASSIGN_OR_RETURN(ObjectNumber number,
                           graph.PeelTags(archive.number(*rank)));
    ZPACK_ASSIGN_OR_RETURN(const ObjectType type, graph.Type(number));
    if (type == ObjectType::kCommit) {
      ZPACK_ASSIGN_OR_RETURN(number, graph.ReadRootTree(number));
    } else if (type != ObjectType::kTree) {
      continue;
    }
    trees.push_back(number);
  }
  return trees;
}

}  // namespace zpack::search
