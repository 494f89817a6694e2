// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain_parts.h"
#include "common_options.h"
#include "counted.h"
#include "report/report_json.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// Maximum numbers of rows in the text output. JSON has all of them.
constexpr size_t kRowsShown = 15;
constexpr size_t kMonths = 24;

template <typename T>
std::span<const T> First(const std::vector<T>& rows,
                         size_t count = kRowsShown) {
  return std::span(rows).first(std::min(count, rows.size()));
}

std::string SumText(const RepositoryReport::Sum& sum) {
  return fmt::format("{:9} {:15} {:13}", sum.objects, sum.content_bytes,
                     sum.stored_bytes);
}

std::string CommitText(const RepositoryReport& report,
                       const std::optional<uint32_t>& index) {
  if (!index) return "";
  const auto& commit = report.commits[*index];
  return fmt::format("{} {} {}", commit.id.ToHex().substr(0, 12),
                     DayText(commit.time),
                     QuoteName(commit.subject, kMaxNameInTable));
}

void PrintHead(const RepositoryReport& report, std::ostream& out) {
  out << fmt::format("{}: {}\n", report.is_file ? "file" : "repository",
                     QuoteName(report.path));
  if (report.is_file) {
    out << fmt::format("file size {}{}\n", report.file_bytes,
                       report.below.empty()
                           ? ""
                           : ", with the files that it depends on")
        << PartsText("depends on ", report.below);
  } else {
    out << fmt::format(
        "count: {}\nsize: {}\nin-pack: {}\npacks: {}\n"
        "size-pack: {}\n",
        report.counts.loose, report.counts.loose_kib, report.counts.packed,
        report.counts.packs, report.counts.packs_kib);
  }
  if (report.lost_objects != 0) out << LostText(report.lost_objects) << '\n';
  out << fmt::format("{}, {} in the history\n", Counted(report.refs, "ref"),
                     Counted(report.history_commits, "commit"));
  out << "\ntype          objects         content        stored\n";
  for (const auto& type : report.types) {
    out << fmt::format("{:11} {}\n", ObjectTypeName(type.type),
                       SumText(type.sum));
  }
  if (report.unreachable.objects != 0) {
    out << fmt::format("unreachable {}\n", SumText(report.unreachable));
  }
}

void PrintDirectories(const RepositoryReport& report, std::ostream& out) {
  // The directories at the top and those below them.
  std::vector<std::pair<std::string, const RepositoryReport::Directory*>> rows;
  for (size_t i = 1; i < report.directories.size(); ++i) {
    const auto& directory = report.directories[i];
    if (directory.rest) continue;
    if (directory.parent == 0) {
      rows.emplace_back(QuoteName(directory.name, kMaxNameInTable), &directory);
    } else if (report.directories[directory.parent].parent == 0) {
      const std::string path =
          report.directories[directory.parent].name + '/' + directory.name;
      rows.emplace_back(QuoteName(path, kMaxNameInTable), &directory);
    }
  }
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) {
    return row.second->sum.stored_bytes;
  });
  out << "\ndirectories and files, their contents included\n"
         "    files     blobs         content        stored  path\n";
  for (const auto& [name, directory] : First(rows, 2 * kRowsShown)) {
    out << fmt::format("{:9} {}  {}\n", directory->files,
                       SumText(directory->sum), name);
  }
}

void PrintFiles(std::string_view title, const RepositoryReport& report,
                const std::vector<RepositoryReport::File>& files,
                std::ostream& out) {
  out << fmt::format(
      "\n{}\n versions         content        stored  path, first and last "
      "commit\n",
      title);
  for (const auto& file : First(files)) {
    out << fmt::format("{}  {}\n", SumText(file.sum),
                       QuoteName(file.path, kMaxNameInTable));
    out << fmt::format("{:41}{}\n", "", CommitText(report, file.first_commit));
    out << fmt::format("{:41}{}\n", "", CommitText(report, file.last_commit));
  }
}

void PrintBlobs(const RepositoryReport& report, std::ostream& out) {
  out << "\nextension         blobs         content        stored\n";
  for (const auto& extension : First(report.extensions)) {
    out << fmt::format("{:13} {}\n",
                       extension.extension.empty()
                           ? "(none)"
                           : QuoteName(extension.extension, kMaxNameInTable),
                       SumText(extension.sum));
  }
  out << "\nlargest blobs\n        content        stored  blob, path, commit "
         "that brought it\n";
  for (const auto& blob : First(report.largest_blobs)) {
    out << fmt::format("{:15} {:13}  {} {}\n", blob.content_bytes,
                       blob.stored_bytes, blob.id.ToHex().substr(0, 12),
                       QuoteName(blob.path, kMaxNameInTable));
    out << fmt::format("{:31}{}\n", "", CommitText(report, blob.commit));
  }
  PrintFiles("files with the most stored bytes", report, report.largest_files,
             out);
  PrintFiles("files with the most versions", report, report.longest_histories,
             out);
}

void PrintMonths(const RepositoryReport& report, std::ostream& out) {
  out << "\nmonth     commits   objects         content        stored\n";
  const size_t skipped =
      report.months.size() - std::min(kMonths, report.months.size());
  for (const auto& month : std::span(report.months).subspan(skipped)) {
    out << fmt::format("{:04}-{:02} {:9} {}\n", month.year, month.month,
                       month.commits, SumText(month.sum));
  }
  if (skipped != 0) {
    out << fmt::format("({} earlier months: --json or --html)\n", skipped);
  }
}

void PrintDistribution(std::string_view title,
                       const FileStatistics::Histogram& histogram,
                       std::ostream& out) {
  out << fmt::format("\n{}\n  median {}, 99 % up to {}, maximum {}\n", title,
                     histogram.median, histogram.p99, histogram.maximum);
}

void PrintAdvice(const RepositoryReport& report, std::ostream& out) {
  out << "\ndoes not compress\n"
         "    files     blobs         content        stored  reason, "
         "examples\n";
  for (const auto& row : report.incompressible) {
    out << fmt::format("{:9} {}  {} ({}, {:.2f} bits per byte)\n", row.files,
                       SumText(row.sum), row.reason, row.kind, row.entropy);
    for (const std::string& path : row.examples) {
      out << fmt::format("{:51}{}\n", "", QuoteName(path, kMaxNameInTable));
    }
  }
  if (report.incompressible.empty()) out << "  nothing that was sampled\n";
  out << "\nadvice\n";
  for (const auto& advice : report.advice) {
    out << fmt::format("  {} ({})\n", AdviceText(advice),
                       Counted(advice.bytes, "byte"));
  }
  if (report.advice.empty()) out << "  none\n";
}

}  // namespace

void PrintReport(const RepositoryReport& report, std::ostream& out) {
  PrintHead(report, out);
  PrintDirectories(report, out);
  PrintBlobs(report, out);
  PrintMonths(report, out);
  PrintDistribution("deltas between a blob and one that is whole",
                    report.chain_lengths, out);
  PrintDistribution(
      report.is_file
          ? "bytes of block data decoded for a blob, less its own size"
          : "stored bytes read for a blob, its bases included",
      report.read_costs, out);
  PrintAdvice(report, out);
}

}  // namespace zpack::cli
