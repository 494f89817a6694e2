// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of what is not finished yet. Any thread.

#pragma once

#include <string>

namespace zpack {

// A hidden name beside `path`, '.<name>.zpack-tmp', always the same for the
// same path. A name that would leave no room for '.lock' behind it is cut, and
// ends with a hash of all of it.
std::string TemporaryPathFor(const std::string& path);

}  // namespace zpack
