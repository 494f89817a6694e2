// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads and inflates a zlib stream in a range of a file. Thread-compatible.

#pragma once

#include <cstdint>
#include <span>

#include "base/file.h"
#include "codec/inflate.h"
#include "zpack/result.h"

namespace zpack {

class FileInflater {
 public:
  // The stream begins at `begin` and ends at `end` or before. REQUIRES: `file`
  // outlives this object.
  FileInflater(const RandomAccessFile& file, uint64_t begin, uint64_t end)
      : file_(file), at_(begin), end_(end) {}

  // Fills `out` from the front and returns the number of bytes filled, which is
  // less than out.size() only at the end of the stream. kCorrupt if the range
  // does not hold a complete zlib stream; kIo.
  Result<size_t> Inflate(std::span<uint8_t> out);

  // True if the stream ends with the last byte of the range. REQUIRES: the last
  // Inflate has reached the end of the stream.
  bool used_up() const { return rest_.empty() && at_ == end_; }

 private:
  const RandomAccessFile& file_;
  uint64_t at_;  // offset of the next byte to read
  uint64_t end_;
  StreamInflater inflater_;
  bool ended_ = false;
  Bytes in_;
  ByteView rest_;  // rest of `in_`, not inflated yet
};

}  // namespace zpack
