// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's way to keep others from changing a file: '<file>.lock' beside it, which
// only one process can create. Thread-compatible.

#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

class LockFile {
 public:
  // Creates `path`, a name that ends with '.lock'. kExists when another process
  // holds it, or was killed while it did. A lock that a killed process of ours
  // left is taken over.
  static Result<LockFile> Take(FileSystem& file_system,
                               const std::string& path);
  // Removes it.
  ~LockFile();
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;

 private:
  LockFile(FileSystem& file_system, std::string path,
           std::unique_ptr<WritableFile> file);

  FileSystem& file_system_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;  // locked
};

}  // namespace zpack
