// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "operation.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "python_errors.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

constexpr std::chrono::milliseconds kSignalInterval(50);

// The interpreter's lock guards the list, which is never destroyed.
std::map<uint64_t, Operation*>& Operations() {
  static auto* const operations = new std::map<uint64_t, Operation*>;
  return *operations;
}

uint64_t last_number = 0;

}  // namespace

Operation::Operation(py::object progress)
    : number_(++last_number), progress_(std::move(progress)) {
  Operations().emplace(number_, this);
}

Operation::~Operation() { Operations().erase(number_); }

zpack_run_options Operation::RunOptions(unsigned threads) {
  return {threads, 0, PassProgress, this};
}

int Operation::PassProgress(const zpack_progress* progress, void* payload) {
  auto& operation = *static_cast<Operation*>(payload);
  if (!operation.stop_ && !operation.progress_.is_none()) {
    operation.Tell(*progress);
  }
  return operation.stop_ ? 1 : 0;
}

void Operation::Tell(const zpack_progress& progress) {
  // This thread works on nothing while it waits for the lock, perhaps forever.
  counted_.reset();
  const Locked locked;
  counted_.emplace(users_);
  try {
    progress_(progress.phase, progress.objects, progress.total_objects,
              progress.bytes, progress.total_bytes);
  } catch (py::error_already_set& error) {
    raised_ = std::make_unique<py::error_already_set>(std::move(error));
    stop_ = true;
  }
}

void Operation::Work(const std::function<int()>& work) {
  counted_.emplace(users_);
  const int code = work();
  Error error;
  if (code != ZPACK_OK) error = LastError(code);
  counted_.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  code_ = code;
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

void Operation::WaitForEnd() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return ended_; });
}

void Operation::WaitWithSignals() {
  Unlocked unlocked;
  while (!stop_) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (changed_.wait_for(lock, kSignalInterval, [&] { return ended_; })) {
        return;
      }
    }
    if (!unlocked.HandleSignals()) {
      interrupted_ = true;
      stop_ = true;
    }
  }
  // From here on, no signal makes this thread leave the other one alone.
  WaitForEnd();
}

void Operation::Run(const std::function<int()>& work) {
  std::thread thread([&] { Work(work); });
  WaitWithSignals();
  {
    const Unlocked unlocked;
    thread.join();
  }
  if (interrupted_) throw py::error_already_set();
  if (raised_) throw py::error_already_set(std::move(*raised_));
  if (exits_ && code_ != ZPACK_OK) {
    // Ends a thread in silence. What it would print meets Python's own end.
    PyErr_SetNone(PyExc_SystemExit);
    throw py::error_already_set();
  }
  if (code_ != ZPACK_OK) Raise(error_);
}

void Operation::StopAllAtExit() {
  py::module_::import("atexit").attr("register")(py::cpp_function(StopAndWait));
  // For those that begin after that.
  Py_AtExit(StopAll);
}

void Operation::StopAndWait() {
  const uint64_t last = last_number;
  const auto is_left = [&] {
    return std::ranges::any_of(Operations(), [&](const auto& entry) {
      return entry.first <= last && entry.second->process_ == getpid();
    });
  };
  Stop(last);
  while (is_left()) {
    // Their threads need the interpreter's lock to leave.
    const Unlocked unlocked;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Operation::StopAll() { Stop(last_number); }

void Operation::Stop(uint64_t last) {
  for (const auto& [number, operation] : Operations()) {
    if (number > last) continue;
    operation->exits_ = true;
    operation->stop_ = true;
  }
}

}  // namespace zpack::python
