// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of ids as sets. Pure.

#pragma once

#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

// The ids of `a` that are not in `b`, and those that are.
Result<ObjectIdTable> Without(const ObjectIdTable& a, const ObjectIdTable& b);
Result<ObjectIdTable> Common(const ObjectIdTable& a, const ObjectIdTable& b);

}  // namespace zpack
