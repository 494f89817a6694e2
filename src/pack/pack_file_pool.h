// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of open pack files, for repositories with more packs than a
// process may open files. May be used from several threads.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

class PackFilePool {
 public:
  // Keeps at most `max_open` files open, plus files that a thread reads at the
  // moment. REQUIRES: `file_system` outlives the pool and its files; max_open >
  // 0.
  PackFilePool(FileSystem& file_system, size_t max_open);

  // Opens the pack at `path`. If the pool has closed the file in the meantime,
  // a read opens it again. Such a read returns kNotFound if the file no longer
  // exists, and kCorrupt if another pack has the same name now. Other errors of
  // Open and of reads are those of FileSystem::OpenForRead and
  // RandomAccessFile::Read. The file keeps the pool alive.
  Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace zpack
