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

// By rank: true for unreachable objects that are stored in the repository
// itself and younger than `expiration`, and for unreachable objects that these
// need. Without `expiration`, every unreachable object of the repository itself
// survives. Errors are those of reading.
Result<ListMarks> FindSurvivors(ObjectSource& source, const ObjectList& list,
                                std::optional<int64_t> expiration,
                                const ObjectAges& ages);

}  // namespace zpack
