// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Command lines: arguments are separated by line feeds. They are parsed, and
// run only when they name no command.

#include <boost/program_options.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli.h"
#include "common_options.h"
#include "fuzz/fuzz_target.h"
#include "read/batch_format.h"
#include "read/tree_printer.h"
#include "zpack/quote.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace cli = zpack::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> arguments;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) arguments.push_back(line);
  if (arguments.empty()) return 0;

  const cli::Command* const command = cli::FindCommand(arguments.front());
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const cli::Io io{in, out, err, false, {}};
  if (command == nullptr) {
    (void)cli::Run(arguments, io);
  } else {
    try {
      const auto values = cli::ParseArguments(
          *command, {arguments.begin() + 1, arguments.end()});
      const cli::RunContext context(values, io);
      for (const char* name : {"level", "threads", "block-size"}) {
        if (values.count(name) == 0) continue;
        try {
          (void)cli::Number(values, name, 1, 22, 1);
        } catch (const cli::UsageError&) {
        }
        (void)cli::ParseSize(cli::Text(values, name), name);
      }
    } catch (const cli::UsageError&) {
    } catch (const cli::po::error&) {
    }
  }
  (void)cli::BatchFormat::Parse(text);
  (void)zpack::QuoteName(text);
  (void)zpack::EscapeUnprintable(text);
  (void)cli::FormatTree({data, size}, zpack::ObjectFormat::kSha1);
  return 0;
}
