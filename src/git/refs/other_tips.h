// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists the ids that keep objects of a repository alive in addition to refs and
// HEAD. A function without state; any thread.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "git/config/repository_format.h"
#include "git/files/directory_listing.h"
#include "object/tip_group.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct TipCallbacks {
  // Tells whether an object exists.
  std::function<bool(const ObjectId&)> exists;
  // Gets the error of an index that cannot be read. An error that this
  // returns ends the reading; otherwise, the index is skipped.
  std::function<Status(const Error&)> take_bad_index;
  UnreadableFiles unreadable = UnreadableFiles::kFail;
};

// The ids in info/grafts, and the ids of every worktree, including the main
// one: in reflogs, HEAD, per-worktree refs, the state of an unfinished command
// such as a merge or rebase, and the index. A graft of a commit that does not
// exist does not count. Every source must be read completely: kIo if a
// directory or file cannot be read, except for reflogs and refs as
// TipCallbacks::unreadable says; kSourceCorrupt, kUnsupported or
// kLimitExceeded if its content cannot.
Result<std::vector<TipGroup>> ReadOtherTips(const RepositoryFormat& format,
                                            const std::string& common_directory,
                                            const TipCallbacks& callbacks);

}  // namespace zpack
