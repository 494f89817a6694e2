// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <ostream>
#include <string>

#include "common_options.h"
#include "report_json.h"
#include "report_page.h"
#include "report_text.h"
#include "zpack/report.h"

namespace zpack::cli {
namespace report_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()(
      "html", po::value<std::string>()->value_name("<file>"),
      "also write the report as a page of HTML, which replaces <file>");
  AddDiscoveryOption(options);
  AddDownloadOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  const std::string path = Text(values, "repository-or-file");
  ReportOptions options;
  options.run = context.run();
  options.read = read.options();
  options.discovery = DiscoveryOf(values);
  const auto report = CollectReport(path, options);
  if (!report) return Fail(io, report.error());
  if (Has(values, "html")) {
    const Status written =
        WriteReportPage(ReportJson(*report), Text(values, "html"));
    if (!written) return Fail(io, written.error());
  }
  if (Has(values, "json")) {
    PrintJson(ReportJson(*report), io.out);
  } else if (!Has(values, "html")) {
    PrintReport(*report, io.out);
  }
  return kDone;
}

}  // namespace
}  // namespace report_command

const Command kReportCommand = {
    "report",
    "Show where the bytes of a repository or of a .zpack file are",
    "[<options>] <repository-or-file>",
    {"repository-or-file"},
    0,
    LastArgument::kOnce,
    {},
    true,
    report_command::AddOptions,
    report_command::Run};

}  // namespace zpack::cli
