// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The lines in which two texts differ, as libgit2's xdiff finds them: that of
// Git, with the same settings. Any thread.

#pragma once

#include <string_view>

#include "base/visitor.h"
#include "zpack/result.h"

namespace zpack {

// Calls `visit` with each line that only one of the texts has, with its line
// feed. Errors are those of `visit`; kOutOfMemory; kLimitExceeded for a text
// that libgit2 does not compare.
Status VisitChangedLines(std::string_view before, std::string_view after,
                         const Visitor<std::string_view>& visit);

}  // namespace zpack
