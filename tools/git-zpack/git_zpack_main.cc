// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cli.h"

namespace {

std::atomic<int> received_signal = 0;

// Turns SIGINT, SIGTERM and SIGHUP into a stop request, so that the command
// ends in order and leaves nothing behind. A second signal ends the process at
// once; the next run removes what that leaves.
void HandleSignals(const std::stop_source& stop) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  // Threads started from here on inherit the mask; only the waiter takes them.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set, stop]() mutable {
    int signal = 0;
    sigwait(&set, &signal);
    received_signal = signal;
    stop.request_stop();
    // One request may come twice, to the process and to its group.
    const auto asked = std::chrono::steady_clock::now();
    do {
      sigwait(&set, &signal);
    } while (std::chrono::steady_clock::now() - asked <
             std::chrono::seconds(1));
    _exit(128 + signal);
  }).detach();
}

// Makes sure that no file we open gets the number of a standard stream that
// was closed: messages would end up in it.
void OpenStandardStreams() {
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = dup(fd);
  if (fd >= 0) close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardStreams();
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::stop_source stop;
  if (!arguments.empty()) {
    const auto* const command = zpack::cli::FindCommand(arguments.front());
    if (command != nullptr && command->interruptible) HandleSignals(stop);
  }
  const zpack::cli::Io io{std::cin, std::cout, std::cerr,
                          isatty(STDERR_FILENO) == 1, stop.get_token()};
  const int code = zpack::cli::Run(arguments, io);
  const int signal = received_signal;
  return code == zpack::cli::kInterrupted && signal != 0 ? 128 + signal : code;
}
