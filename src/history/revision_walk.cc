// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order is that of Git: commits by date as they become known, then tags and
// trees in the order in which the walk found them. The path of an object is the
// path at which the walk met it first. An object has the type of the first link
// to it; like Git, the walk does not read blobs to check their type.

#include "history/revision_walk.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "history/commit_ancestry.h"
#include "history/delayed_visits.h"
#include "history/late_exclusions.h"
#include "history/object_graph.h"
#include "history/object_marks.h"
#include "history/queued_commit.h"

namespace zpack {
namespace {

// Maximum length of a path, which limits the output for a small file. Depth
// needs no limit, because each tree is walked once.
constexpr size_t kMaxPath = size_t{256} << 10;

class RevisionWalk {
 public:
  RevisionWalk(const ArchiveFile& archive, const WalkOptions& options,
               const Visitor<const WalkedObject&>& visit)
      : graph_(archive),
        object_count_(size_t{archive.ids().size()} + 1),  // with the empty tree
        marks_(object_count_),
        objects_(options.objects),
        max_commits_(options.max_commits),
        stop_(options.stop),
        visits_(graph_, visit, options.stop) {}

  // `path` is as in WalkOptions::start_paths. `what` names the start in
  // messages.
  Status AddStart(const ObjectId& id, std::string_view path,
                  std::string_view what) {
    ZPACK_ASSIGN_OR_RETURN(ObjectNumber number, graph_.Find(id, what));
    ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph_.Type(number));
    ZPACK_TRY(NameAs(number, type));
    const size_t start = next_start_++;
    while (type == ObjectType::kTag) {
      // An earlier start has already reached this tag and everything that it
      // reaches.
      const auto [tag_start, is_new] = tag_starts_.emplace(number, start);
      if (!is_new && tag_start->second != start) return {};
      if (!is_new) {
        return MakeError(ErrorCode::kCorrupt, "tag {} points at itself",
                         graph_.id(number));
      }
      ZPACK_ASSIGN_OR_RETURN(ObjectGraph::Tag tag, graph_.ReadTag(number));
      Postpone(number, type, std::move(tag.name));
      ZPACK_ASSIGN_OR_RETURN(type, graph_.Type(tag.target));
      // The target must have the type that the tag states.
      ZPACK_TRY(NameAs(tag.target, tag.type));
      ZPACK_TRY(NameAs(tag.target, type));
      number = tag.target;
      path = {};
    }
    if (type == ObjectType::kCommit) {
      tips_.push_back({.commit = number});
      return AddCommit(number);
    }
    Postpone(number, type, std::string(path));
    return {};
  }

  // AddStart of all refs, and of HEAD.
  Status AddRefs(const RefsSnapshot& refs) {
    for (const Ref& ref : refs.refs) {
      const ObjectId id = refs.Resolve(ref.name);
      if (!id.empty()) ZPACK_TRY(AddStart(id, {}, ref.name));
    }
    const ObjectId head = refs.Resolve("HEAD");
    return head.empty() ? Status{} : AddStart(head, {}, "HEAD");
  }

  // Must come before the starts, of which `after` were named before `id`.
  Status Exclude(const ObjectId& id, size_t after) {
    ZPACK_ASSIGN_OR_RETURN(ObjectNumber number, graph_.Find(id, "the walk"));
    ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph_.Type(number));
    // A tag that was seen before leads to what was excluded before.
    while (type == ObjectType::kTag && !marks_.seen(number)) {
      marks_.SetSeen(number);
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag,
                             graph_.ReadTag(number));
      number = tag.target;
      ZPACK_ASSIGN_OR_RETURN(type, graph_.Type(number));
    }
    if (type == ObjectType::kCommit) {
      excluded_tips_.push_back({number, after});
      return VisitAncestors(graph_, number, stop_, [&](ObjectNumber commit) {
        if (marks_.excluded(commit)) return false;
        marks_.SetExcluded(commit);
        return true;
      });
    }
    return type == ObjectType::kTag ? Status{} : ExcludeContent(number, type);
  }

  // Says that Git reads a commit before the walk. Must come before the starts.
  Status ReadBefore(const ObjectId& id) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number,
                           graph_.Find(id, "the walk"));
    ZPACK_ASSIGN_OR_RETURN(const ObjectType type, graph_.Type(number));
    if (type == ObjectType::kCommit) {
      tips_.push_back({.commit = number, .only_read = true});
    }
    return {};
  }

  // Says that the next start, if there is one, comes after `starts` others.
  void NextStart(size_t starts) {
    while (next_excluded_ < excluded_tips_.size() &&
           excluded_tips_[next_excluded_].after <= starts) {
      tips_.push_back({.commit = excluded_tips_[next_excluded_++].commit,
                       .excluded = true});
    }
  }

  Status Run() {
    return graph_.ReadAhead(0, [&]() -> Status {
      Status walked = Walk();
      // Those that were found before an error.
      ZPACK_VISIT(visits_.Flush(), {});
      return walked;
    });
  }

 private:
  Status Walk() {
    while (!queue_.empty()) {
      // Without commits to leave out, nothing depends on the others.
      if (visited_ >= max_commits_ && !needs_edges()) break;
      ZPACK_TRY(CheckStop(stop_));
      const ObjectNumber commit = queue_.top().number;
      queue_.pop();
      ZPACK_VISIT(WalkCommit(commit), {});
    }
    if (needs_edges()) ZPACK_TRY(AddLateEdges());
    for (const ObjectNumber edge : edges_) {
      const auto tree = graph_.ReadRootTree(edge);
      // Like Git, does without a missing tree that would only exclude objects.
      if (!tree && tree.error().code == ErrorCode::kNotFound) continue;
      if (!tree) return std::unexpected(tree.error());
      ZPACK_TRY(ExcludeContent(*tree, ObjectType::kTree));
    }
    for (const Pending& pending : pending_) {
      ZPACK_VISIT(WalkPending(pending), {});
    }
    return {};
  }

  // Whether trees of commits that are left out leave out objects.
  bool needs_edges() const {
    return !excluded_tips_.empty() && objects_ == WalkObjects::kAll;
  }

  // Where dates go back, Git also leaves out the objects of these commits.
  Status AddLateEdges() {
    ZPACK_ASSIGN_OR_RETURN(
        const std::vector<ObjectNumber> late,
        FindLateExclusions(graph_, object_count_, marks_, tips_, stop_));
    edges_.insert(late.begin(), late.end());
    return {};
  }

  // An object that is visited after the commits.
  struct Pending {
    ObjectNumber number;
    ObjectType type = ObjectType::kTree;
    std::string name;  // of a tag, or the path of a tree or blob
  };
  // A commit that is left out, named after so many starts.
  struct ExcludedTip {
    ObjectNumber commit;
    size_t after = 0;
  };
  // A tree whose entries are being walked.
  struct Frame {
    ObjectNumber tree;
    // Length of the path of the tree, including the final '/'.
    size_t path_size = 0;
    size_t links_begin = 0;  // start of the tree's links
    size_t names_begin = 0;
    size_t next_link = 0;
    size_t next_name = 0;
  };

  // Records a link to `number` as an object of `type`. Returns kCorrupt if an
  // earlier link had another type.
  Status NameAs(ObjectNumber number, ObjectType type) {
    const std::optional<ObjectType> known = marks_.type(number);
    if (!known) {
      marks_.SetType(number, type);
    } else if (*known != type) {
      return MakeError(ErrorCode::kCorrupt, "object {} is a {}, not a {}",
                       graph_.id(number), ObjectTypeName(*known),
                       ObjectTypeName(type));
    }
    return {};
  }

  // Leaves out a tree with all that it reaches, or a blob.
  Status ExcludeContent(ObjectNumber number, ObjectType type) {
    if (objects_ == WalkObjects::kCommits || marks_.seen(number)) return {};
    ZPACK_TRY(NameAs(number, type));
    marks_.SetSeen(number);
    if (type != ObjectType::kTree) return {};
    excluding_ = true;
    const Result<Visit> walked = WalkTree(number, {});
    excluding_ = false;
    ZPACK_TRY(walked);
    return {};
  }

  void Postpone(ObjectNumber number, ObjectType type, std::string name) {
    if (objects_ == WalkObjects::kCommits) return;
    pending_.push_back({number, type, std::move(name)});
  }

  Status AddCommit(ObjectNumber number) {
    ZPACK_TRY(NameAs(number, ObjectType::kCommit));
    if (marks_.seen(number) || marks_.excluded(number)) return {};
    marks_.SetSeen(number);
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit commit,
                           graph_.ReadCommit(number));
    if (objects_ == WalkObjects::kAll) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree,
                             graph_.ReadRootTree(number));
      ZPACK_TRY(NameAs(tree, ObjectType::kTree));
    }
    queue_.push({commit.time, next_order_++, number});
    return {};
  }

  Result<Visit> WalkCommit(ObjectNumber number) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit commit,
                           graph_.ReadCommit(number));
    for (const LinkNumber link : commit.parents) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectNumber parent,
                             graph_.ReadParent(number, link));
      if (marks_.excluded(parent)) edges_.insert(parent);
      ZPACK_TRY(AddCommit(parent));
    }
    if (visited_ >= max_commits_) return Visit::kContinue;
    ++visited_;
    if (objects_ == WalkObjects::kAll) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree,
                             graph_.ReadRootTree(number));
      Postpone(tree, ObjectType::kTree, {});
    }
    return visits_.Add(number, ObjectType::kCommit, {});
  }

  Result<Visit> WalkPending(const Pending& pending) {
    if (marks_.seen(pending.number)) return Visit::kContinue;
    marks_.SetSeen(pending.number);
    ZPACK_VISIT(visits_.Add(pending.number, pending.type, pending.name),
                Visit::kStop);
    return pending.type == ObjectType::kTree
               ? WalkTree(pending.number, pending.name)
               : Visit::kContinue;
  }

  // Walks everything that a tree with the path `path` reaches. The tree itself
  // has been visited.
  Result<Visit> WalkTree(ObjectNumber root, std::string_view path) {
    path_ = path;
    if (!path_.empty()) path_ += '/';
    ZPACK_TRY(Open(root));
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next_link == links_.links.size()) {
        marks_.SetComplete(frame.tree);
        links_.links.resize(frame.links_begin);
        links_.names.resize(frame.names_begin);
        frames_.pop_back();
        continue;
      }
      const ObjectGraph::Link link = links_.links[frame.next_link++];
      const size_t name = frame.next_name;
      frame.next_name += link.name_size;
      ZPACK_TRY(NameAs(link.child, link.type));
      if (marks_.seen(link.child)) continue;
      marks_.SetSeen(link.child);
      path_.resize(frame.path_size);
      path_.append(links_.names, name, link.name_size);
      if (excluding_) {
        path_.clear();
      } else if (path_.size() > kMaxPath) {
        return MakeError(ErrorCode::kLimitExceeded,
                         "path of object {} is longer than {} bytes",
                         graph_.id(link.child), kMaxPath);
      }
      if (!excluding_) {
        ZPACK_VISIT(visits_.Add(link.child, link.type, path_), Visit::kStop);
      }
      if (link.type != ObjectType::kTree) continue;
      path_ += '/';
      ZPACK_TRY(Open(link.child));
    }
    return Visit::kContinue;
  }

  // Begins to walk the entries of a tree with the path `path_`.
  Status Open(ObjectNumber tree) {
    ZPACK_TRY(CheckStop(stop_));
    const size_t links = links_.links.size();
    const size_t names = links_.names.size();
    frames_.push_back({tree, path_.size(), links, names, links, names});
    return graph_.ReadTree(tree, marks_, links_);
  }

  ObjectGraph graph_;
  size_t object_count_;
  ObjectMarks marks_;
  WalkObjects objects_;
  uint64_t max_commits_;
  uint64_t visited_ = 0;    // commits
  bool excluding_ = false;  // the tree walk marks objects instead of visiting
  std::vector<WalkTip> tips_;  // as FindLateExclusions needs them
  std::vector<ExcludedTip> excluded_tips_;
  size_t next_excluded_ = 0;  // the first one that is not in `tips_`
  // Excluded parents of commits of the walk, and late exclusions.
  std::set<ObjectNumber> edges_;
  std::stop_token stop_;
  DelayedVisits visits_;
  std::priority_queue<QueuedCommit> queue_;
  uint64_t next_order_ = 0;
  size_t next_start_ = 0;
  // The start from which the walk reached each tag.
  std::unordered_map<ObjectNumber, size_t> tag_starts_;
  std::vector<Pending> pending_;
  std::vector<Frame> frames_;
  ObjectGraph::Links links_;  // of all frames
  std::string path_;
};

}  // namespace

Status WalkRevisions(const ArchiveFile& archive, const WalkOptions& options,
                     const Visitor<const WalkedObject&>& visit) {
  RevisionWalk walk(archive, options, visit);
  // All refs together count as one start.
  const size_t refs_at =
      std::min(options.starts_before_refs, options.starts.size());
  for (size_t i = 0; i < options.excluded.size(); ++i) {
    const size_t after =
        i < options.excluded_after.size() ? options.excluded_after[i] : 0;
    ZPACK_TRY(walk.Exclude(options.excluded[i], i < options.excluded_before_refs
                                                    ? after
                                                    : after + 1));
  }
  for (const ObjectId& id : options.read_before) ZPACK_TRY(walk.ReadBefore(id));
  for (size_t i = 0; i <= options.starts.size(); ++i) {
    if (i == refs_at) {
      walk.NextStart(i);
      if (options.refs == WalkRefs::kAll) {
        ZPACK_TRY(walk.AddRefs(archive.refs()));
      }
    }
    if (i == options.starts.size()) break;
    walk.NextStart(i < refs_at ? i : i + 1);
    const std::string_view path = i < options.start_paths.size()
                                      ? options.start_paths[i]
                                      : std::string_view();
    ZPACK_TRY(walk.AddStart(options.starts[i], path, "the walk"));
  }
  walk.NextStart(SIZE_MAX);
  return walk.Run();
}

}  // namespace zpack
