// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/line_history.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "history/commit_order.h"

namespace zpack::search {
namespace {

constexpr size_t kMostEvents = size_t{4} << 20;

// Calls `visit` with the lines of `lines` that `others` does not have. Both
// ascend.
template <typename Lines, typename Function>
Status ForEachMissing(const Lines& lines, const Lines& others, Function visit) {
  auto other = others.begin();
  for (const LineOfBlob& line : lines) {
    while (other != others.end() && other->text < line.text) ++other;
    if (other != others.end() && other->text == line.text) continue;
    ZPACK_TRY(visit(line));
  }
  return {};
}

}  // namespace

LineHistory::LineHistory(const ArchiveFile& archive, const LinesOfBlobs& lines,
                         Pathspec paths)
    : archive_(archive),
      lines_(lines),
      wanted_(std::move(paths)),
      graph_(archive),
      trees_(archive),
      compare_(trees_, [this](std::string_view directory) {
        return wanted_.MayEnter(directory);
      }) {}

Status LineHistory::Walk(const std::stop_token& stop) {
  ZPACK_ASSIGN_OR_RETURN(commits_, AllCommits(archive_, graph_, stop));
  for (uint32_t i = 0; i < commits_.size(); ++i) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_TRY(WalkCommit(i));
  }
  return WalkTips();
}

Status LineHistory::WalkCommit(uint32_t position) {
  const ObjectNumber commit = commits_[position];
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree, graph_.ReadRootTree(commit));
  ZPACK_ASSIGN_OR_RETURN(const auto parents, ParentsInFile(graph_, commit));
  const bool merge = parents.size() > 1;
  lost_.clear();
  const auto take = [&](const TreeChange& change) {
    return TakeChange(change, position, merge);
  };
  if (parents.empty()) {
    ZPACK_TRY(compare_.Compare(std::nullopt, tree, take));
  }
  for (const ObjectNumber parent : parents) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber before,
                           graph_.ReadRootTree(parent));
    ZPACK_TRY(compare_.Compare(before, tree, take));
  }
  for (const auto& [event, count] : lost_) {
    uint32_t& removed = events_[event].removed;
    if (count == parents.size() && removed == LineEvents::kNone) {
      removed = position;
    }
  }
  return {};
}

LineHistory::Lines LineHistory::LinesOf(const TreeSide& side) const {
  if (!side.exists()) return {};
  const auto known = lines_.find(side.object);
  return known == lines_.end() ? Lines() : Lines(known->second);
}

Result<LineEvents*> LineHistory::Find(uint32_t path, uint32_t text) {
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

uint32_t LineHistory::PathNumber(std::string_view path) {
  const auto known = path_numbers_.find(path);
  if (known != path_numbers_.end()) return known->second;
  const auto number = static_cast<uint32_t>(paths_.size());
  paths_.emplace_back(path);
  path_numbers_.emplace(paths_.back(), number);
  return number;
}

Status LineHistory::TakeChange(const TreeChange& change, uint32_t position,
                               bool merge) {
  const Lines before = LinesOf(change.before);
  const Lines after = LinesOf(change.after);
  if (!after.empty()) reached_.insert(change.after.object);
  if (before.empty() && after.empty()) return {};
  if (!wanted_.Matches(change.path)) return {};
  const uint32_t path = PathNumber(change.path);
  ZPACK_TRY(ForEachMissing(after, before, [&](const LineOfBlob& line) -> Status {
    ZPACK_ASSIGN_OR_RETURN(LineEvents* const events, Find(path, line.text));
    // Older commits come later.
    events->brought = position;
    events->blob = change.after.object;
    events->line = line.number;
    return {};
  }));
  return ForEachMissing(before, after, [&](const LineOfBlob& line) -> Status {
    ZPACK_ASSIGN_OR_RETURN(LineEvents* const events, Find(path, line.text));
    if (merge) {
      ++lost_[static_cast<uint32_t>(events - events_.data())];
    } else if (events->removed == LineEvents::kNone) {
      events->removed = position;
    }
    return {};
  });
}

Status LineHistory::WalkTips() {
  ZPACK_ASSIGN_OR_RETURN(const auto trees, PresentTrees(archive_, graph_));
  std::optional<ObjectNumber> before;
  for (const ObjectNumber tree : trees) {
    // Neighbours differ little, so each costs little.
    ZPACK_TRY(compare_.Compare(
        before, tree, [&](const TreeChange& change) -> Status {
          return TakeTip(change);
        }));
    before = tree;
  }
  return {};
}

Status LineHistory::TakeTip(const TreeChange& change) {
  const Lines lines = LinesOf(change.after);
  if (lines.empty() || !wanted_.Matches(change.path)) return {};
  const uint32_t path = PathNumber(change.path);
  for (const LineOfBlob& line : lines) {
    const auto known =
        event_numbers_.find((uint64_t{path} << 32) | line.text);
    if (known != event_numbers_.end()) events_[known->second].present = true;
  }
  return {};
}

std::vector<ObjectNumber> LineHistory::Unreached() const {
  std::vector<ObjectNumber> blobs;
  if (!wanted_.empty()) return blobs;
  for (const auto& [blob, lines] : lines_) {
    if (!lines.empty() && !reached_.contains(blob)) blobs.push_back(blob);
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
    ObjectNumber number = archive.number(*rank);
    ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph.Type(number));
    // A tag of a hostile file may lead to itself.
    for (uint32_t left = archive.object_count();
         type == ObjectType::kTag && left > 0; --left) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag, graph.ReadTag(number));
      number = tag.target;
      ZPACK_ASSIGN_OR_RETURN(type, graph.Type(number));
    }
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
