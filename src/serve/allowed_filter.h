// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Filters of partial clones, as far as a server allows them. Pure.

#pragma once

#include <string_view>

#include "zpack/object_filter.h"
#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

// Like the function of zpack/object_filter.h. Also returns kInvalidArgument,
// with Git's message, if the settings forbid the filter.
Result<ObjectFilter> ParseObjectFilter(std::string_view specification,
                                       const UploadPackSettings& settings);

}  // namespace zpack
