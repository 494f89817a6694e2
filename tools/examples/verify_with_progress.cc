// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Verifies a file, shows progress, and stops on SIGINT:
//
//   verify_with_progress FILE
//
// Exits with 0 if the file is intact, 1 if it is damaged, 128 if it cannot be
// verified, and 130 if it was interrupted.

#include <pthread.h>
#include <zpack/verify.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace {

// Begin and End are called from one thread, Advance from several at once.
class LineForEachPhase final : public zpack::ProgressSink {
 public:
  void Begin(zpack::Phase phase, uint64_t total_objects,
             uint64_t /*total_bytes*/) override {
    title_ = zpack::PhaseTitle(phase);
    total_ = total_objects;
    objects_ = 0;
  }
  void Advance(uint64_t objects, uint64_t /*bytes*/) override {
    objects_ += objects;
  }
  void End() override {
    std::cerr << title_ << ": " << objects_ << " of " << total_ << '\n';
  }

 private:
  std::string_view title_;
  uint64_t total_ = 0;
  std::atomic<uint64_t> objects_ = 0;
};

// Requests a stop when SIGINT arrives. Blocks the signal for all threads that
// are started later, so construct it first.
class StopOnInterrupt {
 public:
  StopOnInterrupt() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::thread([source = source_, signals = signals_]() mutable {
      int signal = 0;
      sigwait(&signals, &signal);
      source.request_stop();
    }).detach();
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t signals_;
  std::stop_source source_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 129;
  const StopOnInterrupt interrupt;
  LineForEachPhase progress;
  zpack::VerifyOptions options;
  options.level = zpack::VerifyLevel::kConnectivity;
  options.run.progress = &progress;
  options.run.stop = interrupt.token();
  const auto report = zpack::Verify(argv[1], "", options);
  if (!report) {
    std::cerr << report.error().message << '\n';
    return report.error().code == zpack::ErrorCode::kInterrupted ? 130 : 128;
  }
  for (const zpack::Error& damage : report->damages) {
    std::cout << damage.message << '\n';
  }
  std::cout << report->objects_verified << " of " << report->objects
            << " objects are intact\n";
  return report->ok() ? 0 : 1;
}
