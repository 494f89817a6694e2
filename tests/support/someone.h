// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests about permissions, which say nothing to root. One thread.

#pragma once

#include <unistd.h>

#include "support/temp_dir.h"

namespace zpack::testing {

// While it lives, root is nobody.
class AsSomeone {
 public:
  static constexpr uid_t kNobody = 65534;

  AsSomeone() : root_(geteuid() == 0 && seteuid(kNobody) == 0) {}
  ~AsSomeone() { Require(!root_ || seteuid(0) == 0, "seteuid"); }
  AsSomeone(const AsSomeone&) = delete;
  AsSomeone& operator=(const AsSomeone&) = delete;

 private:
  bool root_;
};

}  // namespace zpack::testing
