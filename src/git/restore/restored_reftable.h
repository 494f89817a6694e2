// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the refs and reflogs of a restored repository in a reftable. Functions
// without state; any thread.

#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/file.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// What the reftables of one worktree hold.
struct WorktreeRefs {
  std::optional<Ref> head = std::nullopt;
  std::span<const Ref> refs = {};  // sorted by name; all names are in 'refs/'
  // Reflogs, such as 'HEAD', in files below 'logs'.
  std::set<std::string> logs = {};
};

// Stores the refs of one worktree, whose git directory is `directory`, as Git
// does:
// - 'reftable', a stack of one table. As in Git, messages of reflogs are cut
//   off after 2,048 bytes.
// - 'HEAD' and 'refs/heads', which keep programs that do not know reftables
//   away. HEAD is replaced if it exists.
// The files of reflogs are removed. Nothing is synced but the stack.
//
// Errors: kUnsupported if HEAD or a line of a reflog cannot be in a table;
// kCorrupt if the last line of a reflog has no end; kLimitExceeded if a line is
// longer than 8 MiB; kIo.
Status WriteRestoredReftable(FileSystem& file_system,
                             const std::string& directory, ObjectFormat format,
                             const WorktreeRefs& content);

}  // namespace zpack
