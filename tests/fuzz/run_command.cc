// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/run_command.h"

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <streambuf>

#include "cli.h"

namespace zpack::testing {
namespace {

class NoOutput final : public std::streambuf {
  int overflow(int c) override { return c == EOF ? 0 : c; }
  std::streamsize xsputn(const char*, std::streamsize size) override {
    return size;
  }
};

}  // namespace

int RunCommand(const std::vector<std::string>& arguments) {
  std::istringstream in;
  NoOutput nothing;
  std::ostream out(&nothing);
  std::ostringstream err;
  const int code = cli::Run(arguments, {in, out, err, false, {}});
  if (code != cli::kDone && code != cli::kNo && code != cli::kFailed) {
    std::fprintf(stderr, "exit code %d: %s\n", code, err.str().c_str());
    std::abort();
  }
  return code;
}

}  // namespace zpack::testing
