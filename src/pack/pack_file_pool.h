// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of packs that are open in turns, for repositories with more packs than
// a process may open files. May be used from several threads.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

class PackFilePool {
 public:
  // Keeps at most `max_open` files open. `file_system` outlives the pool and
  // its files.
  PackFilePool(FileSystem& file_system, size_t max_open);

  // The pack at `path`, which must be there now. It is opened again when it is
  // read and was closed meanwhile. Read then fails with kNotFound when the file
  // is gone, and with kCorrupt when another pack has taken its name. Errors are
  // otherwise those of FileSystem::OpenForRead. The file keeps the pool alive.
  Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace zpack
