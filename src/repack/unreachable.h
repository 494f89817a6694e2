// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Unreachable objects that outlive a repack, and when they were last used.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"

namespace zpack {

// By rank of a list.
struct ObjectAges {
  static constexpr int64_t kNone = -1;

  // When it was last used, in seconds since 1970, or kNone. What has a time and
  // was not reached is unreachable.
  std::vector<int64_t> mtimes;
};

// Which of the unreachable objects are younger than `expiration`, or needed by
// one that is, by rank; all of them without one. Errors are those of reading.
Result<std::vector<bool>> FindSurvivors(ObjectSource& source,
                                        const ObjectList& list,
                                        std::optional<int64_t> expiration,
                                        const ObjectAges& ages);

}  // namespace zpack
