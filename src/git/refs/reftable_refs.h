// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs of a repository that stores them as reftables
// (extensions.refStorage). Functions without state; any thread. Errors are
// those of reftable::Stack::Open and of its cursors; also kNotFound if a link
// in place of a stack, or of its list, leads nowhere.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "git/repository_location.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The ref `name`, or HEAD, in the stack of the git directory `directory`, not
// peeled. Nothing if there is none.
Result<std::optional<Ref>> ReadReftableRef(const std::string& directory,
                                           ObjectFormat format,
                                           std::string_view name);

// HEAD of the worktree at `location`, as ReadReftableRef. The file 'HEAD' of
// such a repository is for programs that do not know reftables.
Result<std::optional<Ref>> ReadReftableHead(const RepositoryLocation& location,
                                            ObjectFormat format);

// All refs below 'refs/' by name, not peeled: those that all worktrees share,
// and the per-worktree refs of the worktree at `location`. Also kSourceCorrupt
// for a bad name.
Result<std::map<std::string, Ref>> ListReftableRefs(
    const RepositoryLocation& location, ObjectFormat format);

// The reflogs of the refs that all worktrees share, and of HEAD and other refs
// outside 'refs/' of the worktree at `location`, by the name of the ref, which
// may be a bad one, as texts like those in files. All of them are in memory.
Result<std::map<std::string, std::string>> ReadReftableLogs(
    const RepositoryLocation& location, ObjectFormat format);

// The reflog of HEAD of the worktree at `location`. Nothing if there is none.
Result<std::optional<std::string>> ReadReftableHeadLog(
    const RepositoryLocation& location, ObjectFormat format);

// Ids by the name of the ref.
struct ReftableTips {
  std::map<std::string, std::set<ObjectId>> refs;
  std::map<std::string, std::set<ObjectId>> logs;  // in its reflog
};

// The ids that the stack of one worktree holds in addition to shared refs: in
// reflogs, in per-worktree refs, and in HEAD and the like, such as
// CHERRY_PICK_HEAD. ORIG_HEAD does not count, because Git does not keep the
// object that it names. `directory` is the git directory of the worktree.
Result<ReftableTips> ReadReftableTips(const std::string& directory,
                                      ObjectFormat format);

}  // namespace zpack
