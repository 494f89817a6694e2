// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs programs, and says what they wrote, how they ended and how much memory
// they took. One thread at a time per Process.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace zpack::testing {

struct ProcessOptions {
  std::string directory;  // where to run it; empty: here
  std::string input;      // on its standard input, then end of file
  // "NAME=value" entries that replace those of this process.
  std::vector<std::string> environment;
  // SIGKILL after this time; zero: after ten minutes, so that no test hangs.
  std::chrono::microseconds kill_after{0};
};

struct ProcessResult {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // that signal, or 0
  std::string out;
  std::string err;
  // Largest resident set. A child starts as a copy of its parent, so this is
  // never less than what this process had when it started the child.
  uint64_t peak_rss_bytes = 0;
  double seconds = 0;

  bool ok() const { return exit_code == 0; }
};

void PrintTo(const ProcessResult& result, std::ostream* out);

// A running program. Destruction kills it.
class Process {
 public:
  // `command` is the program, looked up in PATH, and its arguments. Aborts when
  // it cannot be started at all.
  explicit Process(const std::vector<std::string>& command,
                   const ProcessOptions& options = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void Signal(int signal);

  // Reads what the program writes until standard error contains `text`. False
  // when the program closes it first.
  bool WaitForErr(std::string_view text);

  // Waits for the end.
  ProcessResult Wait();

 private:
  // Moves bytes between the program and the buffers once. False when there is
  // nothing left to move, or on a timeout, which kills the program.
  bool Pump();
  void CloseAll();

  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string input_;
  size_t input_sent_ = 0;
  ProcessResult result_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point deadline_;
};

// Runs a program to its end.
ProcessResult RunProcess(const std::vector<std::string>& command,
                         const ProcessOptions& options = {});

// A home that no program can make, not even root's: one that writes a cache
// below HOME would make any other, and later tests would find it.
inline constexpr const char* kNoHome = "/dev/null/home";

// An environment in which Git reads no configuration of the user or the
// system, signs with fixed names and dates, and speaks English: what of this
// process' environment does not get in the way, "HOME=`home`", and the rest.
std::vector<std::string> HermeticEnvironment(const std::string& home = kNoHome);

}  // namespace zpack::testing
