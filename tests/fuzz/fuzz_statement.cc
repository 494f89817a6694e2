// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The statement of 'verify --attestation', compared with a file that has
// nothing.

#include <string>

#include "cli.h"
#include "fuzz/fuzz_target.h"
#include "verify/statement.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace cli = zpack::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const cli::Statement statement = cli::Statement::Parse(text, "x");
    zpack::VerifyReport report;
    report.facts.emplace();
    (void)statement.Compare("x.zpack", cli::SourceComparison::kNone, report);
  } catch (const cli::CommandFailure&) {
  }
  return 0;
}
