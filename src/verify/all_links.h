// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a file is closed: everything that any of its objects names is in it.
// That takes one look at each block and is true of nearly every file, which is
// then connected whatever its refs reach.

#pragma once

#include <stop_token>

#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// True when every object in the file names only objects that are in it, but
// submodules, the empty tree, and parents of shallow boundaries. Errors are
// those of decoding blocks, and kInterrupted.
Result<bool> NamesOnlyItself(const ArchiveFile& archive,
                             const std::stop_token& stop);

}  // namespace zpack
