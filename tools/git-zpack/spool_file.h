// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A temporary file without a name, which disappears when it is closed.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

class SpoolFile {
 public:
  // Creates the file in the directory that TMPDIR names, or in '/tmp'. Returns
  // kIo if that fails.
  static Result<SpoolFile> Create();

  // Returns kIo if writing fails.
  Status Append(std::span<const uint8_t> bytes);
  // Passes everything that was appended to `visit`, in pieces. Returns the
  // first error of `visit`, or kIo if reading fails.
  Status ForEachPiece(
      const std::function<Status(std::span<const uint8_t>)>& visit);
  // The descriptor of the file, which holds everything that was appended. kIo.
  Result<int> Descriptor();

 private:
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  SpoolFile(FILE* file, std::string directory)
      : file_(file), directory_(std::move(directory)) {}
  std::unexpected<Error> Failed(const char* action) const;

  std::unique_ptr<FILE, Close> file_;
  std::string directory_;
};

}  // namespace zpack::cli
