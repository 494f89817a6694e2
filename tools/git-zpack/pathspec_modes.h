// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How Git reads all pathspecs of a command: 'git --literal-pathspecs' and its
// like, which commands get as variables of the environment. Any thread.

#pragma once

#include <string>
#include <vector>

namespace zpack::cli {

// Returns the pathspecs with the magic that GIT_LITERAL_PATHSPECS,
// GIT_GLOB_PATHSPECS, GIT_NOGLOB_PATHSPECS and GIT_ICASE_PATHSPECS give them,
// as in git(1). A pathspec that is not valid stays as it is. Throws
// CommandFailure if there are pathspecs, and a variable is no boolean or
// contradicts another one.
std::vector<std::string> WithPathspecModes(std::vector<std::string> pathspecs);

// For a command whose paths have no magic. Throws CommandFailure as
// WithPathspecModes does, and if paths are to be patterns or to match in any
// case of letters.
void RefusePathspecModes(const std::vector<std::string>& paths);

}  // namespace zpack::cli
