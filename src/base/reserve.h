// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Descriptors and memory that are set aside before the work begins, so that
// what the work made can be removed even if it failed because there were no
// more of them. Thread-compatible.

#pragma once

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <memory>

#include "base/descriptor.h"
#include "base/error.h"
#include "zpack/result.h"

namespace zpack {

class Reserve {
 public:
  // kIo if there are not enough descriptors. Throws std::bad_alloc.
  Status Take() {
    // RemoveTree needs two.
    for (Descriptor* const kept : {&one_, &other_}) {
      *kept = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (kept->get() < 0) {
        return std::unexpected(IoError("open", "/", errno));
      }
    }
    memory_ = std::make_unique_for_overwrite<char[]>(kMemory);
    return {};
  }

  // Makes them available to what follows.
  void Release() {
    one_ = Descriptor(-1);
    other_ = Descriptor(-1);
    memory_.reset();
  }

 private:
  // The allocator of glibc may ask for 1 MiB at a time. Nobody writes to it, so
  // it takes address space only.
  static constexpr size_t kMemory = size_t{2} << 20;

  Descriptor one_{-1};
  Descriptor other_{-1};
  std::unique_ptr<char[]> memory_;
};

}  // namespace zpack
