// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How the library was built, for reports of errors. Any thread.

#pragma once

#include <string>
#include <vector>

namespace zpack {

struct BuildOption {
  std::string name;
  std::string value;
};

// The compiler, the libraries that this process uses and their versions, the
// features of the format that this library reads, and the code that the
// library chooses for this processor. Names and values are for people and may
// change.
std::vector<BuildOption> BuildOptions();

}  // namespace zpack
