// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/peel.h"

#include "base/bytes.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

// Longest chain of tags of tags that is followed.
constexpr int kMaxPeelDepth = 64;

}  // namespace

ObjectId PeelTag(const ObjectId& id, ObjectFormat format,
                 const TagReader& reader) {
  // Git knows the empty tree without storing it.
  const ObjectId empty_tree =
      ObjectHasher(format).Hash(ObjectType::kTree, ByteView());
  ObjectId target = id;
  for (int depth = 0; depth < kMaxPeelDepth; ++depth) {
    const std::optional<ObjectType> type =
        target == empty_tree ? ObjectType::kTree : reader.type(target);
    if (!type) return {};
    if (*type != ObjectType::kTag) return target == id ? ObjectId() : target;
    target = reader.target(target);
    if (target.empty()) return {};
  }
  return {};
}

}  // namespace zpack
