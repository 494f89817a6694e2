// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a Git that was killed leaves of a multi-pack-index and its bitmap: a
// lock and temporary files. Functions without state; any thread.

#pragma once

#include <set>
#include <string>

#include "base/file.h"

namespace zpack {

// Names of the lock and of the temporary files in the pack directory
// `directory`. None if it cannot be read.
std::set<std::string> ListUnfinishedIndex(const std::string& directory);

// Removes those that are not in `before` and that no process has open for
// writing. A file of which this cannot be known, as on network file systems,
// stays.
void RemoveUnfinishedIndex(FileSystem& file_system,
                           const std::string& directory,
                           const std::set<std::string>& before);

}  // namespace zpack
