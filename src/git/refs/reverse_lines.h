// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the lines of a file from the last line to the first. Memory is one line
// and a buffer. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

class ReverseLines {
 public:
  // Refuses lines of more than `max_line` bytes. REQUIRES: `file` outlives
  // this.
  ReverseLines(const RandomAccessFile& file, size_t max_line);

  // The next line, without its line feed; nothing at the front of the file.
  // kCorrupt if the last line has no line feed; kLimitExceeded if a line is
  // longer than the limit; kIo.
  Result<std::optional<std::string>> Next();

 private:
  // Reads the piece of the file before `unread_`.
  Status ReadPiece();

  const RandomAccessFile& file_;
  size_t max_line_;
  uint64_t unread_;  // bytes of the file before `piece_`
  Bytes piece_;      // what follows these bytes and is not taken yet
};

}  // namespace zpack
