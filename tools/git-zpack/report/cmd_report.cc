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
#include "convert/profile_sizes.h"
#include "output_file.h"
#include "report/report_json.h"
#include "report/report_page.h"
#include "report/report_text.h"
#include "several_files.h"
#include "zpack/quote.h"
#include "zpack/report.h"

namespace zpack::cli {
namespace report_command {
namespace {

constexpr const char* kArgument = "repository-or-file";

void AddOptions(po::options_description& options) {
  options.add_options()(
      "html", po::value<std::string>()->value_name("<file>"),
      "also write the report as a page of HTML; an older page is replaced")(
      "force,f", "with --html, replace any other file as well")(
      "profiles",
      "also convert the repository with each profile, to tell the size of the "
      "file");
  AddDiscoveryOption(options);
  AddReadingOptions(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

int WritePage(const nlohmann::ordered_json& report, const OutputFile& file,
              const Io& io) {
  const auto page = ReportPage(report);
  if (!page) return Fail(io, page.error());
  return file.Write(io, [&](std::ostream& out) {
    out << *page;
    return kDone;
  });
}

// The bytes of a repository or file on the disk, as far as the report has them.
uint64_t StoredBytes(const RepositoryReport& report) {
  if (report.is_file) return report.file_bytes;
  return (report.counts.loose_kib + report.counts.packs_kib) * 1024;
}

int RunSeveral(const po::variables_map& values, const ReportOptions& options,
               const Io& io) {
  RefuseForSeveralFiles(values, {"html", "profiles"});
  SeveralFiles table(io);
  for (const std::string& path : Texts(values, kArgument)) {
    const auto report = CollectReport(path, options);
    if (!report) {
      table.AddFailure(path, report.error());
      if (table.code() == kInterrupted) return kInterrupted;
      continue;
    }
    FileRow row{.name = path, .bytes = StoredBytes(*report)};
    row.objects = 0;
    row.content_bytes = 0;
    for (const RepositoryReport::PerType& type : report->types) {
      *row.objects += type.sum.objects;
      *row.content_bytes += type.sum.content_bytes;
    }
    table.Add(std::move(row), io.json ? ReportJson(*report) : nullptr, kDone);
  }
  return table.Finish();
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  ReportOptions options;
  options.run = context.run();
  options.read = read.options();
  options.discovery = DiscoveryOf(values);
  const Overwrite overwrite =
      Has(values, "force") ? Overwrite::kYes : Overwrite::kNo;
  if (overwrite == Overwrite::kYes && !Has(values, "html")) {
    throw UsageError{"option '--force' needs '--html'"};
  }
  const std::vector<std::string> paths = Texts(values, kArgument);
  if (paths.size() > 1) return RunSeveral(values, options, io);
  const std::string& path = paths.front();
  RefuseWithStream(values, "html", {"json"});
  std::optional<OutputFile> page;
  if (Has(values, "html")) {
    page.emplace(Text(values, "html"));
    const Status checked =
        CheckReplaceablePage(Text(values, "html"), path, overwrite);
    if (!checked) return Fail(io, checked.error());
    const Status apart =
        CheckOutput(Text(values, "html"), paths, read.options());
    if (!apart) return Fail(io, apart.error());
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
  const bool json = Has(values, "json");
  if (!page && !json) {
    PrintReport(*report, io.out);
    if (profiles) PrintProfileSizes(*profiles, io.out);
    return kDone;
  }
  nlohmann::ordered_json all = ReportJson(*report);
  if (profiles) all["profiles"] = ProfileSizesJson(*profiles);
  if (page) {
    const int code = WritePage(all, *page, io);
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
    "[<options>] <repository-or-file>...",
    {report_command::kArgument},
    0,
    LastArgument::kRepeated,
    {},
    true,
    report_command::AddOptions,
    report_command::Run};

}  // namespace zpack::cli
