// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "progress_meter.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

namespace zpack::cli {
namespace {

constexpr double kInterval = 0.2;
// Time that an object takes in addition to its bytes, as a number of bytes that
// take equally long. Commits and trees come first and are small. By their bytes
// alone, the first estimates of remaining time would be ten times too long.
// Measured on redis, curl and git.git as the time per commit divided by the
// time per byte of a blob: 2.5 to 7 KiB when compressing, 5 to 11 KiB when
// verifying.
constexpr uint64_t kObjectBytes = 4096;
// A shorter time gives no useful rate.
constexpr double kMinSeconds = 0.5;

std::string HumanRate(double rate) {
  return " | " + HumanSize(static_cast<uint64_t>(rate)) + "/s";
}

}  // namespace

std::string HumanSize(uint64_t bytes) {
  constexpr std::array kByteUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kByteUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kByteUnits[unit]);
}

std::string HumanTime(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  const uint64_t minutes = whole / 60;
  if (minutes < 60) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, whole % 60);
}

size_t ColumnsOfTerminal() {
  constexpr size_t kUsual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsual;
  }
  return size.ws_col;
}

ProgressMeter::ProgressMeter(Display display, std::vector<PhaseShare> phases)
    : display_(std::move(display)), remaining_(std::move(phases)) {}

double ProgressMeter::SteadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

uint64_t ProgressMeter::Work(uint64_t objects, uint64_t bytes) {
  return bytes + objects * kObjectBytes;
}

void ProgressMeter::Begin(Phase phase, uint64_t total_objects,
                          uint64_t total_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  title_ = PhaseTitle(phase);
  total_objects_ = total_objects;
  total_bytes_ = total_bytes;
  objects_ = 0;
  bytes_ = 0;
  width_ = 0;
  start_ = printed_ = display_.clock();
  byte_rate_.Begin(start_);
  remaining_.BeginPhase(
      phase,
      total_bytes != 0 ? Work(total_objects, total_bytes) : total_objects,
      start_);
}

void ProgressMeter::Advance(uint64_t objects, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_ += objects;
  bytes_ += bytes;
  const double now = display_.clock();
  if (now - printed_ < kInterval) return;
  byte_rate_.Update(bytes_, now);
  remaining_.Update(total_bytes_ != 0 ? Work(objects_, bytes_) : objects_, now);
  Print(now);
}

void ProgressMeter::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  PrintLast(display_.clock());
}

std::string ProgressMeter::Counts() const {
  if (total_objects_ == 0) return fmt::format("{}: {}", title_, objects_);
  return fmt::format("{}: {:3}% ({}/{})", title_,
                     objects_ * 100 / total_objects_, objects_, total_objects_);
}

void ProgressMeter::Print(double now) {
  std::array<std::string, 4> more;
  if (bytes_ != 0) more[0] = ", " + HumanSize(bytes_);
  if (const auto rate = byte_rate_.PerSecond()) more[1] = HumanRate(*rate);
  if (const auto left = remaining_.InPhase()) {
    more[2] = fmt::format(", {} left", HumanTime(*left));
  }
  if (const auto left = remaining_.InAll()) {
    more[3] = fmt::format(", {} in all", HumanTime(*left));
  }
  WriteLine(Counts(), more, '\r');
  printed_ = now;
}

// Shows the mean rate of the whole phase.
void ProgressMeter::PrintLast(double now) {
  std::array<std::string, 2> more;
  const double seconds = now - start_;
  if (bytes_ != 0) more[0] = ", " + HumanSize(bytes_);
  if (bytes_ != 0 && seconds >= kMinSeconds) {
    more[1] = HumanRate(static_cast<double>(bytes_) / seconds);
  }
  WriteLine(Counts(), more, '\n');
}

void ProgressMeter::WriteLine(std::string line,
                              std::span<const std::string> more, char end) {
  // A cursor after the last column wraps in some terminals.
  const size_t columns = display_.columns();
  const size_t limit = columns == 0 ? SIZE_MAX : columns - 1;
  const bool done = end == '\n' && !display_.stop.stop_requested();
  const std::string last = done ? ", done." : "";
  for (const std::string& part : more) {
    if (line.size() + part.size() + last.size() > limit) break;
    line += part;
  }
  line.resize(std::min(line.size(), limit - std::min(limit, last.size())));
  line += last;
  line.resize(std::min(line.size(), limit));
  const size_t before = std::min(width_, limit);
  const size_t padding = before > line.size() ? before - line.size() : 0;
  width_ = line.size();
  display_.err << line << std::string(padding, ' ') << end << std::flush;
}

}  // namespace zpack::cli
