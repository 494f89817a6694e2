// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Set operations on tables of ids. Pure.

#pragma once

#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

// Without: the ids of `a` that are not in `b`. Common: the ids in both.
Result<ObjectIdTable> Without(const ObjectIdTable& a, const ObjectIdTable& b);
Result<ObjectIdTable> Common(const ObjectIdTable& a, const ObjectIdTable& b);

}  // namespace zpack
