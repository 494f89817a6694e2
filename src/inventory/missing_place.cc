// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/missing_place.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// When a search ends.
enum class Wanted : uint8_t {
  kTexts,  // each object has a text
  kTypes,  // each object has a text and a type
};

class PlaceFinder {
 public:
  PlaceFinder(ObjectSource& source, const NamedTips& tips,
              const ObjectList& list, const std::set<ObjectId>& missing,
              Wanted wanted)
      : source_(source),
        tips_(tips),
        list_(list),
        missing_(missing),
        wanted_(wanted),
        seen_(list.ids.size()) {}

  std::map<ObjectId, MissingPlace> Find(const std::stop_token& stop) {
    AddTip(tips_.refs.head_target, "ref 'HEAD'");
    for (const Ref& ref : tips_.refs.refs) {
      AddTip(ref.target, FormatMessage("ref '{}'", ref.name));
    }
    for (const TipGroup& group : tips_.others) {
      const std::string place = FormatMessage("'{}'", group.name);
      for (const ObjectId& id : group.ids) {
        const bool is_known = places_.contains(id);
        AddTip(id, place);
        if (!is_known && missing_.contains(id)) vague_.insert(id);
      }
    }
    while (!waiting_.empty() && !IsDone() && !stop.stop_requested()) {
      const ObjectId id = waiting_.front();
      waiting_.pop_front();
      const auto type = Read(id);
      if (type == ObjectType::kCommit) FollowCommit(id, stop);
      if (type == ObjectType::kTree) FollowTree(id, id, stop);
      if (type == ObjectType::kTag) {
        const TagHeader tag = ParseTagHeader(content_, list_.ids.format());
        Note(tag.target, TypeNamed(tag.type),
             [&] { return FormatMessage("the target of tag {}", id); });
        waiting_.push_back(tag.target);
      }
    }
    return std::move(places_);
  }

 private:
  static std::optional<ObjectType> TypeNamed(std::string_view name) {
    const auto* const type =
        std::ranges::find(kAllObjectTypes, name, ObjectTypeName);
    return type == kAllObjectTypes.end() ? std::nullopt : std::optional(*type);
  }

  bool IsDone() const {
    return (wanted_ == Wanted::kTexts ? places_.size() : typed_) ==
           missing_.size();
  }

  // Keeps the first text and the first type of each missing object.
  template <typename Text>
  void Note(const ObjectId& id, std::optional<ObjectType> type,
            const Text& text) {
    if (!missing_.contains(id)) return;
    const auto [place, is_new] = places_.try_emplace(id);
    // A path in a commit says more than the name of an index or a reflog.
    if (is_new || vague_.erase(id) != 0) place->second.text = text();
    if (!type || place->second.type) return;
    place->second.type = type;
    ++typed_;
  }

  void AddTip(const ObjectId& id, const std::string& place) {
    if (id.empty()) return;
    Note(id, std::nullopt, [&] { return place; });
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
      Note(parent, ObjectType::kCommit,
           [&] { return FormatMessage("a parent of commit {}", id); });
      waiting_.push_back(parent);
    }
    Note(links.tree, ObjectType::kTree,
         [&] { return FormatMessage("the tree of commit {}", id); });
    if (!IsDone()) FollowTree(links.tree, id, stop);
  }

  // Looks through a tree and what is below it. `by` names the root.
  void FollowTree(const ObjectId& root, const ObjectId& by,
                  const std::stop_token& stop) {
    std::vector<std::pair<ObjectId, std::string>> trees = {{root, ""}};
    // The tree of a tag or ref has been read by the caller.
    bool is_read = root == by;
    while (!trees.empty() && !IsDone() && !stop.stop_requested()) {
      const auto [tree, base] = std::move(trees.back());
      trees.pop_back();
      if (!is_read && Read(tree) != ObjectType::kTree) continue;
      is_read = false;
      TreeIterator entries(content_, list_.ids.format());
      TreeEntry entry;
      while (entries.Next(entry)) {
        const ObjectId id(entry.id);
        if (entry.is_gitlink()) continue;
        const auto path = [&] { return base + std::string(entry.name); };
        Note(id, entry.is_tree() ? ObjectType::kTree : ObjectType::kBlob, [&] {
          return FormatMessage("'{}' in {} {}", path(),
                               MessageText{root == by ? "tree" : "commit"}, by);
        });
        if (entry.is_tree()) trees.emplace_back(id, path() + '/');
      }
    }
  }

  ObjectSource& source_;
  const NamedTips& tips_;
  const ObjectList& list_;
  const std::set<ObjectId>& missing_;
  const Wanted wanted_;
  ListMarks seen_;
  std::deque<ObjectId> waiting_;  // commits, tags, and targets of refs
  std::map<ObjectId, MissingPlace> places_;
  std::set<ObjectId> vague_;  // those whose text is the name of a TipGroup
  size_t typed_ = 0;          // places with a type
  Bytes content_;
};

}  // namespace

std::string PlaceOfMissing(ObjectSource& source, const NamedTips& tips,
                           const ObjectList& list, const ObjectId& missing,
                           const std::stop_token& stop) {
  const std::set<ObjectId> one = {missing};
  const auto places =
      PlaceFinder(source, tips, list, one, Wanted::kTexts).Find(stop);
  return places.empty() ? "" : places.begin()->second.text;
}

std::map<ObjectId, MissingPlace> PlacesOfMissing(
    ObjectSource& source, const NamedTips& tips, const ObjectList& list,
    const std::set<ObjectId>& missing, const std::stop_token& stop) {
  return PlaceFinder(source, tips, list, missing, Wanted::kTypes).Find(stop);
}

}  // namespace zpack
