// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a trace goes, as Git's variables GIT_TRACE... and GIT_TRACE2... say it
// (git(1)). Thread-compatible.

#pragma once

#include <string>
#include <string_view>

namespace zpack::cli {

class TraceTarget {
 public:
  // Opens what `variable` of the environment asks for: nothing if it is unset,
  // empty, '0' or 'false'; standard error for '1' or 'true'; a descriptor for a
  // digit; a file, which is appended to, for an absolute path. If the path is a
  // directory and `session` is not empty, creates a file with that name in the
  // directory. Prints a warning for any other value, and if a file cannot be
  // opened.
  explicit TraceTarget(const char* variable, const std::string& session = "");
  ~TraceTarget();
  TraceTarget(const TraceTarget&) = delete;
  TraceTarget& operator=(const TraceTarget&) = delete;

  bool wanted() const { return fd_ >= 0; }
  // Writes `text` at once. If that fails, the trace ends with a warning.
  void Write(std::string_view text);

 private:
  void Open(const std::string& path, const std::string& session);
  void Close();

  const char* variable_;
  int fd_ = -1;
  bool is_ours_ = false;  // to be closed
};

}  // namespace zpack::cli
