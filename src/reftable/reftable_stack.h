// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// All refs and reflogs of a repository whose refs are in the format 'reftable'
// (extensions.refStorage). The main worktree and each linked worktree have a
// stack: the one of the main worktree holds HEAD, all shared refs, and the
// per-worktree refs of the main worktree; that of a linked worktree holds the
// refs and HEAD of this worktree. A stack is a snapshot: later changes of the
// repository are not seen. Immutable; any number of threads may use it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "reftable/merged_cursor.h"
#include "reftable/table_file.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::reftable {

class Stack {
 public:
  // Bytes that the blocks in use of a cursor may have.
  static constexpr uint64_t kBlockMemory = 256 << 20;

  // Opens the tables that 'tables.list' in `directory`, such as
  // '.git/reftable', lists. Without that file, the stack is empty. If another
  // process compacts the stack in the meantime, so that a table is gone, the
  // list is read again.
  //
  // Errors: kSourceCorrupt if the list or a table is malformed, or if a table
  // is missing; kUnsupported; kLimitExceeded; kIo; kInvalidArgument if
  // something is not a regular file.
  static Result<Stack> Open(FileSystem& file_system,
                            const std::string& directory, ObjectFormat format);

  // The stack keeps nothing of a cursor, and a cursor may outlive the stack.
  RefCursor Refs(uint64_t block_memory = kBlockMemory) const {
    return {tables_, block_memory};
  }
  LogCursor Logs(uint64_t block_memory = kBlockMemory) const {
    return {tables_, block_memory};
  }

  // From the oldest to the newest.
  const std::vector<std::shared_ptr<const Table>>& tables() const {
    return tables_;
  }

 private:
  std::vector<std::shared_ptr<const Table>> tables_;
};

}  // namespace zpack::reftable
