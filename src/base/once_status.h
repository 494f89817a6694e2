// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Work that is done when it is first needed, and can fail. May be used from
// several threads at once: one does the work, the others wait for it.

#pragma once

#include <mutex>

#include "zpack/result.h"

namespace zpack {

class OnceStatus {
 public:
  // Calls `work`, the first time, and returns what it returned.
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
