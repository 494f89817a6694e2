// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "mount_log.h"

#include <fmt/format.h>
#include <syslog.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "zpack/quote.h"

namespace zpack::mount {
namespace {

constexpr const char* kProgram = "git-zpack-mount";

std::string Now() {
  const time_t now = time(nullptr);
  struct tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace

Status MountLog::UseFile(const std::string& path) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "ae"));
  if (!file) {
    return std::unexpected(Error{
        ErrorCode::kIo,
        fmt::format("cannot open '{}': {}", QuoteName(path), strerror(errno)),
        {},
        path});
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  file_ = std::move(file);
  return {};
}

void MountLog::LeaveStandardError() {
  const std::lock_guard<std::mutex> lock(mutex_);
  system_ = true;
}

void MountLog::Write(std::string_view line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::FILE* const file = file_ ? file_.get() : stderr;
  if (!file_ && system_) {
    openlog(kProgram, LOG_PID, LOG_DAEMON);
    syslog(LOG_ERR, "%.*s", static_cast<int>(line.size()), line.data());
    return;
  }
  const std::string text =
      file_ ? fmt::format("{} {}: {}\n", Now(), kProgram, line)
            : fmt::format("{}: {}\n", kProgram, line);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace zpack::mount
