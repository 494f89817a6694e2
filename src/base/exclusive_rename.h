// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Renames a file without replacing another, even if the file system cannot do
// so in one call. A function without state; any thread.

#pragma once

#include <string>

#include "base/posix_calls.h"
#include "zpack/result.h"

namespace zpack {

// Renames a file or directory. kExists if `to` exists or appears in the
// meantime; but a directory may replace an empty directory. Other errors are
// kIo. If the process is killed during the call, the content is complete under
// `from`, `to` or both; if it is only under `from`, `to` may be an empty file.
Status RenameExclusively(const PosixCalls& calls, const std::string& from,
                         const std::string& to);

}  // namespace zpack
