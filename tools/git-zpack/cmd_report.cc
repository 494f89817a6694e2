// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common_options.h"
#include "output_file.h"
#include "profile_sizes.h"
#include "report_json.h"
#include "report_page.h"
#include "report_text.h"
#include "zpack/quote.h"
#include "zpack/report.h"

namespace zpack::cli {
namespace report_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()(
      "html", po::value<std::string>()->value_name("<file>"),
      "also write the report as a page of HTML; an older page is replaced")(
      "profiles",
      "also convert the repository with each profile, to tell the size of the "
      "file");
  AddDiscoveryOption(options);
  AddDownloadOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

int WritePage(const nlohmann::ordered_json& report, const std::string& path,
              const Io& io) {
  const auto page = ReportPage(report);
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
  std::optional<std::vector<ProfileSize>> profiles;
  if (Has(values, "profiles")) {
    if (report->is_file) {
      throw UsageError{fmt::format(
          "option '--profiles' needs a repository; '{}' is a .zpack file",
          QuoteName(path))};
    }
    auto sizes = MeasureProfiles(path, options.discovery, options.run);
    if (!sizes) return Fail(io, sizes.error());
    profiles = std::move(*sizes);
  }
  const bool page = Has(values, "html");
  const bool json = Has(values, "json");
  if (!page && !json) {
    PrintReport(*report, io.out);
    if (profiles) PrintProfileSizes(*profiles, io.out);
    return kDone;
  }
  nlohmann::ordered_json all = ReportJson(*report);
  if (profiles) all["profiles"] = ProfileSizesJson(*profiles);
  if (page) {
    const int code = WritePage(all, Text(values, "html"), io);
    if (code != kDone) return code;
  }
  if (json) PrintJson(all, io.out);
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
