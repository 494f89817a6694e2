// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The content of an object that a pack stores whole, inflated as it is read.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"
#include "codec/file_inflater.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

class PackEntryStream final : public ObjectStream {
 public:
  // Its zlib stream is in `file`, which outlives this, in [begin, end).
  PackEntryStream(const RandomAccessFile& file, const ObjectInfo& info,
                  uint64_t begin, uint64_t end)
      : path_(file.path()),
        info_(info),
        left_(info.size),
        end_(end),
        inflater_(file, begin, end) {}

  const ObjectInfo& info() const override { return info_; }
  // kCorrupt when the stream is damaged or has another length, kIo.
  Status Read(std::span<uint8_t> out) override;

 private:
  std::unexpected<Error> Damaged(std::string_view why) const;

  const std::string& path_;
  ObjectInfo info_;
  uint64_t left_;  // content that was not read yet
  uint64_t end_;
  FileInflater inflater_;
};

}  // namespace zpack
