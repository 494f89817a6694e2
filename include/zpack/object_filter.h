// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Filters of objects (git-rev-list(1), "--filter").

#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// An object passes if all conditions hold. Every filter of Git that needs no
// paths is such a conjunction.
struct ObjectFilter {
  static constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

  // Blobs of this size, in bytes, or larger do not pass.
  uint64_t blob_limit = kNoLimit;
  // Trees and blobs at this depth below the tree of a commit, or deeper, do not
  // pass.
  uint64_t tree_depth = kNoLimit;
  uint8_t types = 0xff;  // bits 1 << ObjectType

  bool Passes(ObjectType type) const {
    return ((types >> static_cast<unsigned>(type)) & 1U) != 0;
  }
  // Whatever the depth.
  bool Passes(const ObjectInfo& info) const {
    return Passes(info.type) &&
           (info.type != ObjectType::kBlob || info.size < blob_limit);
  }
  bool is_set() const { return *this != ObjectFilter{}; }
  friend bool operator==(const ObjectFilter&, const ObjectFilter&) = default;
};

// Parses the specification of a filter, such as "blob:limit=1k" or
// "combine:blob:none+tree:2". Returns kInvalidArgument, with Git's message, if
// the specification is malformed or if the filter is 'sparse:'.
Result<ObjectFilter> ParseObjectFilter(std::string_view specification);

}  // namespace zpack
