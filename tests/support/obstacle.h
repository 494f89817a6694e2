// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What may have the name of a file and cannot be read as one.

#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "support/temp_dir.h"

namespace zpack::testing {

enum class Obstacle : uint8_t {
  kDirectory,
  kDangling,  // a link that leads nowhere
  kLoop,      // a link to itself
  kPipe,
  kSocket,
  kDevice,    // a link to one without an end
  kForbidden  // a file that only root may read
};

// Puts it in the place of `path`, whose directories are made.
inline void PutObstacle(Obstacle kind, const std::string& path) {
  namespace fs = std::filesystem;
  fs::create_directories(fs::path(path).parent_path());
  fs::remove_all(path);
  switch (kind) {
    case Obstacle::kDirectory:
      fs::create_directory(path);
      break;
    case Obstacle::kDangling:
      fs::create_symlink("/nowhere/at/all", path);
      break;
    case Obstacle::kLoop:
      fs::create_symlink(path, path);
      break;
    case Obstacle::kPipe:
      Require(mkfifo(path.c_str(), 0600) == 0, "mkfifo");
      break;
    case Obstacle::kSocket:
      Require(mknod(path.c_str(), S_IFSOCK | 0600, 0) == 0, "mknod");
      break;
    case Obstacle::kDevice:
      fs::create_symlink("/dev/zero", path);
      break;
    case Obstacle::kForbidden:
      WriteFile(path, "something");
      fs::permissions(path, fs::perms::none);
      break;
  }
}

}  // namespace zpack::testing
