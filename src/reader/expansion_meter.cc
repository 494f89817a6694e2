// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/expansion_meter.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {

Status ExpansionMeter::Note(size_t block, const format::Expansion& expansion) {
  const std::lock_guard<std::mutex> lock(mutex_);
  format::Expansion& known = blocks_[block];
  const format::Expansion more = {
      std::max(known.content, expansion.content) - known.content,
      std::max(known.decoded, expansion.decoded) - known.decoded,
      std::max(known.chains, expansion.chains) - known.chains};
  format::Expansion sum = sum_;
  sum += more;
  if (!sum.Within(limit_)) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "the file represents more than its size allows ({} bytes "
                     "of content, {} decoded, {} with bases)",
                     limit_.content, limit_.decoded, limit_.chains);
  }
  known += more;
  sum_ = sum;
  return {};
}

format::Expansion ExpansionMeter::Of(size_t block) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return blocks_[block];
}

}  // namespace zpack
