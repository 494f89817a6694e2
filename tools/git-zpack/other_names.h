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

// Whether Git's `command` has the option `typed`, which ours has not. Knows
// those of archive, cat-file, log and ls-tree.
bool IsOptionOfGit(std::string_view command, std::string_view typed);

}  // namespace zpack::cli
