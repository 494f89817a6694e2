// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The connection to a client over two file descriptors, such as standard input
// and output. A descriptor may be non-blocking. Each class is for one thread at
// a time.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "zpack/serve.h"

namespace zpack::cli {

// Reads from a descriptor, which must stay open.
class FdInput : public ServeInput {
 public:
  // Read returns kIo if nothing arrives for the time `timeout`. 0 waits
  // forever.
  explicit FdInput(int fd, std::chrono::seconds timeout = {})
      : fd_(fd), timeout_(timeout) {}

  Result<size_t> Read(std::span<uint8_t> out) override;

 private:
  int fd_;
  std::chrono::seconds timeout_;
};

// Reads at most `limit` bytes of another input, then reports the end. An input
// that ends earlier is an error: kInvalidArgument.
class LimitedInput : public ServeInput {
 public:
  // `input` must outlive this object.
  LimitedInput(ServeInput& input, uint64_t limit)
      : input_(input), left_(limit) {}

  Result<size_t> Read(std::span<uint8_t> out) override;

 private:
  ServeInput& input_;
  uint64_t left_;
};

// Writes to a descriptor, which must stay open.
class FdOutput : public ServeOutput {
 public:
  // Write returns kIo if the client takes nothing for the time `timeout`. 0
  // waits forever.
  explicit FdOutput(int fd, std::chrono::seconds timeout = {});

  // If the client is gone, SIGPIPE ends the process (standard_streams.h).
  Status Write(std::span<const uint8_t> bytes) override;

 private:
  int fd_;
  std::chrono::seconds timeout_;
  bool is_socket_;
};

}  // namespace zpack::cli
