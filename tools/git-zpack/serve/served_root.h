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

// An open file below the directory.
struct RootedFile {
  OwnedFd fd;
  // Leads to the open file, whatever happens to its name. Valid as long as this
  // object.
  std::string path;
  std::string name;  // relative to the directory, for messages
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

  // Opens the file that a client means by `name`. Symbolic links are followed
  // as long as they stay below the directory. What is checked is the open file,
  // so that nobody can exchange the file after the check.
  //
  // Errors: those of ServedName; kNotFound if there is no such regular file
  // below the directory; kIo if the file cannot be read, or if /proc is not
  // mounted.
  Result<RootedFile> Find(std::string_view name) const;

 private:
  ServedRoot(OwnedFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  OwnedFd fd_;
  std::string path_;  // as the kernel names it, with a slash at the end
};

}  // namespace zpack::cli
