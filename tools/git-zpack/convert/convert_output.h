// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file that convert or consolidate writes: one that the user names, or a
// temporary one that goes to standard output. Thread-compatible.

#pragma once

#include <optional>
#include <string>

#include "cli.h"
#include "temporary_directory.h"
#include "zpack/result.h"

namespace zpack::cli {

class ConvertOutput {
 public:
  // `name` '-' stands for standard output. Errors: kInvalidArgument if that is
  // a terminal; kIo.
  static Result<ConvertOutput> Open(const std::string& name, const Io& io);

  // As the user gave it.
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  bool is_stream() const { return name_ == "-"; }

  // If is_stream(), removes the temporary file and writes its content to
  // standard output. Errors: kIo, kInterrupted.
  Status Send(const Io& io);

 private:
  explicit ConvertOutput(const std::string& name) : name_(name), path_(name) {}

  std::string name_;
  std::string path_;
  std::optional<TemporaryDirectory> directory_;  // until Send()
};

}  // namespace zpack::cli
