// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Work that is done on first use and may fail. May be used from several threads
// at once: one thread does the work, and the other threads wait.

#pragma once

#include <mutex>

#include "zpack/result.h"

namespace zpack {

class OnceStatus {
 public:
  // The first call calls `work`. Every call returns the result of that work.
  template <typename Work>
  const Status& Do(Work work) {
    std::call_once(flag_, [&] { status_ = work(); });
    return status_;
  }

 private:
  std::once_flag flag_;
  Status status_;
};

}  // namespace zpack
