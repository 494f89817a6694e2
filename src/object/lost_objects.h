// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the source of a file had lost when the file was made. A plain value.

#pragma once

#include <optional>
#include <vector>

#include "object/object_id_table.h"
#include "zpack/lost_object.h"

namespace zpack {

struct LostObjects {
  ObjectIdTable ids;
  // By position of the id. Empty where nothing tells.
  std::vector<std::optional<ObjectType>> types;

  bool empty() const { return ids.size() == 0; }
  bool Has(const ObjectId& id) const { return ids.Find(id).has_value(); }
  std::vector<ListedLoss> List() const {
    std::vector<ListedLoss> losses;
    losses.reserve(types.size());
    for (uint32_t i = 0; i < ids.size(); ++i) {
      losses.push_back({ids[i], types[i]});
    }
    return losses;
  }

  // A table without ids may have any format.
  bool operator==(const LostObjects& other) const {
    return (empty() && other.empty()) ||
           (ids == other.ids && types == other.types);
  }
};

}  // namespace zpack
