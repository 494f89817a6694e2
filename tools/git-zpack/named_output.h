// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream that a command writes to, with the name that messages use.
// Thread-compatible.

#pragma once

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// Passes everything on to another buffer, and keeps the errno of what failed
// first: a stream tells of a failure long after it.
class ErrnoKeeper : public std::streambuf {
 public:
  // `to` must outlive this object.
  explicit ErrnoKeeper(std::streambuf& to) : to_(to) {}

  // 0 if nothing has failed, or nobody knows why.
  int number() const { return number_; }

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  std::streambuf& to_;
  int number_ = 0;
};

struct NamedOutput {
  std::ostream& stream;
  std::string name = "standard output";

  // The output is the file `path`, or standard output if that is '-'.
  static NamedOutput ToFile(std::ostream& stream,
                            const std::filesystem::path& path);

  // Why the stream, to which something was written just now, has failed: kIo.
  // The stream stays failed. A stream with an ErrnoKeeper may have failed at
  // any time.
  Error Failure() const;
};

}  // namespace zpack::cli
