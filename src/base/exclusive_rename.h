// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Renames without replacing, also where the file system cannot do that in one
// call. A function without state; any thread.

#pragma once

#include <string>

#include "base/posix_calls.h"
#include "zpack/result.h"

namespace zpack {

// Renames a file or directory. kExists when `to` is there, also when it
// appears meanwhile; an empty directory may be replaced by a directory. A
// process that is killed meanwhile leaves `from` whole, under at least one of
// the names; the other may be an empty file.
Status RenameExclusively(const PosixCalls& calls, const std::string& from,
                         const std::string& to);

}  // namespace zpack
