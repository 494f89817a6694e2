// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the contents of files by number. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/result.h"

namespace zpack::log {

class BlobTexts {
 public:
  // Shared with a cache of the reader.
  using TextPtr = std::shared_ptr<const Bytes>;

  virtual ~BlobTexts() = default;
  virtual Result<uint64_t> Size(ObjectNumber blob) = 0;
  virtual Result<TextPtr> Text(ObjectNumber blob) = 0;
};

}  // namespace zpack::log
