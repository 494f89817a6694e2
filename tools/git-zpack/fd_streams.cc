// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fd_streams.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace zpack::cli {
namespace {

using std::chrono::steady_clock;

enum class Direction : uint8_t { kRead, kWrite };

std::unexpected<Error> Failed(Direction direction, int error) {
  return std::unexpected(Error{
      ErrorCode::kIo,
      fmt::format("cannot {} the client: {}",
                  direction == Direction::kRead ? "read from" : "write to",
                  std::generic_category().message(error))});
}

std::unexpected<Error> TimedOut(Direction direction,
                                std::chrono::seconds timeout) {
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("timeout: the client {} nothing for {} second{}",
                        direction == Direction::kRead ? "sent" : "received",
                        timeout.count(), timeout.count() == 1 ? "" : "s")});
}

// Waits until `fd` can be read or written without blocking, or has failed or
// ended: read(2) and write(2) then say so.
Status Await(int fd, Direction direction, std::chrono::seconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  pollfd waited = {fd, POLLIN, 0};
  if (direction == Direction::kWrite) waited.events = POLLOUT;
  while (true) {
    int wait = -1;
    if (timeout.count() > 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          deadline - steady_clock::now());
      wait = static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX));
    }
    const int ready = poll(&waited, 1, wait);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return Failed(direction, errno);
    if (timeout.count() > 0 && steady_clock::now() >= deadline) {
      return TimedOut(direction, timeout);
    }
  }
}

bool IsSocket(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

Result<size_t> FdInput::Read(std::span<uint8_t> out) {
  bool wait = timeout_.count() > 0;
  while (true) {
    if (wait) {
      const Status ready = Await(fd_, Direction::kRead, timeout_);
      if (!ready) return std::unexpected(ready.error());
    }
    const ssize_t got = read(fd_, out.data(), out.size());
    if (got >= 0) return static_cast<size_t>(got);
    if (errno == EAGAIN) {
      wait = true;
    } else if (errno != EINTR) {
      return Failed(Direction::kRead, errno);
    }
  }
}

Result<size_t> LimitedInput::Read(std::span<uint8_t> out) {
  if (left_ == 0 || out.empty()) return 0;
  const auto got =
      input_.Read(out.first(std::min<uint64_t>(out.size(), left_)));
  if (!got) return got;
  if (*got == 0) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              fmt::format("the request ended {} bytes before its end", left_)});
  }
  left_ -= *got;
  return got;
}

FdOutput::FdOutput(int fd, std::chrono::seconds timeout)
    : fd_(fd), timeout_(timeout), is_socket_(IsSocket(fd)) {}

Status FdOutput::Write(std::span<const uint8_t> bytes) {
  const bool timed = timeout_.count() > 0;
  bool wait = timed;
  while (!bytes.empty()) {
    if (wait) {
      const Status ready = Await(fd_, Direction::kWrite, timeout_);
      if (!ready) return ready;
      wait = timed;
    }
    // After poll(2), a pipe takes PIPE_BUF bytes without blocking, and perhaps
    // no more. A socket can be told not to block.
    ssize_t put = 0;
    if (timed && is_socket_) {
      put = send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    } else {
      put = write(
          fd_, bytes.data(),
          timed ? std::min<size_t>(bytes.size(), PIPE_BUF) : bytes.size());
    }
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(put));
    } else if (errno == EAGAIN) {
      wait = true;
    } else if (errno != EINTR) {
      return Failed(Direction::kWrite, errno);
    }
  }
  return {};
}

}  // namespace zpack::cli
