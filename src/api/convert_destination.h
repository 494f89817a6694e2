// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks where a conversion may write. The function has no state and may be
// called from any thread.

#pragma once

#include <string>

#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// Returns kInvalidArgument if a .zpack file at `path` would be in a directory
// for objects or refs of `repository` or its alternates, or would replace a
// file of its Git directory that is not a .zpack file. Returns the errors of
// ListObjectDirectories.
Status CheckConvertDestination(const RepositoryLocation& repository,
                               const std::string& path);

}  // namespace zpack
