// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interpreter's lock, for threads that may be alive when the interpreter
// ends. Before Python 3.14, a thread that takes the lock then is ended by
// pthread_exit, which unwinds its stack: C++ aborts the process at the first
// function that lets no exception pass, and destructors run without the lock.
// Here, such a thread sleeps until the process is gone, as in Python 3.14.
// Any thread may use these classes.

#pragma once

#include <pybind11/pybind11.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <stop_token>

namespace zpack::python {

// Notes which thread is Python's main thread. Called once, with the lock.
void FindMainThread();

// Gives the lock back until the end of the block. The thread has the lock.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // Lets Python handle signals if this is its main thread. Returns false if a
  // handler raised, as that of Ctrl-C does; the exception is then this thread's
  // error.
  bool HandleSignals();

 private:
  PyThreadState* state_;
};

// Holds the lock until the end of the block, in a thread of C++.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// How many threads work with something without the interpreter's lock, and in
// which process: a forked process has none of them, but what they held locked.
class Users {
 public:
  // Whether other threads worked with it when this process was forked. The
  // thread has the interpreter's lock.
  bool WereLostInFork();

  // Asks what these threads read from servers to end. Lasts.
  void StopReading() { reading_.request_stop(); }
  std::stop_token stop() const { return reading_.get_token(); }
  // The same for all threads that work with anything, from now on.
  static void StopAllReading() { Ending().request_stop(); }

  // How many threads work with anything.
  static int All() { return all_; }

  // Counts this thread until the end of the block.
  class Counted {
   public:
    explicit Counted(Users& users) : count_(users.count_) {
      ++count_;
      ++all_;
    }
    ~Counted() {
      --count_;
      --all_;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    std::atomic<int>& count_;
  };

 private:
  // Never destroyed.
  static std::stop_source& Ending();

  inline static std::atomic<int> all_ = 0;

  std::atomic<int> count_ = 0;
  pid_t process_ = getpid();
  std::stop_source reading_;
  const std::stop_callback<std::function<void()>> at_end_{
      Ending().get_token(), [this] { StopReading(); }};
};

}  // namespace zpack::python
