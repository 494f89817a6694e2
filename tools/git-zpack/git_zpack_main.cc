// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cli.h"

namespace {

std::atomic<int> received_signal = 0;

// Ends the process by `signal`, which its parent then sees: a shell stops a
// script at that, and makes the exit code 128 + signal of it.
void DieOf(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  // The first process of a container survives that.
  _exit(128 + signal);
}

// Those of SIGINT, SIGTERM and SIGHUP that the parent did not have us ignore,
// as nohup and shells without job control do.
std::vector<int> SignalsToHandle() {
  std::vector<int> signals;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited{};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) signals.push_back(signal);
  }
  return signals;
}

void WaitForSignals(const sigset_t& set, const std::stop_source& stop) {
  int signal = 0;
  sigwait(&set, &signal);
  received_signal = signal;
  stop.request_stop();
  // One request may come twice, to the process and to its group.
  const auto asked = std::chrono::steady_clock::now();
  do {
    sigwait(&set, &signal);
  } while (std::chrono::steady_clock::now() - asked < std::chrono::seconds(1));
  DieOf(signal);
}

// Turns these signals into a stop request, so that the command ends in order
// and leaves nothing behind. A second signal ends the process at once; the next
// run removes what that leaves.
void HandleSignals(const std::stop_source& stop) {
  const std::vector<int> signals = SignalsToHandle();
  if (signals.empty()) return;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  // Threads started from here on inherit the mask; only the waiter takes them.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    std::thread([set, stop] { WaitForSignals(set, stop); }).detach();
  } catch (const std::exception&) {
    // No more threads, or no memory. Signals end the process at once then.
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
}

// Makes sure that no file we open gets the number of a standard stream that
// was closed: messages would end up in it.
void OpenStandardStreams() {
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = dup(fd);
  if (fd >= 0) close(fd);
}

int Main(const std::vector<std::string>& arguments) {
  const std::stop_source stop;
  if (!arguments.empty()) {
    const auto* const command = zpack::cli::FindCommand(arguments.front());
    if (command != nullptr && command->interruptible) HandleSignals(stop);
  }
  const zpack::cli::Io io{std::cin, std::cout, std::cerr,
                          isatty(STDERR_FILENO) == 1, stop.get_token()};
  return zpack::cli::Run(arguments, io);
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  // A file that grows beyond RLIMIT_FSIZE is an error of write(2).
  std::signal(SIGXFSZ, SIG_IGN);
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  int code = zpack::cli::kFailed;
  try {
    code = Main({argv + 1, argv + argc});
  } catch (const std::exception&) {
    std::fputs("fatal: out of memory\n", stderr);
  }
  const int signal = received_signal;
  if (code == zpack::cli::kInterrupted && signal != 0) DieOf(signal);
  return code;
}
