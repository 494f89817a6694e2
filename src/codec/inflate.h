// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decompresses zlib streams, the form in which Git stores objects.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// Maximum number of bytes that one byte of a zlib stream can stand for (zlib's
// technical details).
inline constexpr uint64_t kMaxInflateRatio = 1032;

// Inflates whole streams of known size, with libdeflate.
class Inflater {
 public:
  Inflater();
  ~Inflater();

  // Fills `out` from the zlib stream at the front of `in`. kCorrupt if there is
  // no valid stream, or if its content does not have exactly out.size() bytes.
  Status Inflate(ByteView in, std::span<uint8_t> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Inflates streams that arrive in pieces, with zlib.
class StreamInflater {
 public:
  enum class Form : uint8_t { kZlib, kGzip };

  struct Progress {
    size_t consumed = 0;  // bytes of the input
    size_t produced = 0;  // bytes of the output
    bool ended = false;   // the stream has ended with a correct checksum
  };

  explicit StreamInflater(Form form = Form::kZlib);
  ~StreamInflater();

  // Inflates from `in` to `out` until one of them is used up or the stream
  // ends. kCorrupt if the stream is invalid.
  Result<Progress> Run(ByteView in, std::span<uint8_t> out);

  // Starts a new stream.
  void Reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack
