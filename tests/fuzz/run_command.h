// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's own command line in this process. A function without state; any
// thread.

#pragma once

#include <string>
#include <vector>

namespace zpack::testing {

// Runs a command without input and returns its exit code; nobody reads what it
// prints. It must answer, not ask for help or crash: any other exit code ends
// the program.
int RunCommand(const std::vector<std::string>& arguments);

}  // namespace zpack::testing
