// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file in memory. Immutable; any number of threads may read it.

#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace zpack::testing {

class MemoryFile final : public RandomAccessFile {
 public:
  explicit MemoryFile(Bytes content) : content_(std::move(content)) {}

  // To be changed between reads.
  Bytes& content() { return content_; }

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    if (offset > content_.size() || out.size() > content_.size() - offset) {
      return MakeError(ErrorCode::kCorrupt, "unexpected end of file");
    }
    std::copy_n(content_.begin() + static_cast<ptrdiff_t>(offset), out.size(),
                out.begin());
    return {};
  }
  uint64_t size() const override { return content_.size(); }
  const std::string& path() const override { return path_; }

 private:
  Bytes content_;
  std::string path_ = "memory.zpack";
};

}  // namespace zpack::testing
