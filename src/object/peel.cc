// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/peel.h"

#include <utility>
#include <vector>

#include "object/object_hasher.h"

namespace zpack {

TagPeeler::TagPeeler(ObjectFormat format, TagReader reader)
    : reader_(std::move(reader)), empty_tree_(EmptyTreeId(format)) {}

ObjectId TagPeeler::Peel(const ObjectId& id) {
  std::vector<ObjectId> chain;
  ObjectId end;
  for (ObjectId target = id; !target.empty();) {
    // Git knows the empty tree even if it is not stored.
    const std::optional<ObjectType> type =
        target == empty_tree_ ? ObjectType::kTree : reader_.type(target);
    if (!type) break;
    if (*type != ObjectType::kTag) {
      end = target;
      break;
    }
    // The tag has no end until the end is found, so a circular chain has none.
    const auto [known, is_new] = peeled_.emplace(target, ObjectId());
    if (!is_new) {
      end = known->second;
      break;
    }
    chain.push_back(target);
    target = reader_.target(target);
  }
  for (const ObjectId& tag : chain) peeled_[tag] = end;
  return end == id ? ObjectId() : end;
}

}  // namespace zpack
