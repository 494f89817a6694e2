// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/object_selector.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "history/object_marks.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"
#include "serve/commit_set.h"

namespace zpack {
namespace {

// A tree that the client has.
struct HadTree {
  ObjectNumber tree;
  uint32_t age = 0;  // of its commit among the client's; 0 for the newest
};

// Trees of one path: those that the client wants, and those that it has.
struct Trees {
  std::vector<ObjectNumber> wanted;
  std::vector<HadTree> had;
};

// The trees of a level of directories that are read together. Their entries are
// at `depth`.
struct Directory {
  Trees trees;
  uint64_t depth = 1;
};

class Selector {
 public:
  Selector(const SelectionRequest& request, History& history,
           const std::stop_token& stop, const SelectionProgress& progress)
      : request_(request),
        history_(history),
        graph_(history.graph()),
        stop_(stop),
        progress_(progress),
        marks_(history.object_count()),
        had_(history) {
    choice_.chosen.resize(history.object_count());
  }

  Result<Selection> Select() {
    ZPACK_TRY(AddHaves());
    ZPACK_TRY(AddWants());
    ZPACK_TRY(WalkCommits());
    ZPACK_TRY(AddRootTrees());
    ZPACK_TRY(graph_.ReadAhead(request_.threads, [&] { return WalkTrees(); }));
    ZPACK_TRY(DropLargeBlobs());
    if (request_.tags != nullptr) ZPACK_TRY(AddTags());
    // A client may want what it has.
    std::erase_if(choice_.outside_bases, [this](const auto& pair) {
      return choice_.chosen[pair.second];
    });
    ZPACK_TRY(progress_(count_));
    return Selection{std::move(choice_), count_};
  }

 private:
  // What the walk of the entries of one directory found under a name.
  struct Entry {
    Trees trees;
    // The object that the client has, in its newest commit.
    std::optional<ObjectNumber> like;
    uint32_t like_age = 0;
  };
  using Entries = std::unordered_map<std::string, Entry>;

  bool WalksTrees() const {
    return request_.filter.tree_depth > 0 &&
           (request_.filter.Passes(ObjectType::kTree) ||
            request_.filter.Passes(ObjectType::kBlob));
  }

  void Choose(ObjectNumber number) {
    if (choice_.chosen[number]) return;
    choice_.chosen[number] = true;
    ++count_;
  }

  // Lets an object be sent as a delta of one that the client has. The empty
  // tree need not be in the file, and is no base worth having.
  void AddOutsideBase(ObjectNumber number, ObjectNumber base) {
    if (base != graph_.empty_tree()) {
      choice_.outside_bases.emplace(number, base);
    }
  }

  // Marks an object as one that was chosen or need not be chosen. Returns false
  // if it was marked before.
  bool Mark(ObjectNumber number, ObjectType type) {
    if (marks_.seen(number)) return false;
    if (!marks_.type(number)) marks_.SetType(number, type);
    marks_.SetSeen(number);
    return true;
  }

  // The trees that the client names. A limit of depth counts from the entries
  // of such a tree, but from the root tree of a commit.
  std::vector<ObjectNumber>& WantedTrees() {
    const bool limited = request_.filter.tree_depth != ObjectFilter::kNoLimit;
    return (limited ? named_ : roots_).trees.wanted;
  }

  Status AddHaves();
  Status AddWants();
  Status AddWant(ObjectNumber number);
  Status WalkCommits();
  // Sorts `edges_`, newest first.
  Status SortEdges();
  Status AddRootTrees();
  Status WalkTrees();
  // Reads the trees of a directory and finds the directories below.
  Status Read(Directory directory);
  // Calls `visit` with each link of a tree that was not marked, and its name.
  template <typename Visit>
  Status ReadLinks(ObjectNumber tree, Visit visit);
  Status ReadHad(const HadTree& had, Entries& entries);
  Status ReadWanted(ObjectNumber tree, const Directory& directory,
                    Entries& entries, Directory& unnamed);
  void TakeChild(const ObjectGraph::Link& child, std::string_view name,
                 const Directory& directory, Entries& entries,
                 Directory& unnamed);
  Status DropLargeBlobs();
  Status AddTags();

  const SelectionRequest& request_;
  History& history_;
  ObjectGraph& graph_;
  const std::stop_token& stop_;
  const SelectionProgress& progress_;
  TransferChoice choice_;
  uint32_t count_ = 0;
  ObjectMarks marks_;
  CommitSet had_;
  std::unordered_set<ObjectNumber> explicit_;
  std::vector<ObjectNumber> open_commits_;
  std::vector<ObjectNumber> sent_commits_;
  // Commits of the client whose trees it has: parents of those that are sent,
  // and with a short history all that it names. As Git, not the others: a
  // client that fetched with a filter may lack their trees.
  std::vector<ObjectNumber> edges_;
  Directory roots_;
  Directory named_{.trees = {}, .depth = 0};  // before `roots_`
  std::deque<Directory> open_;
  ObjectGraph::Links links_;
};

Status Selector::AddHaves() {
  ZPACK_ASSIGN_OR_RETURN(
      had_, CommitSet::Closure(request_.haves, history_, {.stop = stop_}));
  for (ObjectNumber number : request_.haves) {
    ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph_.Type(number));
    while (type == ObjectType::kTag) {
      if (!Mark(number, type)) break;
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag,
                             graph_.ReadTag(number));
      number = tag.target;
      ZPACK_ASSIGN_OR_RETURN(type, graph_.Type(number));
    }
    if (type == ObjectType::kCommit && request_.shallow) {
      edges_.push_back(number);
    } else if (type == ObjectType::kTree && Mark(number, type)) {
      roots_.trees.had.push_back({number});
    } else if (type == ObjectType::kBlob) {
      Mark(number, type);
    }
  }
  return {};
}

Status Selector::AddWants() {
  // All of them first: a want may be the target of another one.
  for (ObjectNumber number : request_.wants) {
    while (explicit_.insert(number).second) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectType type, graph_.Type(number));
      if (type != ObjectType::kTag) break;
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag,
                             graph_.ReadTag(number));
      number = tag.target;
    }
  }
  for (const ObjectNumber want : request_.wants) ZPACK_TRY(AddWant(want));
  return {};
}

Status Selector::AddWant(ObjectNumber number) {
  ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph_.Type(number));
  while (type == ObjectType::kTag) {
    if (!Mark(number, type)) return {};
    Choose(number);
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag, graph_.ReadTag(number));
    number = tag.target;
    ZPACK_ASSIGN_OR_RETURN(type, graph_.Type(number));
  }
  if (type == ObjectType::kCommit) {
    if (!had_.contains(number)) {
      Choose(number);
      open_commits_.push_back(number);
    } else if (request_.shallow) {
      edges_.push_back(number);
    }
  } else if (Mark(number, type)) {
    Choose(number);
    if (type == ObjectType::kTree) WantedTrees().push_back(number);
  }
  return {};
}

Status Selector::WalkCommits() {
  CommitSet met(history_);
  while (!open_commits_.empty()) {
    const ObjectNumber commit = open_commits_.back();
    open_commits_.pop_back();
    if (!met.Insert(commit)) continue;
    if (had_.contains(commit)) {
      edges_.push_back(commit);
      continue;
    }
    ZPACK_TRY(CheckStop(stop_));
    sent_commits_.push_back(commit);
    if (request_.filter.Passes(ObjectType::kCommit)) Choose(commit);
    ZPACK_ASSIGN_OR_RETURN(const auto* const parents, history_.Parents(commit));
    open_commits_.insert(open_commits_.end(), parents->begin(), parents->end());
  }
  return progress_(count_);
}

Status Selector::SortEdges() {
  std::vector<std::pair<uint64_t, ObjectNumber>> dated;
  dated.reserve(edges_.size());
  for (const ObjectNumber commit : edges_) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                           graph_.ReadCommit(commit));
    dated.emplace_back(read.time, commit);
  }
  std::ranges::sort(dated, std::greater());
  std::ranges::transform(dated, edges_.begin(),
                         [](const auto& pair) { return pair.second; });
  return {};
}

Status Selector::AddRootTrees() {
  if (!WalksTrees()) return {};
  std::optional<ObjectNumber> like;
  if (!sent_commits_.empty()) {
    ZPACK_TRY(SortEdges());
    uint32_t age = 0;
    for (const ObjectNumber commit : edges_) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree,
                             graph_.ReadRootTree(commit));
      if (request_.thin && !like) like = tree;
      if (Mark(tree, ObjectType::kTree)) {
        roots_.trees.had.push_back({tree, age});
      }
      ++age;
    }
  }
  for (const ObjectNumber commit : sent_commits_) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree,
                           graph_.ReadRootTree(commit));
    if (!Mark(tree, ObjectType::kTree)) continue;
    if (request_.filter.Passes(ObjectType::kTree)) {
      Choose(tree);
      if (like) AddOutsideBase(tree, *like);
    }
    roots_.trees.wanted.push_back(tree);
  }
  return {};
}

Status Selector::WalkTrees() {
  if (!named_.trees.wanted.empty()) open_.push_back(std::move(named_));
  if (WalksTrees() || !roots_.trees.wanted.empty()) {
    open_.push_back(std::move(roots_));
  }
  while (!open_.empty()) {
    Directory directory = std::move(open_.front());
    open_.pop_front();
    ZPACK_TRY(Read(std::move(directory)));
    ZPACK_TRY(progress_(count_));
  }
  return {};
}

Status Selector::Read(Directory directory) {
  // Nothing below would be sent.
  if (directory.depth >= request_.filter.tree_depth) return {};
  // In storage order, so that each block is decoded once.
  Trees& trees = directory.trees;
  std::ranges::sort(trees.had, {}, &HadTree::tree);
  std::ranges::sort(trees.wanted);
  Entries entries;
  for (const HadTree& had : trees.had) ZPACK_TRY(ReadHad(had, entries));
  Directory unnamed{.trees = {}, .depth = directory.depth + 1};
  for (const ObjectNumber tree : trees.wanted) {
    ZPACK_TRY(ReadWanted(tree, directory, entries, unnamed));
  }
  for (auto& [name, entry] : entries) {
    if (entry.trees.wanted.empty()) continue;
    open_.push_back({std::move(entry.trees), directory.depth + 1});
  }
  if (!unnamed.trees.wanted.empty()) open_.push_back(std::move(unnamed));
  return {};
}

template <typename Visit>
Status Selector::ReadLinks(ObjectNumber tree, Visit visit) {
  ZPACK_TRY(CheckStop(stop_));
  links_.links.clear();
  links_.names.clear();
  ZPACK_TRY(graph_.ReadTree(tree, marks_, links_));
  std::string_view names = links_.names;
  for (const ObjectGraph::Link& link : links_.links) {
    const std::string_view name = names.substr(0, link.name_size);
    names.remove_prefix(link.name_size);
    visit(link, name);
  }
  marks_.SetComplete(tree);
  return {};
}

Status Selector::ReadHad(const HadTree& had, Entries& entries) {
  return ReadLinks(had.tree,
                   [&](const ObjectGraph::Link& link, std::string_view name) {
                     Mark(link.child, link.type);
                     Entry& entry = entries[std::string(name)];
                     if (!entry.like || had.age < entry.like_age) {
                       entry.like = link.child;
                       entry.like_age = had.age;
                     }
                     if (link.type == ObjectType::kTree) {
                       entry.trees.had.push_back({link.child, had.age});
                     }
                   });
}

Status Selector::ReadWanted(ObjectNumber tree, const Directory& directory,
                            Entries& entries, Directory& unnamed) {
  return ReadLinks(tree,
                   [&](const ObjectGraph::Link& link, std::string_view name) {
                     // Once, even if this tree lists it twice.
                     if (Mark(link.child, link.type)) {
                       TakeChild(link, name, directory, entries, unnamed);
                     }
                   });
}

void Selector::TakeChild(const ObjectGraph::Link& child, std::string_view name,
                         const Directory& directory, Entries& entries,
                         Directory& unnamed) {
  const bool chosen = request_.filter.Passes(child.type);
  if (chosen) Choose(child.child);
  // Without trees of the client beside them, names mean nothing.
  const auto entry = directory.trees.had.empty()
                         ? entries.end()
                         : entries.find(std::string(name));
  if (entry == entries.end()) {
    if (child.type == ObjectType::kTree) {
      unnamed.trees.wanted.push_back(child.child);
    }
    return;
  }
  if (child.type == ObjectType::kTree) {
    entry->second.trees.wanted.push_back(child.child);
  }
  if (chosen && request_.thin) {
    AddOutsideBase(child.child, *entry->second.like);
  }
}

Status Selector::DropLargeBlobs() {
  if (request_.filter.blob_limit == ObjectFilter::kNoLimit) return {};
  const FileBlocks& blocks = history_.archive().blocks();
  BlockDecoder decoder;
  for (size_t block = 0; block < blocks.block_count();) {
    const BlockRun run = RunAt(blocks, block);
    block = run.last;
    const ObjectNumber first = blocks.first_object(run.first);
    const uint32_t count =
        run.size() > 1 ? 1 : blocks.block_object_count(run.first);
    bool any = false;
    for (uint32_t at = 0; at < count; ++at) {
      any = any || choice_.chosen[first + at];
    }
    if (!any) continue;
    ZPACK_TRY(CheckStop(stop_));
    ZPACK_ASSIGN_OR_RETURN(const BlockObjects objects,
                           decoder.DecodeObjects(blocks, run.first));
    if (objects.header.type != ObjectType::kBlob) continue;
    for (uint32_t at = 0; at < count; ++at) {
      const ObjectNumber number = first + at;
      if (choice_.chosen[number] &&
          objects.sizes[at] >= request_.filter.blob_limit &&
          !explicit_.contains(number)) {
        choice_.chosen[number] = false;
        --count_;
      }
    }
  }
  return {};
}

Status Selector::AddTags() {
  return request_.tags->ForEach([&](const ServedRefs::Shown& ref) -> Status {
    if (ref.peeled.empty() || !ref.name.starts_with("refs/tags/")) return {};
    const auto target = history_.Find(ref.peeled);
    if (!target || !choice_.chosen[*target]) return {};
    auto tag = history_.Find(ref.id);
    while (tag && *tag != *target && Mark(*tag, ObjectType::kTag)) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag read, graph_.ReadTag(*tag));
      Choose(*tag);
      tag = read.target;
    }
    return {};
  });
}

}  // namespace

Result<Selection> SelectObjects(const SelectionRequest& request,
                                History& history, const std::stop_token& stop,
                                const SelectionProgress& progress) {
  return Selector(request, history, stop, progress).Select();
}

}  // namespace zpack
