// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream that a command writes to, with the name that messages use.
// Thread-compatible.

#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

struct NamedOutput {
  std::ostream& stream;
  std::string name = "standard output";

  // The output is the file `path`, or standard output if that is '-'.
  static NamedOutput ToFile(std::ostream& stream,
                            const std::filesystem::path& path);

  // Why the stream, to which something was written just now, has failed: kIo.
  // The stream stays failed.
  Error Failure() const;
};

}  // namespace zpack::cli
