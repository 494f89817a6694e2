// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Asks a callback of C, in a thread of its own, whether to stop.

#pragma once

#include <stop_token>
#include <thread>

#include "zpack.h"

namespace zpack::capi {

// Asks until it is destroyed. Thread-compatible.
class StopQuestion {
 public:
  // `callback` may be null.
  StopQuestion(zpack_stop_cb callback, void* payload);
  StopQuestion(const StopQuestion&) = delete;
  StopQuestion& operator=(const StopQuestion&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  void Ask(const std::stop_token& ended);

  zpack_stop_cb callback_;
  void* payload_;
  std::stop_source stop_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace zpack::capi
