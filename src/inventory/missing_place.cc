// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/missing_place.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {
namespace {

class PlaceFinder {
 public:
  PlaceFinder(ObjectSource& source, const NamedTips& tips,
              const ObjectList& list, const ObjectId& missing)
      : source_(source),
        tips_(tips),
        list_(list),
        missing_(missing),
        seen_(list.ids.size()) {}

  std::string Find(const std::stop_token& stop) {
    AddTip(tips_.refs.head_target, "ref 'HEAD'");
    for (const Ref& ref : tips_.refs.refs) {
      AddTip(ref.target, FormatMessage("ref '{}'", ref.name));
    }
    for (const TipGroup& group : tips_.others) {
      const std::string place = FormatMessage("'{}'", group.name);
      for (const ObjectId& id : group.ids) AddTip(id, place);
    }
    while (!waiting_.empty() && place_.empty() && !stop.stop_requested()) {
      const ObjectId id = waiting_.front();
      waiting_.pop_front();
      const auto type = Read(id);
      if (type == ObjectType::kCommit) FollowCommit(id, stop);
      if (type == ObjectType::kTree) FollowTree(id, id, stop);
      if (type == ObjectType::kTag) {
        const ObjectId target = ParseTagTarget(content_, list_.ids.format());
        if (target == missing_) {
          place_ = FormatMessage("the target of tag {}", id);
        }
        waiting_.push_back(target);
      }
    }
    return place_;
  }

 private:
  void AddTip(const ObjectId& id, const std::string& place) {
    if (id.empty()) return;
    if (id == missing_ && place_.empty()) place_ = place;
    waiting_.push_back(id);
  }

  // Reads an object into `content_`. Nothing if the object was read before or
  // cannot be read.
  std::optional<ObjectType> Read(const ObjectId& id) {
    const auto rank = list_.ids.Find(id);
    if (!rank || seen_[*rank]) return std::nullopt;
    seen_[*rank] = true;
    // A blob has no links, and may be large.
    ObjectType known = list_.types[*rank];
    if (known == ObjectList::kUnknownType) {
      const auto info = source_.ReadInfo(id);
      if (info) known = info->type;
    }
    if (known == ObjectType::kBlob) return std::nullopt;
    const auto type = source_.Read(id, content_);
    return type ? std::optional(*type) : std::nullopt;
  }

  void FollowCommit(const ObjectId& id, const std::stop_token& stop) {
    const CommitLinks links = ParseCommitLinks(content_, list_.ids.format());
    const bool is_boundary = std::ranges::binary_search(tips_.refs.shallow, id);
    for (const ObjectId& parent : links.parents) {
      if (is_boundary) continue;
      if (parent == missing_) {
        place_ = FormatMessage("a parent of commit {}", id);
      }
      waiting_.push_back(parent);
    }
    if (links.tree == missing_) {
      place_ = FormatMessage("the tree of commit {}", id);
    }
    if (place_.empty()) FollowTree(links.tree, id, stop);
  }

  // Looks through a tree and what is below it. `by` names the root.
  void FollowTree(const ObjectId& root, const ObjectId& by,
                  const std::stop_token& stop) {
    std::vector<std::pair<ObjectId, std::string>> trees = {{root, ""}};
    // The tree of a tag or ref has been read by the caller.
    bool is_read = root == by;
    while (!trees.empty() && place_.empty() && !stop.stop_requested()) {
      const auto [tree, base] = std::move(trees.back());
      trees.pop_back();
      if (!is_read && Read(tree) != ObjectType::kTree) continue;
      is_read = false;
      TreeIterator entries(content_, list_.ids.format());
      TreeEntry entry;
      while (entries.Next(entry)) {
        const ObjectId id(entry.id);
        const bool found = id == missing_ && !entry.is_gitlink();
        if (!found && !entry.is_tree()) continue;
        std::string path = base + std::string(entry.name);
        if (found) {
          place_ =
              FormatMessage("'{}' in {} {}", path,
                            MessageText{root == by ? "tree" : "commit"}, by);
          return;
        }
        trees.emplace_back(id, std::move(path) + '/');
      }
    }
  }

  ObjectSource& source_;
  const NamedTips& tips_;
  const ObjectList& list_;
  const ObjectId missing_;
  ListMarks seen_;
  std::deque<ObjectId> waiting_;  // commits, tags, and targets of refs
  std::string place_;
  Bytes content_;
};

}  // namespace

std::string PlaceOfMissing(ObjectSource& source, const NamedTips& tips,
                           const ObjectList& list, const ObjectId& missing,
                           const std::stop_token& stop) {
  return PlaceFinder(source, tips, list, missing).Find(stop);
}

}  // namespace zpack
