// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A process that goes on in the background once it can serve, and whose caller
// gets the exit code if it cannot. Thread-compatible.

#pragma once

#include <optional>

namespace zpack::mount {

class Background {
 public:
  Background() = default;
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Splits the process. In the one that goes on, returns nothing. In the other
  // one, waits until the first one serves or ends, and returns the exit code
  // for the caller. To be called before there are threads.
  std::optional<int> Start();
  // Leaves the terminal and tells the waiting process that all is well. Any
  // thread, once.
  void Ready();

 private:
  int fd_ = -1;
};

}  // namespace zpack::mount
