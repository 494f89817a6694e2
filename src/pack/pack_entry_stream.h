// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The content of an object that a pack stores whole, inflated as it is read.
// Thread-compatible.

#pragma once

#include <cstdint>

#include "base/file.h"
#include "codec/inflate.h"
#include "object/object_source.h"

namespace zpack {

class PackEntryStream final : public ObjectStream {
 public:
  // Its zlib stream is in `file`, which outlives this, in [begin, end).
  PackEntryStream(const RandomAccessFile& file, const ObjectInfo& info,
                  uint64_t begin, uint64_t end)
      : file_(file), info_(info), left_(info.size), at_(begin), end_(end) {}

  const ObjectInfo& info() const override { return info_; }
  // kCorrupt when the stream is damaged or has another length, kIo.
  Status Read(std::span<uint8_t> out) override;

 private:
  // Inflates into the front of `out`, and returns what is left of it.
  Result<std::span<uint8_t>> Inflate(std::span<uint8_t> out);
  // Checks that the stream ends here.
  Status CheckEnd();

  const RandomAccessFile& file_;
  ObjectInfo info_;
  uint64_t left_;  // content that was not read yet
  uint64_t at_;    // in the file, of what was not read yet
  uint64_t end_;
  StreamInflater inflater_;
  bool ended_ = false;
  Bytes in_;
  ByteView rest_;  // of in_, not inflated yet
};

}  // namespace zpack
