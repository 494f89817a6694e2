// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What keeps objects of a repository alive besides refs and HEAD. A function
// without state; any thread.

#pragma once

#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Ids in info/grafts, and of every worktree, the main one too: ids in reflogs,
// of HEAD, of refs that it has for itself, of a merge or rebase that is under
// way, and in the index. An error when any of these cannot be read in full: kIo
// for a directory or file, kSourceCorrupt or kUnsupported for its content.
Result<std::vector<ObjectId>> ReadOtherTips(
    const std::string& common_directory);

}  // namespace zpack
