// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <ostream>
#include <string>

#include "common_options.h"
#include "output_file.h"
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
      "also write the report as a page of HTML; an older page is replaced");
  AddDiscoveryOption(options);
  AddDownloadOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

int WritePage(const RepositoryReport& report, const std::string& path,
              const Io& io) {
  const auto page = ReportPage(ReportJson(report));
  if (!page) return Fail(io, page.error());
  return WriteOutputFile(path, io, [&](std::ostream& out) {
    out << *page;
    return kDone;
  });
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  const std::string path = Text(values, "repository-or-file");
  ReportOptions options;
  options.run = context.run();
  options.read = read.options();
  options.discovery = DiscoveryOf(values);
  if (Has(values, "html")) {
    const Status checked = CheckReplaceablePage(Text(values, "html"), path);
    if (!checked) return Fail(io, checked.error());
  }
  const auto report = CollectReport(path, options);
  if (!report) return Fail(io, report.error());
  if (Has(values, "html")) {
    const int code = WritePage(*report, Text(values, "html"), io);
    if (code != kDone) return code;
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
