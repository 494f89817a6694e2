// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file that a client names by a path, as git-upload-pack(1) finds the
// repository. Any thread.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// Returns the path of the file that `path` stands for:
// - '~/' at the beginning is the home directory of the user ($HOME), and
//   '~name/' that of the user 'name';
// - slashes at the end are ignored;
// - '.zpack' is added if `path` is not a regular file, but is one with it.
// If there is no such file, the path is returned without '.zpack'.
//
// Errors: kNotFound if the home directory is not known.
Result<std::string> FindServedFile(const std::string& path);

}  // namespace zpack::cli
