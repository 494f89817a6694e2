// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/c_run_options.h"

namespace zpack::capi {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

void CallbackProgress::Begin(Phase phase, uint64_t total_objects,
                             uint64_t total_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  phase_ = PhaseTitle(phase);
  now_ = {phase_.c_str(), 0, total_objects, 0, total_bytes};
  Call();
}

void CallbackProgress::Advance(uint64_t objects, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  now_.objects += objects;
  now_.bytes += bytes;
  CallIfDue();
}

void CallbackProgress::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Call();
}

int CallbackProgress::Repeat(void* self) {
  auto& progress = *static_cast<CallbackProgress*>(self);
  const std::lock_guard<std::mutex> lock(progress.mutex_);
  progress.CallIfDue();
  return progress.stop_.stop_requested() ? 1 : 0;
}

void CallbackProgress::CallIfDue() {
  if (Clock::now() - last_call_ >= kInterval) Call();
}

void CallbackProgress::Call() {
  if (callback_(&now_, payload_) != 0) stop_.request_stop();
  last_call_ = Clock::now();
}

RunWithCallback::RunWithCallback(const zpack_run_options& options)
    : progress_(options.progress, options.payload) {
  run_.threads = options.threads;
  if (options.memory != 0) run_.memory = options.memory;
  if (options.progress == nullptr) return;
  run_.progress = &progress_;
  run_.stop = progress_.stop();
}

}  // namespace zpack::capi
