// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decompresses what a client sends. Thread-compatible.

#pragma once

#include "base/bytes.h"
#include "codec/inflate.h"
#include "zpack/serve.h"

namespace zpack {

class GzipInput final : public ServeInput {
 public:
  // `input` must outlive this object.
  explicit GzipInput(ServeInput& input) : input_(input) {}

  Result<size_t> Read(std::span<uint8_t> out) override;

 private:
  ServeInput& input_;
  StreamInflater inflater_{StreamInflater::Form::kGzip};
  Bytes compressed_;
  size_t begin_ = 0;  // of what was not inflated yet
  uint64_t consumed_ = 0;
  uint64_t produced_ = 0;
  bool ended_ = false;
};

}  // namespace zpack
