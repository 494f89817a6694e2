// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A directory whose .zpack files are served, and nothing outside of it. Any
// thread.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "zpack/result.h"

namespace zpack::cli {

// A file descriptor that is closed with the object.
class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OwnedFd& operator=(OwnedFd&& other) noexcept;
  ~OwnedFd();

  int get() const { return fd_; }

 private:
  int fd_;
};

// Returns the name of the file that a client means by `name`, relative to the
// directory. "/group/project.git", "group/project" and "/group/project.zpack/"
// all mean "group/project.zpack".
//
// Errors: kInvalidArgument if `name` is empty, holds a NUL byte, or has an
// empty part, '.' or '..' between its slashes.
Result<std::string> ServedName(std::string_view name);

class ServedRoot {
 public:
  // Errors: kIo if `directory` cannot be opened.
  static Result<ServedRoot> Open(const std::string& directory);

  // Returns the path of the file that a client means by `name`, for OpenFile.
  // The path is of use only while this object exists.
  //
  // Errors: those of ServedName and OpenFile.
  Result<std::string> Find(std::string_view name) const;

  // Opens a file that Find found, or one beside it, and returns the descriptor.
  // The caller closes it. Symbolic links are followed as long as they stay
  // below the directory. What is checked is the open file, so that nobody can
  // exchange the file after the check.
  //
  // Errors: kNotFound if there is no such regular file below the directory; kIo
  // if the file cannot be read, or if /proc is not mounted.
  Result<int> OpenFile(const std::string& path) const;

  // `message` with the names that clients know in place of quoted paths.
  std::string WithNames(std::string message) const;

 private:
  ServedRoot(OwnedFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  // A path that leads to the directory, whatever happens to its name.
  std::string DescriptorPath() const;
  // The name of a file relative to the directory.
  std::string NameOf(const std::string& path) const;

  OwnedFd fd_;
  std::string path_;  // as the kernel names it
};

}  // namespace zpack::cli
