// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A zlib stream in a range of a file, inflated as it is read.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <span>

#include "base/file.h"
#include "codec/inflate.h"
#include "zpack/result.h"

namespace zpack {

class FileInflater {
 public:
  // The stream begins at `begin` and is over at `end` at the latest. `file`
  // outlives this.
  FileInflater(const RandomAccessFile& file, uint64_t begin, uint64_t end)
      : file_(file), at_(begin), end_(end) {}

  // Fills the front of `out`, and returns how much of it: all, unless the
  // stream ends. kCorrupt when it is none, or goes on behind the range; kIo.
  Result<size_t> Inflate(std::span<uint8_t> out);

  // Whether the stream was over with the last byte of the range. REQUIRES: the
  // last Inflate has met its end.
  bool used_up() const { return rest_.empty() && at_ == end_; }

 private:
  const RandomAccessFile& file_;
  uint64_t at_;  // of what was not read yet
  uint64_t end_;
  StreamInflater inflater_;
  bool ended_ = false;
  Bytes in_;
  ByteView rest_;  // of in_, not inflated yet
};

}  // namespace zpack
