// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's lock for a file: '<file>.lock' beside the file, which only one process
// can create. Thread-compatible.

#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

class LockFile {
 public:
  // Creates the lock `path`, whose name ends with '.lock'. A lock that a killed
  // process of this library left is taken over. kExists if another process
  // holds the lock or another program left it; kIo.
  static Result<LockFile> Take(FileSystem& file_system,
                               const std::string& path);
  // Removes the lock.
  ~LockFile();
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;

 private:
  LockFile(FileSystem& file_system, std::string path,
           std::unique_ptr<WritableFile> file);

  FileSystem& file_system_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;  // holds a file lock
};

}  // namespace zpack
