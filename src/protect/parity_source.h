// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the parity of a file: in a file beside it, or in the file itself.
// Functions without state; any thread.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "parity/packet_scanner.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Parity that may belong to a file, and the open file that holds it.
struct ParitySource {
  std::shared_ptr<RandomAccessFile> file;
  ParityParameters parameters;

  // Where the set begins in `file`.
  uint64_t begin() const {
    return parameters.shape.embedded() ? parameters.shape.gap : 0;
  }
};

// All parity that may belong to the file at `path`, the most likely first:
// parity in `parity_path` or, if that is empty, in the file beside it and in
// the file itself. kNotFound if there is none; kUnsupported if all of it has a
// newer version; kIo; kInterrupted.
Result<std::vector<ParitySource>> FindParity(FileSystem& file_system,
                                             const std::string& path,
                                             const std::string& parity_path,
                                             const RunOptions& run);

}  // namespace zpack
