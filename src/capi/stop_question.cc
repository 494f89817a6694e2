// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/stop_question.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace zpack::capi {
namespace {

constexpr std::chrono::milliseconds kStopInterval(100);

}  // namespace

StopQuestion::StopQuestion(zpack_stop_cb callback, void* payload)
    : callback_(callback), payload_(payload) {
  if (callback == nullptr) return;
  thread_ = std::jthread([this](const std::stop_token& ended) { Ask(ended); });
}

void StopQuestion::Ask(const std::stop_token& ended) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.stop_requested()) {
    if (callback_(payload_) != 0) {
      stop_.request_stop();
      return;
    }
    changed.wait_for(lock, ended, kStopInterval, [] { return false; });
  }
}

}  // namespace zpack::capi
