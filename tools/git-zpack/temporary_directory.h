// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A directory for files that a command needs only while it runs.
// Thread-compatible.

#pragma once

#include <string>
#include <utility>

#include "zpack/result.h"

namespace zpack::cli {

// The directory that TMPDIR names, or '/tmp'.
std::string DirectoryForTemporaries();

// Removed, with everything in it, when the object is destroyed.
class TemporaryDirectory {
 public:
  // Creates the directory in DirectoryForTemporaries(). kIo.
  static Result<TemporaryDirectory> Create();
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty after a move
};

}  // namespace zpack::cli
