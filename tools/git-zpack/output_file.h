// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file that a command writes for people, such as an archive or a page.
// Thread-compatible.

#pragma once

#include <sys/stat.h>

#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "cli.h"
#include "zpack/options.h"
#include "zpack/publish_file.h"
#include "zpack/result.h"

namespace zpack::cli {

class OutputFile {
 public:
  // Notes what the name `path` stands for; '-' stands for standard output.
  explicit OutputFile(std::filesystem::path path);

  bool is_standard_output() const { return path_ == "-"; }

  // Whether the name stood for a file.
  bool exists() const;

  // Calls `write` with a stream for the file. `write` returns the command's
  // exit code. A regular file is replaced once `write` has returned kDone and
  // the new content is synced; it keeps its permissions, and is left as it was
  // otherwise. What another process has written, replaced or created since the
  // constructor is never replaced. Anything else, such as a pipe, is written to
  // directly. Returns the exit code, after a message if the file cannot be
  // created, or if its name may not outlive a power failure.
  int Write(const Io& io, const std::function<int(std::ostream&)>& write) const;

 private:
  static int WriteToStream(const Io& io,
                           const std::function<int(std::ostream&)>& write);
  int WriteInPlace(const Io& io,
                   const std::function<int(std::ostream&)>& write) const;

  std::filesystem::path path_;
  // What the name led to. Looked up first: whatever appears before the second
  // look counts as a change.
  std::optional<FileIdentity> identity_;
  std::optional<struct stat> old_;  // nothing if the name stood for nothing
};

// kInvalidArgument if `output`, where a command writes what it makes of the
// .zpack files `inputs`, is one of them or one that they depend on; where these
// cannot be found, only `inputs` count. kExists if others depend on `output`
// (CheckReplaceable).
Status CheckOutput(const std::string& output,
                   std::span<const std::string> inputs,
                   const ReadOptions& options);

// If `error` came because `output` exists, says that --force replaces it.
void HintAtReplacing(const boost::program_options::variables_map& values,
                     const Error& error, const std::string& output,
                     std::ostream& err);

}  // namespace zpack::cli
