// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Peels annotated tags.

#pragma once

#include <functional>
#include <map>
#include <optional>

#include "zpack/object_id.h"

namespace zpack {

// The access to objects that TagPeeler needs.
struct TagReader {
  // The type of an object. Nothing if the object does not exist or cannot be
  // read.
  std::function<std::optional<ObjectType>(const ObjectId&)> type;
  // The object that a tag points at directly. Empty if the tag cannot be read.
  std::function<ObjectId(const ObjectId&)> target;
};

// Peels tags. Each tag is read once, even if several chains contain it.
// Thread-compatible.
class TagPeeler {
 public:
  TagPeeler(ObjectFormat format, TagReader reader);

  // The first object after `id` in the chain of tags that is not a tag itself.
  // Empty if `id` is not a tag, or if the chain is broken or circular. A
  // hostile file can claim a circular chain.
  ObjectId Peel(const ObjectId& id);

 private:
  TagReader reader_;
  ObjectId empty_tree_;
  std::map<ObjectId, ObjectId> peeled_;  // by id of the tag
};

}  // namespace zpack
