// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report_json.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "chain_parts.h"
#include "common_options.h"
#include "report/statistics_printer.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;
using Advice = RepositoryReport::Advice;

// Times from 1970 to 2100 have a date; others are damaged.
constexpr int64_t kTimeLimit = 4102444800;

void SetSum(Json& json, const RepositoryReport::Sum& sum) {
  json["objects"] = sum.objects;
  json["content_bytes"] = sum.content_bytes;
  json["stored_bytes"] = sum.stored_bytes;
}

Json CommitIndex(const std::optional<uint32_t>& index) {
  return index ? Json(*index) : Json(nullptr);
}

Json DirectoriesJson(const RepositoryReport& report) {
  Json rows = Json::array();
  for (const auto& directory : report.directories) {
    Json row = Json::object();
    SetBytes(row, "name", directory.name);
    row["parent"] = directory.parent;
    row["rest"] = directory.rest;
    row["files"] = directory.files;
    SetSum(row, directory.sum);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json FilesJson(const std::vector<RepositoryReport::File>& files) {
  Json rows = Json::array();
  for (const auto& file : files) {
    Json row = Json::object();
    SetBytes(row, "path", file.path);
    SetSum(row, file.sum);
    row["first_commit"] = CommitIndex(file.first_commit);
    row["last_commit"] = CommitIndex(file.last_commit);
    rows.push_back(std::move(row));
  }
  return rows;
}

void SetLists(Json& json, const RepositoryReport& report) {
  Json extensions = Json::array();
  for (const auto& extension : report.extensions) {
    Json row = Json::object();
    SetBytes(row, "extension", extension.extension);
    SetSum(row, extension.sum);
    extensions.push_back(std::move(row));
  }
  json["extensions"] = std::move(extensions);
  Json blobs = Json::array();
  for (const auto& blob : report.largest_blobs) {
    Json row = {{"id", blob.id.ToHex()}};
    SetBytes(row, "path", blob.path);
    row["content_bytes"] = blob.content_bytes;
    row["stored_bytes"] = blob.stored_bytes;
    row["commit"] = CommitIndex(blob.commit);
    blobs.push_back(std::move(row));
  }
  json["largest_blobs"] = std::move(blobs);
  json["largest_files"] = FilesJson(report.largest_files);
  json["longest_histories"] = FilesJson(report.longest_histories);
  Json commits = Json::array();
  for (const auto& commit : report.commits) {
    Json row = {{"id", commit.id.ToHex()}, {"date", DayText(commit.time)}};
    SetBytes(row, "subject", commit.subject);
    commits.push_back(std::move(row));
  }
  json["commits"] = std::move(commits);
}

Json MonthsJson(const RepositoryReport& report) {
  Json rows = Json::array();
  for (const auto& month : report.months) {
    Json row = {{"month", fmt::format("{:04}-{:02}", month.year, month.month)},
                {"commits", month.commits}};
    SetSum(row, month.sum);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json IncompressibleJson(const RepositoryReport& report) {
  Json rows = Json::array();
  for (const auto& reason : report.incompressible) {
    Json row = {{"reason", reason.reason},
                {"kind", reason.kind},
                {"files", reason.files}};
    SetSum(row, reason.sum);
    row["entropy"] = reason.entropy;
    Json examples = Json::array();
    for (const std::string& path : reason.examples) {
      Json example = Json::object();
      SetBytes(example, "path", path);
      examples.push_back(std::move(example));
    }
    row["examples"] = std::move(examples);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string_view AdviceName(Advice advice) {
  switch (advice) {
    case Advice::kUseLfs:
      return "use-lfs";
    case Advice::kUnvendor:
      return "unvendor";
    case Advice::kNoDelta:
      return "no-delta";
    case Advice::kRepack:
      return "repack";
    case Advice::kUnreachable:
      break;
  }
  return "unreachable";
}

Json AdviceJson(const RepositoryReport& report) {
  Json rows = Json::array();
  for (const auto& advice : report.advice) {
    Json row = {{"advice", AdviceName(advice.advice)}};
    SetBytes(row, "subject", advice.subject);
    row["objects"] = advice.objects;
    row["stored_bytes"] = advice.bytes;
    row["text"] = AdviceText(advice);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string AdviceText(const RepositoryReport::Recommendation& advice) {
  const std::string subject = QuoteName(advice.subject);
  switch (advice.advice) {
    case Advice::kUseLfs:
      return fmt::format("'{}' does not compress: keep it in Git LFS", subject);
    case Advice::kUnvendor:
      return fmt::format(
          "'{}' is an archive: fetch it when building, or unpack it", subject);
    case Advice::kNoDelta:
      return fmt::format(
          "'*.{}' does not compress: add '*.{} -delta' to .gitattributes",
          subject, subject);
    case Advice::kRepack:
      return fmt::format(
          "{} stored whole although the path has another version: run 'git "
          "zpack repack -a -d -F'",
          advice.objects == 1 ? "1 blob is"
                              : fmt::format("{} blobs are", advice.objects));
    case Advice::kUnreachable:
      break;
  }
  return fmt::format("{} not reachable: run 'git gc' to remove {}",
                     advice.objects == 1
                         ? "1 object is"
                         : fmt::format("{} objects are", advice.objects),
                     advice.objects == 1 ? "it" : "them");
}

std::string DayText(int64_t time) {
  if (time < 0 || time >= kTimeLimit) return "unknown";
  const std::chrono::sys_seconds point{std::chrono::seconds(time)};
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(point)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

Json ReportJson(const RepositoryReport& report) {
  Json json = {{"source", report.is_file ? "file" : "repository"}};
  SetBytes(json, "path", report.path);
  if (report.is_file) {
    json["file_bytes"] = report.file_bytes;
    json["depends_on"] = PartsToJson(report.below);
  } else {
    json["count_objects"] = {{"count", report.counts.loose},
                             {"size", report.counts.loose_kib},
                             {"in-pack", report.counts.packed},
                             {"packs", report.counts.packs},
                             {"size-pack", report.counts.packs_kib}};
  }
  json["lost_objects"] = report.lost_objects;
  json["refs"] = report.refs;
  json["history_commits"] = report.history_commits;
  Json types = Json::object();
  for (const auto& type : report.types) {
    SetSum(types[std::string(ObjectTypeName(type.type))], type.sum);
  }
  json["types"] = std::move(types);
  SetSum(json["unreachable"], report.unreachable);
  json["directories"] = DirectoriesJson(report);
  SetLists(json, report);
  json["months"] = MonthsJson(report);
  json["incompressible"] = IncompressibleJson(report);
  json["chain_lengths"] = HistogramJson(report.chain_lengths);
  json["read_costs"] = HistogramJson(report.read_costs);
  json["advice"] = AdviceJson(report);
  if (report.statistics)
    json["statistics"] = StatisticsJson(*report.statistics);
  json["phases"] = PhasesToJson(report.phases);
  json["peak_rss_bytes"] = PeakResidentBytes();
  return json;
}

}  // namespace zpack::cli
