// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stop_token>
#include <string>
#include <vector>

#include "cli.h"
#include "exec/remote_helper.h"
#include "standard_streams.h"
#include "zpack/process.h"

int main(int argc, char** argv) {
  zpack::cli::OpenStandardStreams();
  zpack::cli::RestoreSigpipe();
  zpack::OwnLibraries();
  // A file that grows beyond RLIMIT_FSIZE is an error of write(2).
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return zpack::cli::RunRemoteHelper(
        arguments, {std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) == 1,
                    std::stop_token()});
  } catch (const std::exception&) {
    std::fputs("fatal: out of memory\n", stderr);
  }
  return zpack::cli::kFailed;
}
