// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a new stack of one reftable. Thread-compatible.

#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "reftable/table_writer.h"
#include "zpack/result.h"

namespace zpack::reftable {

// Fills a directory such as '.git/reftable', which exists and has no stack. The
// destructor removes what is not complete.
class StackWriter {
 public:
  // Takes Git's lock of the stack and creates the table's file. kExists if the
  // directory has a stack, a lock, or the temporary file of this class; kIo.
  static Result<StackWriter> Create(FileSystem& file_system,
                                    const std::string& directory,
                                    const TableOptions& options);
  ~StackWriter();
  StackWriter(StackWriter&& other) noexcept;
  StackWriter& operator=(StackWriter&&) = delete;

  // Where the refs and log entries go. The caller does not call Finish.
  TableWriter& table() { return *table_; }

  // Finishes the table and publishes the stack, after the table is synced.
  // kNotDurable if the stack is in place but the directory cannot be synced;
  // kExists if another process made a stack; kIo. REQUIRES: table() has
  // returned no error from its sink.
  Status Commit();

 private:
  StackWriter(FileSystem& file_system, std::string directory);
  Status Open(const TableOptions& options);
  Status WriteList(const std::string& name);
  std::string Path(std::string_view name) const;

  FileSystem* file_system_;  // null after a move
  std::string directory_;
  std::unique_ptr<WritableFile> list_;  // the lock
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<TableWriter> table_;
};

}  // namespace zpack::reftable
