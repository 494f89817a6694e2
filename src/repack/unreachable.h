// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Unreachable objects that outlive a repack.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

// Which of the unreachable objects are younger than `expiration`, or needed by
// one that is; all of them without one. Errors are those of reading.
Result<ListMarks> FindSurvivors(ObjectSource& source, const ObjectList& list,
                                std::optional<int64_t> expiration,
                                const ObjectAges& ages);

}  // namespace zpack
