// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a mount says what it could not read. Any thread.

#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "zpack/result.h"

namespace zpack::mount {

class MountLog {
 public:
  // Writes to standard error, until one of the others is called.
  MountLog() = default;

  // Appends to the file `path`. Errors: kIo.
  Status UseFile(const std::string& path);
  // Sends to the log of the system, unless there is a file.
  void LeaveStandardError();

  // One line, without a line feed.
  void Write(std::string_view line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::mutex mutex_;  // guards everything below
  std::unique_ptr<std::FILE, Close> file_;
  bool system_ = false;
};

}  // namespace zpack::mount
