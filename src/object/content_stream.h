// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An object that was read whole, as a stream. Thread-compatible.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "object/object_source.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

class ContentStream final : public ObjectStream {
 public:
  ContentStream(Bytes content, ObjectType type)
      : content_(std::move(content)), info_{type, content_.size()} {}

  const ObjectInfo& info() const override { return info_; }

  // REQUIRES: all reads together ask for at most info().size bytes.
  Status Read(std::span<uint8_t> out) override {
    std::ranges::copy(ByteView(content_).subspan(position_, out.size()),
                      out.begin());
    position_ += out.size();
    return {};
  }

 private:
  Bytes content_;
  ObjectInfo info_;
  size_t position_ = 0;
};

}  // namespace zpack
