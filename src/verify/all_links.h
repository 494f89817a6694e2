// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a file is closed, which means that it has every object that
// its objects link to. The check reads each block once. Nearly every file is
// closed, and a closed file is connected, no matter which objects its refs
// reach.

#pragma once

#include <stop_token>

#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// Returns true if all links of all objects in the file lead to objects in the
// file. Links to submodules, to the empty tree, to promised objects, and from
// shallow commits to their parents do not count. Errors are those of decoding
// blocks, and kInterrupted.
Result<bool> NamesOnlyItself(const ArchiveFile& archive,
                             const std::stop_token& stop);

}  // namespace zpack
