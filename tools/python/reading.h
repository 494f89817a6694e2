// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that read from an archive, and stop for signals. Any thread.

#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>

#include "ahead_iterator.h"
#include "interpreter_lock.h"
#include "zpack/archive_reader.h"
#include "zpack/visit.h"

namespace zpack::python {

// Tells when a loop should handle signals again.
class SignalClock {
 public:
  bool IsDue() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kCheckInterval) return false;
    last_ = now;
    return true;
  }

 private:
  std::chrono::steady_clock::time_point last_ =
      std::chrono::steady_clock::now();
};

inline void CheckProcess(Users& users) {
  if (!users.WereLostInFork()) return;
  throw std::runtime_error(
      "the archive was being read in another thread when this process was "
      "forked; open it again");
}

// An archive that is open for reading.
struct OpenArchive {
  bool is_remote = false;  // it may keep readers waiting
  std::shared_ptr<Users> users = std::make_shared<Users>();
  std::shared_ptr<ArchiveReader> reader;
};

// Runs `work` in a thread of its own, and handles signals meanwhile.
template <typename Work>
auto WithSignals(Unlocked& unlocked, Users& users, Work work) {
  auto result = std::async(std::launch::async, work);
  while (result.wait_for(kCheckInterval) != std::future_status::ready) {
    if (unlocked.HandleSignals()) continue;
    users.StopReading();
    break;
  }
  return result.get();
}

// Runs `work` without the interpreter's lock. Returns its result; raises the
// error of a signal with the lock.
template <typename Work>
auto Reading(const OpenArchive& archive, Work work) {
  CheckProcess(*archive.users);
  auto result = [&] {
    Unlocked unlocked;
    const Users::Counted counted(*archive.users);
    if (!archive.is_remote) return work(unlocked);
    return WithSignals(unlocked, *archive.users,
                       [&] { return work(unlocked); });
  }();
  if (PyErr_Occurred() != nullptr) throw pybind11::error_already_set();
  return result;
}

inline Visit NextVisit(Unlocked& unlocked, SignalClock& clock) {
  if (!clock.IsDue() || unlocked.HandleSignals()) return Visit::kContinue;
  return Visit::kStop;
}

}  // namespace zpack::python
