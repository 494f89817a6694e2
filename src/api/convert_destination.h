// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a conversion may write to. A function without state; any thread.

#pragma once

#include <string>

#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// kInvalidArgument when a .zpack file at `path` would be among the objects or
// refs of `repository`, or replace another file of its Git directory than a
// .zpack file. kSourceCorrupt
// when an alternate is gone.
Status CheckConvertDestination(const RepositoryLocation& repository,
                               const std::string& path);

}  // namespace zpack
