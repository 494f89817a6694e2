// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs Git for what is left to it. Any thread.

#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace zpack::cli {

// Runs `git` with these arguments, and waits for it; asks it to end when a stop
// is requested. It shares standard error, and has nothing on standard input and
// output, and no variables of the environment that name a repository. Its exit
// code; 127 when it cannot be run, and 128 more than the signal when one ended
// it.
int RunGit(const std::vector<std::string>& arguments,
           const std::stop_token& stop);

}  // namespace zpack::cli
