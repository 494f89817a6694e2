// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "progress_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

namespace zpack::cli {
namespace {

constexpr std::chrono::milliseconds kInterval(200);
// A rate from less than this says nothing.
constexpr double kMinSeconds = 0.5;

}  // namespace

std::string HumanSize(uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

void ProgressMeter::Begin(std::string_view title, uint64_t total_objects,
                          uint64_t total_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  title_ = title;
  total_objects_ = total_objects;
  total_bytes_ = total_bytes;
  objects_ = 0;
  bytes_ = 0;
  width_ = 0;
  start_ = Clock::now();
  printed_ = start_;
}

void ProgressMeter::Advance(uint64_t objects, uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  objects_ += objects;
  bytes_ += bytes;
  if (Clock::now() - printed_ >= kInterval) Print(false);
}

void ProgressMeter::End() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Print(true);
}

std::string ProgressMeter::Throughput(double seconds) const {
  if (bytes_ == 0) return "";
  std::string text = ", " + HumanSize(bytes_);
  if (seconds >= kMinSeconds) {
    const auto rate = static_cast<double>(bytes_) / seconds;
    text += " | " + HumanSize(static_cast<uint64_t>(rate)) + "/s";
  }
  return text;
}

// From bytes where they are known: one large object takes as long as a
// thousand small ones.
std::string ProgressMeter::Remaining(double seconds) const {
  const bool by_bytes = total_bytes_ != 0;
  const uint64_t total = by_bytes ? total_bytes_ : total_objects_;
  const uint64_t done = by_bytes ? bytes_ : objects_;
  if (done == 0 || done >= total || seconds < kMinSeconds) return "";
  const double left =
      seconds * static_cast<double>(total - done) / static_cast<double>(done);
  const auto whole = static_cast<uint64_t>(std::llround(left));
  return fmt::format(", {}:{:02} left", whole / 60, whole % 60);
}

void ProgressMeter::Print(bool last) {
  const double seconds =
      std::chrono::duration<double>(Clock::now() - start_).count();
  std::string line = title_ + ": ";
  if (total_objects_ != 0) {
    line += fmt::format("{:3}% ({}/{})", objects_ * 100 / total_objects_,
                        objects_, total_objects_);
  } else {
    line += fmt::format("{}", objects_);
  }
  line += Throughput(seconds);
  line += last ? ", done." : Remaining(seconds);
  const size_t padding = width_ > line.size() ? width_ - line.size() : 0;
  width_ = line.size();
  err_ << line << std::string(padding, ' ') << (last ? '\n' : '\r')
       << std::flush;
  printed_ = Clock::now();
}

}  // namespace zpack::cli
