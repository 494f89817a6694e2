// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Text for a terminal. Names in a file may hold commands to a terminal, which
// this buffer escapes. Output to a file or pipe is not changed, so that
// programs read the bytes that Git prints. Thread-compatible.

#pragma once

#include <cstdint>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace zpack::cli {

// Passes lines on to `out`, with C escapes for everything that is not
// printable. A line of more than 64 KiB is passed on in pieces.
class TerminalText final : public std::streambuf {
 public:
  // What becomes of sequences that only change colors.
  enum class Colors : uint8_t { kEscape, kKeep };

  // `out` must outlive this object.
  explicit TerminalText(std::ostream& out, Colors colors = Colors::kEscape)
      : out_(out), colors_(colors) {}
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

  // The text with escapes.
  std::string Escaped(std::string_view text) const;

  std::ostream& out_;
  const Colors colors_;
  std::string line_;
};

}  // namespace zpack::cli
