// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Text for a terminal. Names in a file may hold commands to a terminal, which
// this buffer escapes. Output to a file or pipe is not changed, so that
// programs read the bytes that Git prints. Thread-compatible.

#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace zpack::cli {

// Passes lines on to `out`, with C escapes for everything that is not
// printable. A line of more than 64 KiB is passed on in pieces.
class TerminalText final : public std::streambuf {
 public:
  // `out` must outlive this object.
  explicit TerminalText(std::ostream& out) : out_(out) {}
  // Passes on the last line even if it has no line feed.
  ~TerminalText() override;
  TerminalText(const TerminalText&) = delete;
  TerminalText& operator=(const TerminalText&) = delete;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  // Passes on the first `size` bytes of the line. Returns false if writing
  // fails.
  bool Pass(size_t size);

  std::ostream& out_;
  std::string line_;
};

}  // namespace zpack::cli
