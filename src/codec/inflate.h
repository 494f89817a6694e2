// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the zlib streams that Git keeps objects in. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// A deflated byte stands for no more than so many (zlib's technical details).
inline constexpr uint64_t kMaxInflateRatio = 1032;

// Whole streams of a known size, through libdeflate.
class Inflater {
 public:
  Inflater();
  ~Inflater();

  // Fills `out` from the zlib stream at the front of `in`. kCorrupt when that
  // is none, or stands for another number of bytes.
  Status Inflate(ByteView in, std::span<uint8_t> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Streams that arrive in pieces, through zlib.
class StreamInflater {
 public:
  struct Progress {
    size_t consumed = 0;  // bytes of the input that are dealt with
    size_t produced = 0;  // bytes of the output that are filled
    bool ended = false;   // the stream is over, and its checksum was right
  };

  StreamInflater();
  ~StreamInflater();

  // Inflates from `in` to `out` until one of them is used up or the stream
  // ends. kCorrupt when this is no zlib stream.
  Result<Progress> Run(ByteView in, std::span<uint8_t> out);

  // Begins a new stream.
  void Reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack
