// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "interpreter_lock.h"

namespace zpack::python {
namespace {

// Its destructor is the first that runs if pthread_exit unwinds the stack.
class SleepIfUnwound {
 public:
  SleepIfUnwound() = default;
  ~SleepIfUnwound() {
    while (!done_) pause();
  }
  SleepIfUnwound(const SleepIfUnwound&) = delete;
  SleepIfUnwound& operator=(const SleepIfUnwound&) = delete;
  void Done() { done_ = true; }

 private:
  bool done_ = false;
};

// Not part of a function that lets no exception pass: destructors of such a
// function need not run.
[[gnu::noinline]] void Restore(PyThreadState* state) {
  SleepIfUnwound sleep;
  PyEval_RestoreThread(state);
  sleep.Done();
}

unsigned long main_thread = 0;

}  // namespace

void FindMainThread() {
  main_thread = pybind11::module_::import("threading")
                    .attr("main_thread")()
                    .attr("ident")
                    .cast<unsigned long>();
}

Unlocked::~Unlocked() { Restore(state_); }

bool Unlocked::HandleSignals() {
  // The others need not wait for the lock.
  if (PyThread_get_thread_ident() != main_thread) return true;
  Restore(state_);
  const bool handled = PyErr_CheckSignals() == 0;
  state_ = PyEval_SaveThread();
  return handled;
}

Locked::Locked() {
  SleepIfUnwound sleep;
  state_ = PyGILState_Ensure();
  sleep.Done();
}

Locked::~Locked() { PyGILState_Release(state_); }

std::stop_source& Users::Ending() {
  static auto* const ending = new std::stop_source;
  return *ending;
}

bool Users::WereLostInFork() {
  if (process_ == getpid()) return false;
  if (count_ != 0) return true;
  process_ = getpid();
  return false;
}

}  // namespace zpack::python
