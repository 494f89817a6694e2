// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the unreachable objects that survive a repack.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

struct Survivors {
  // True for unreachable objects that are stored in the repository itself and
  // younger than the expiration, and for unreachable objects that these need.
  ListMarks all;
  ListMarks needed;  // those that another one needs
};

// Without `expiration`, every unreachable object of the repository itself
// survives, and nothing is said of needs. Errors are those of reading.
Result<Survivors> FindSurvivors(ObjectSource& source, const ObjectList& list,
                                std::optional<int64_t> expiration,
                                const ObjectAges& ages);

}  // namespace zpack
