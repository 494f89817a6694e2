// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of unfinished files and directories. Any thread.

#pragma once

#include <string>

namespace zpack {

// A hidden name beside `path`: '.<name>.zpack-tmp'. The same `path` always
// gives the same name. If the name is too long to append '.lock', it is cut and
// ends with a hash of the whole name.
std::string TemporaryPathFor(const std::string& path);

}  // namespace zpack
