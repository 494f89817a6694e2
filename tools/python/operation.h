// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A call of the C interface that takes long. It runs in a thread of its own,
// and the thread that waits for it handles signals, so that Ctrl-C stops the
// call. Whatever stops it, Run returns only after the call has returned.

#pragma once

#include <pybind11/pybind11.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "interpreter_lock.h"
#include "zpack.h"
#include "zpack/result.h"

namespace zpack::python {

// One operation. The thread that makes it has the interpreter's lock.
class Operation {
 public:
  // `progress` is None or a function, which gets phase, objects, total objects,
  // bytes and total bytes, in another thread. What it raises stops the
  // operation, and goes on from Run.
  explicit Operation(pybind11::object progress);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  zpack_run_options RunOptions(unsigned threads);
  // Calls `work`, which gets RunOptions and returns a code, and raises what it
  // failed with.
  void Run(const std::function<int()>& work);

  // Operations of threads that are still there when the interpreter ends will
  // be stopped, and their threads end with SystemExit. Called once, with the
  // interpreter's lock.
  static void StopAllAtExit();

 private:
  static int PassProgress(const zpack_progress* progress, void* payload);
  static void Stop(uint64_t last);
  static void StopAndWait();
  static void StopAll();

  void Work(const std::function<int()>& work);
  void Tell(const zpack_progress& progress);
  // Waits, without the interpreter's lock, until `work` has returned.
  void WaitWithSignals();
  void WaitForEnd();

  const uint64_t number_;
  const pid_t process_ = getpid();
  const pybind11::object progress_;
  // The interpreter's lock guards these.
  std::unique_ptr<pybind11::error_already_set> raised_;
  bool interrupted_ = false;
  bool exits_ = false;
  std::atomic<bool> stop_ = false;
  Users users_;
  std::optional<Users::Counted> counted_;  // of the thread that works
  std::mutex mutex_;                       // guards what is below
  std::condition_variable changed_;
  bool ended_ = false;
  int code_ = ZPACK_OK;
  Error error_;
};

}  // namespace zpack::python
