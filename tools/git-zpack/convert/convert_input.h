// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The repository that convert reads: one on this machine, or a temporary clone
// of a bundle or URL. Thread-compatible.

#pragma once

#include <optional>
#include <string>

#include "cli.h"
#include "temporary_directory.h"
#include "zpack/result.h"

namespace zpack::cli {

class ConvertInput {
 public:
  enum class Report : uint8_t { kSilent, kPrinted };

  // Uses the repository at the path `name`. If `name` is a bundle, a URL or an
  // address 'host:path' of ssh, clones it with Git into a bare repository in a
  // TemporaryDirectory; with Report::kPrinted, says so.
  //
  // Errors: kGit if Git fails, which prints why; kInterrupted; kIo.
  static Result<ConvertInput> Open(const std::string& name, Report report,
                                   const Io& io);

  const std::string& path() const { return path_; }
  // What was cloned, without user and password; empty if nothing was.
  const std::string& cloned_from() const { return cloned_from_; }

 private:
  explicit ConvertInput(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::string cloned_from_;
  std::optional<TemporaryDirectory> directory_;
};

}  // namespace zpack::cli
