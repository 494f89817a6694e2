// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What an annotated tag finally points at.

#pragma once

#include <functional>
#include <optional>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack {

// How PeelTag sees objects; nothing for one that is not there or not readable.
struct TagReader {
  std::function<std::optional<ObjectType>(const ObjectId&)> type;
  std::function<std::optional<Bytes>(const ObjectId&)> content;
};

// Follows tags from `id` to the first object that is none. Empty when `id` is
// no tag, or when the chain is broken or too long.
ObjectId PeelTag(const ObjectId& id, ObjectFormat format,
                 const TagReader& reader);

}  // namespace zpack
