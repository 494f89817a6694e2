// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/trace_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr mode_t kTraceFileMode = 0666;
// How many names Git tries in a directory.
constexpr int kMaxTraceNames = 10;

bool IsWord(const std::string& value, const char* word) {
  return strcasecmp(value.c_str(), word) == 0;
}

void WarnOfTrace(const std::string& message) {
  std::cerr << "warning: " << message << '\n';
}

std::string LastError() {
  return std::error_code(errno, std::generic_category()).message();
}

// Creates a file that nobody else has in a directory.
int CreateTraceIn(const std::string& directory, const std::string& name) {
  const std::string path = directory + '/' + name;
  int fd = -1;
  for (int attempt = 0; attempt < kMaxTraceNames && fd < 0; ++attempt) {
    const std::string suffix = attempt > 0 ? fmt::format(".{}", attempt) : "";
    fd = open((path + suffix).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
              kTraceFileMode);
  }
  return fd;
}

}  // namespace

TraceTarget::TraceTarget(const char* variable, const std::string& session)
    : variable_(variable) {
  const char* const set = std::getenv(variable);
  const std::string value = set != nullptr ? set : "";
  if (value.empty() || value == "0" || IsWord(value, "false")) return;
  if (value == "1" || IsWord(value, "true")) {
    fd_ = STDERR_FILENO;
  } else if (value.size() == 1 && value[0] >= '2' && value[0] <= '9') {
    fd_ = value[0] - '0';
  } else if (value.front() == '/') {
    Open(value, session);
  } else {
    WarnOfTrace(fmt::format(
        "unknown trace value for '{}': {}\n"
        "         If you want to trace into a file, then please set {}\n"
        "         to an absolute pathname (starting with /)",
        variable, QuoteName(value, kMaxNameInMessage), variable));
  }
}

TraceTarget::~TraceTarget() { Close(); }

void TraceTarget::Open(const std::string& path, const std::string& session) {
  struct stat status{};
  const bool in_directory = !session.empty() &&
                            stat(path.c_str(), &status) == 0 &&
                            S_ISDIR(status.st_mode);
  fd_ = in_directory
            ? CreateTraceIn(path, session)
            : open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
                   kTraceFileMode);
  is_ours_ = fd_ >= 0;
  if (is_ours_) return;
  WarnOfTrace(fmt::format("could not open '{}' for tracing: {}",
                          QuoteName(path, kMaxNameInMessage), LastError()));
}

void TraceTarget::Close() {
  if (is_ours_) close(fd_);
  is_ours_ = false;
  fd_ = -1;
}

void TraceTarget::Write(std::string_view text) {
  while (fd_ >= 0 && !text.empty()) {
    const ssize_t written = write(fd_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      WarnOfTrace(fmt::format("unable to write trace for {}: {}", variable_,
                              LastError()));
      Close();
    }
  }
}

}  // namespace zpack::cli
