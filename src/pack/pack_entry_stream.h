// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the content of an object that is stored whole in a pack, and inflates
// it in pieces. Thread-compatible.

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
  // The zlib stream is in [begin, end) of `file`. REQUIRES: `file` outlives
  // this object.
  PackEntryStream(const RandomAccessFile& file, const ObjectInfo& info,
                  uint64_t begin, uint64_t end)
      : path_(file.path()),
        info_(info),
        left_(info.size),
        end_(end),
        inflater_(file, begin, end) {}

  const ObjectInfo& info() const override { return info_; }
  // kCorrupt if the zlib stream is damaged or its content has another length
  // than `info` says; kIo.
  Status Read(std::span<uint8_t> out) override;

 private:
  std::unexpected<Error> Damaged(std::string_view why) const;

  const std::string& path_;
  ObjectInfo info_;
  uint64_t left_;  // bytes of content not read yet
  uint64_t end_;
  FileInflater inflater_;
};

}  // namespace zpack
