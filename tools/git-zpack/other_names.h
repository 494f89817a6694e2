// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands of other programs, and which command of git-zpack does the same;
// options that only Git has. Pure.

#pragma once

#include <string_view>

namespace zpack::cli {

// The commands that do what users of Git, tar and backup programs expect of
// `typed`, as the end of the question "did you mean ...?". Empty for any other
// name.
std::string_view CommandsLike(std::string_view typed);

// Whether git-log(1) has the option `typed`, which our 'log' has not.
bool IsOptionOfGitLog(std::string_view typed);

}  // namespace zpack::cli
