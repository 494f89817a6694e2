// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli.h"
#include "manual_page.h"
#include "named_output.h"
#include "standard_streams.h"
#include "zpack/process.h"

namespace {

std::atomic<int> received_signal = 0;

// Ends the process by `signal`, so that its parent sees the signal. A shell
// then stops a script, and reports the exit code 128 + signal.
void DieOf(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  // The first process of a container is not ended by the signal.
  _exit(128 + signal);
}

// Returns those of SIGINT, SIGTERM and SIGHUP that the parent does not ignore,
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
  // One request may arrive twice: at the process and at its process group.
  const auto asked = std::chrono::steady_clock::now();
  do {
    sigwait(&set, &signal);
  } while (std::chrono::steady_clock::now() - asked < std::chrono::seconds(1));
  DieOf(signal);
}

// Turns these signals into a stop request, so that the command ends in an
// orderly way and removes its temporary files. A second signal ends the process
// at once; the next run removes the files left then.
void HandleSignals(const std::stop_source& stop) {
  const std::vector<int> signals = SignalsToHandle();
  if (signals.empty()) return;
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  // Threads started after this inherit the mask. Only one thread waits for
  // signals.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    std::thread([set, stop] { WaitForSignals(set, stop); }).detach();
  } catch (const std::exception&) {
    // If no thread can be created, signals end the process at once.
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
}

// Returns whether the arguments ask for a manual page and it was shown.
bool ShowsManual(const std::vector<std::string>& arguments) {
  return arguments.size() == 2 && arguments[0] == "help" &&
         zpack::cli::FindCommand(arguments[1]) != nullptr &&
         zpack::cli::ShowManualPage("git-zpack-" + arguments[1]);
}

int Main(const std::vector<std::string>& arguments) {
  if (ShowsManual(arguments)) return zpack::cli::kDone;
  const std::stop_source stop;
  if (!arguments.empty()) {
    const auto* const command = zpack::cli::FindCommand(arguments.front());
    if (command != nullptr && command->interruptible) HandleSignals(stop);
  }
  zpack::cli::ErrnoKeeper keeper(*std::cout.rdbuf());
  std::ostream out(&keeper);
  const zpack::cli::Io io{std::cin,         out,
                          std::cerr,        isatty(STDERR_FILENO) == 1,
                          stop.get_token(), isatty(STDOUT_FILENO) == 1};
  return zpack::cli::Run(arguments, io);
}

// Returns the arguments. A program that is called as 'git-zpack-<command>', by
// a link, gets the command as its first argument.
std::vector<std::string> Arguments(int argc, char** argv) {
  constexpr std::string_view kPrefix = "git-zpack-";
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  std::string_view name = argc > 0 ? argv[0] : "";
  name.remove_prefix(name.rfind('/') + 1);
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
    if (zpack::cli::FindCommand(name) != nullptr) {
      arguments.emplace(arguments.begin(), name);
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  zpack::cli::OpenStandardStreams();
  zpack::cli::RestoreSigpipe();
  zpack::OwnLibraries();
  // A file that grows beyond RLIMIT_FSIZE is an error of write(2).
  std::signal(SIGXFSZ, SIG_IGN);
  int code = zpack::cli::kFailed;
  try {
    // The streams get buffers.
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    code = Main(Arguments(argc, argv));
  } catch (const std::exception&) {
    std::fputs("fatal: out of memory\n", stderr);
  }
  const int signal = received_signal;
  if (code == zpack::cli::kInterrupted && signal != 0) DieOf(signal);
  return code;
}
