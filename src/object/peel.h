// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What an annotated tag finally points at.

#pragma once

#include <functional>
#include <optional>

#include "zpack/object_id.h"

namespace zpack {

// How PeelTag sees objects.
struct TagReader {
  // Nothing for an object that is not there or not readable.
  std::function<std::optional<ObjectType>(const ObjectId&)> type;
  // What a tag itself points at; empty when it cannot be read.
  std::function<ObjectId(const ObjectId&)> target;
};

// Follows tags from `id` to the first object that is none. Empty when `id` is
// no tag, or when the chain is broken or too long.
ObjectId PeelTag(const ObjectId& id, ObjectFormat format,
                 const TagReader& reader);

}  // namespace zpack
