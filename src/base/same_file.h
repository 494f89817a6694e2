// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a name stands for an open file. Functions without state; any
// thread.

#pragma once

#include <sys/stat.h>

#include <string>

namespace zpack {

inline bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

// True if `path` itself, and not what a link at `path` leads to, is `file`.
inline bool IsNameOf(const std::string& path, const struct stat& file) {
  struct stat named;
  return lstat(path.c_str(), &named) == 0 && IsSameFile(named, file);
}

}  // namespace zpack
