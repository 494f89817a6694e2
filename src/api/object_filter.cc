// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/object_filter.h"

#include "base/guarded.h"
#include "serve/allowed_filter.h"

namespace zpack {

Result<ObjectFilter> ParseObjectFilter(std::string_view specification) {
  return Guarded([&] { return ParseObjectFilter(specification, {}); });
}

}  // namespace zpack
