// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What an annotated tag finally points at.

#pragma once

#include <functional>
#include <map>
#include <optional>

#include "zpack/object_id.h"

namespace zpack {

// How TagPeeler sees objects.
struct TagReader {
  // Nothing for an object that is not there or not readable.
  std::function<std::optional<ObjectType>(const ObjectId&)> type;
  // What a tag itself points at; empty when it cannot be read.
  std::function<ObjectId(const ObjectId&)> target;
};

// Follows tags. Each tag is read once, however many chains lead through it.
// Thread-compatible.
class TagPeeler {
 public:
  TagPeeler(ObjectFormat format, TagReader reader);

  // The first object that follows `id` and is not a tag. Empty when `id` is not
  // a tag, or when the chain is broken, or leads back to itself, as a file may
  // claim.
  ObjectId Peel(const ObjectId& id);

 private:
  TagReader reader_;
  ObjectId empty_tree_;
  std::map<ObjectId, ObjectId> peeled_;  // by tag
};

}  // namespace zpack
