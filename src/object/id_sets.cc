// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/id_sets.h"

#include <utility>

#include "base/error.h"

namespace zpack {

Result<ObjectIdTable> Without(const ObjectIdTable& a, const ObjectIdTable& b) {
  Bytes rest;
  for (const uint32_t rank : RanksOnlyIn(a, b)) {
    Append(rest, a[rank].bytes());
  }
  return ObjectIdTable::FromSorted(a.format(), std::move(rest));
}

Result<ObjectIdTable> Common(const ObjectIdTable& a, const ObjectIdTable& b) {
  // The first table is gone through. The result has its format, which an empty
  // table may not share.
  if (b.size() < a.size() && b.format() == a.format()) return Common(b, a);
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rest, Without(a, b));
  return Without(a, rest);
}

}  // namespace zpack
