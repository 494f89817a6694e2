// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/older_versions.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {
namespace {

class OlderVersionFinder {
 public:
  OlderVersionFinder(ObjectSource& source, const ObjectList& added,
                     const FileIds& known, const std::stop_token& stop)
      : source_(source),
        added_(added),
        known_(known),
        stop_(stop),
        walked_(added.ids.size()) {}

  Result<OlderVersions> Find() {
    std::vector<ListRank> commits;
    for (const ListRank rank : added_.ids.ranks()) {
      if (added_.types[rank] == ObjectType::kCommit && added_.met(rank)) {
        commits.push_back(rank);
      }
    }
    // In the order of the walk.
    std::ranges::sort(commits, {}, [&](ListRank rank) {
      return std::pair(added_.visits[rank], rank);
    });
    for (const ListRank rank : commits) ZPACK_TRY(ReadCommit(rank));
    for (const ListRank rank : commits) {
      ZPACK_TRY(FindOlderTree(rank));
      const Commit& commit = commits_[rank];
      if (commit.older.empty()) continue;
      Pair(commit.links.tree, commit.older);
      ZPACK_TRY(WalkPairs());
    }
    return std::move(found_);
  }

 private:
  struct Commit {
    CommitLinks links;
    size_t tried = 0;  // parents that were asked for an older tree
    ObjectId older;    // tree of a near known ancestor; empty if there is none
  };
  struct PairOfTrees {
    ListRank added;
    ObjectId older;
  };

  // Returns false if the object cannot be read.
  Result<bool> Read(const ObjectId& id, ObjectType type, Bytes& content) {
    ZPACK_TRY(CheckStop(stop_));
    const auto read = source_.Read(id, content);
    if (!read && read.error().code == ErrorCode::kIo) {
      return std::unexpected(read.error());
    }
    return read && *read == type;
  }

  Status ReadCommit(ListRank rank) {
    ZPACK_ASSIGN_OR_RETURN(
        const bool there,
        Read(added_.ids[rank], ObjectType::kCommit, content_));
    if (!there) return {};
    commits_[rank].links = ParseCommitLinks(content_, added_.ids.format());
    return {};
  }

  // Asks the parents of a commit first, without recursion.
  Status FindOlderTree(ListRank commit) {
    std::vector<ListRank> asked = {commit};
    while (!asked.empty()) {
      Commit& at = commits_[asked.back()];
      if (!at.older.empty() || at.tried == at.links.parents.size()) {
        asked.pop_back();
        continue;
      }
      const ObjectId& parent = at.links.parents[at.tried];
      if (known_.Find(parent)) {
        ++at.tried;
        ZPACK_ASSIGN_OR_RETURN(at.older, TreeOf(parent));
        continue;
      }
      const auto rank = added_.ids.Find(parent);
      const auto found = rank ? commits_.find(*rank) : commits_.end();
      if (found == commits_.end()) {
        ++at.tried;
      } else if (!found->second.older.empty() ||
                 found->second.tried == found->second.links.parents.size()) {
        ++at.tried;
        at.older = found->second.older;
      } else {
        asked.push_back(*rank);
      }
    }
    return {};
  }

  // The tree of a known commit; empty if it cannot be read.
  Result<ObjectId> TreeOf(const ObjectId& commit) {
    const auto [at, is_new] = trees_of_known_.try_emplace(commit);
    if (!is_new) return at->second;
    ZPACK_ASSIGN_OR_RETURN(const bool there,
                           Read(commit, ObjectType::kCommit, content_));
    if (there) {
      at->second = ParseCommitLinks(content_, added_.ids.format()).tree;
    }
    return at->second;
  }

  // Notes that `older` stood in the place of `tree`, which may be new.
  void Pair(const ObjectId& tree, const ObjectId& older) {
    const auto rank = added_.ids.Find(tree);
    if (!rank || walked_[*rank] || added_.types[*rank] != ObjectType::kTree) {
      return;
    }
    walked_[*rank] = true;
    Note(*rank, older, ObjectType::kTree);
    pending_.push_back({*rank, older});
  }

  void Note(ListRank rank, const ObjectId& older, ObjectType type) {
    if (known_.Find(older)) {
      found_.try_emplace(rank, OlderVersion{older, type, 0});
    }
  }

  Status WalkPairs() {
    while (!pending_.empty()) {
      const PairOfTrees pair = pending_.back();
      pending_.pop_back();
      ZPACK_ASSIGN_OR_RETURN(
          const bool there,
          Read(added_.ids[pair.added], ObjectType::kTree, content_));
      ZPACK_ASSIGN_OR_RETURN(
          const bool older_there,
          Read(pair.older, ObjectType::kTree, older_content_));
      if (there && older_there) {
        const uint32_t changed = CompareTrees();
        const auto at = found_.find(pair.added);
        if (at != found_.end()) at->second.changed = changed;
      }
    }
    return {};
  }

  // Returns the number of entries that the older tree lacks.
  uint32_t CompareTrees() {
    uint32_t changed = 0;
    const ObjectFormat format = added_.ids.format();
    std::unordered_map<std::string_view, TreeEntry> gone;
    TreeEntry entry;
    NewTreeEntries old_entries(older_content_, content_, format);
    while (old_entries.Next(entry)) gone.emplace(entry.name, entry);
    NewTreeEntries new_entries(content_, older_content_, format);
    while (new_entries.Next(entry)) {
      ++changed;
      const auto older = gone.find(entry.name);
      if (older == gone.end() || entry.is_gitlink() ||
          older->second.is_gitlink() ||
          entry.is_tree() != older->second.is_tree()) {
        continue;
      }
      const ObjectId id(entry.id);
      const ObjectId older_id(older->second.id);
      if (entry.is_tree()) {
        Pair(id, older_id);
      } else if (const auto rank = added_.ids.Find(id);
                 rank && added_.types[*rank] == ObjectType::kBlob) {
        Note(*rank, older_id, ObjectType::kBlob);
      }
    }
    return changed;
  }

  ObjectSource& source_;
  const ObjectList& added_;
  const FileIds& known_;
  const std::stop_token& stop_;
  std::unordered_map<ListRank, Commit> commits_;  // new ones
  std::map<ObjectId, ObjectId> trees_of_known_;
  ListMarks walked_;
  std::vector<PairOfTrees> pending_;
  Bytes content_;
  Bytes older_content_;
  OlderVersions found_;
};

}  // namespace

Result<OlderVersions> FindOlderVersions(ObjectSource& source,
                                        const ObjectList& added,
                                        const FileIds& known,
                                        const std::stop_token& stop) {
  return OlderVersionFinder(source, added, known, stop).Find();
}

}  // namespace zpack
