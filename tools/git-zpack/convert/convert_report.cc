// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "common_options.h"
#include "counted.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

// Percent of a file that are compressed at a lower level. From here on, a
// conversion without the older file makes the file 3 to 14 % smaller
// (tools/bench/RESULTS.md, "Updates with another profile").
constexpr uint64_t kWeakerShare = 40;

// "blob <id> is missing, needed by 'a.c' in commit <id>"
std::string Describe(const SourceLoss& loss) {
  const auto& [object, needed_by, damage] = loss;
  std::string text = fmt::format(
      "{} {} is {}", object.type ? ObjectTypeName(*object.type) : "object",
      object.id.ToHex(), damage.empty() ? "missing" : "damaged");
  if (!needed_by.empty()) text += ", needed by " + needed_by;
  if (!damage.empty()) text += ": " + damage;
  return text;
}

Json SourceLossesToJson(const std::vector<SourceLoss>& losses) {
  Json rows = Json::array();
  for (const auto& [object, needed_by, damage] : losses) {
    Json row = LossToJson(object);
    row["needed_by"] = nullptr;
    row["damage"] = nullptr;
    if (!needed_by.empty()) SetBytes(row, "needed_by", needed_by);
    if (!damage.empty()) SetBytes(row, "damage", damage);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json UpdateToJson(const ConvertStats& stats) {
  if (!stats.update) return nullptr;
  switch (*stats.update) {
    case UpdateResult::kCreated:
      return "created";
    case UpdateResult::kUpdated:
      return "updated";
    case UpdateResult::kUnchanged:
      return "unchanged";
  }
  return nullptr;
}

// The path of the file that the new file depends on.
Json OntoToJson(const ConvertOptions& options) {
  if (!options.onto) return nullptr;
  Json json;
  SetBytes(json, "path", *options.onto);
  return json;
}

}  // namespace

ConvertReport::ConvertReport(const ConvertStats& stats,
                             const ConvertOptions& options, Context context)
    : stats_(stats), options_(options), context_(std::move(context)) {
  base_ = options.base;
  if (stats.update && stats.update != UpdateResult::kCreated) {
    base_ = context_.file;
  }
}

bool ConvertReport::IsDryRun() const {
  return options_.publication == Publication::kNo;
}

bool ConvertReport::IsVerified() const {
  return options_.read_back == ReadBack::kYes && stats_.unverified_objects == 0;
}

std::string ConvertReport::Verification() const {
  if (IsVerified()) return ", verified";
  if (options_.read_back == ReadBack::kNo) return ", not verified";
  return fmt::format(", not verified: {} copied from '{}'",
                     Counted(stats_.unverified_objects, "object"),
                     QuoteName(base_.value_or("")));
}

std::string ConvertReport::WhatWasRead() const {
  return fmt::format("{}, {}",
                     IsVerified() ? "every object of the file was hashed"
                                  : "the checksums of the file are right",
                     options_.read_source == ReadSource::kYes
                         ? "every object of the repository was hashed"
                         : "the contents of the repository's objects were not "
                           "read");
}

std::string ConvertReport::Source() const {
  return QuoteName(context_.cloned_from.empty() ? stats_.git_directory
                                                : context_.cloned_from);
}

// What the replaced file had and the new one does not have.
void ConvertReport::WarnOfReplaced(std::ostream& err) const {
  if (stats_.update && stats_.lost.any()) {
    err << fmt::format(
        "warning: {} '{}',{} which had {} that '{}' does not have\n",
        IsDryRun() ? "would replace" : "replaced",
        QuoteName(base_.value_or("")),
        stats_.base_unrelated ? " the file of another repository," : "",
        Describe(stats_.lost), Source());
  }
  if (stats_.drops_parity && context_.parity_bytes == 0) {
    err << fmt::format(
        "warning: not included: the parity of '{}'; add it again with 'git "
        "zpack protect', or next time with --redundancy\n",
        QuoteName(base_.value_or("")));
  }
}

// What the repository has lost.
void ConvertReport::PrintLost(std::ostream& err) const {
  constexpr size_t kMaxLosses = 20;
  const std::vector<SourceLoss>& lost = stats_.lost_objects;
  if (lost.empty()) return;
  for (size_t i = 0; i < std::min(lost.size(), kMaxLosses); ++i) {
    err << fmt::format("error: {}\n", Describe(lost[i]));
  }
  if (lost.size() > kMaxLosses) {
    err << fmt::format("error: {} lost; --json lists all\n",
                       Counted(lost.size() - kMaxLosses, "more object"));
  }
  err << fmt::format(
      "error: '{}' has lost {}; '{}' {} the others\n"
      "hint: take lost objects from another clone, or if you have a copy of a "
      "file, 'git hash-object -w'; then run it again with --update\n",
      Source(), Counted(lost.size(), "object"), QuoteName(context_.file),
      IsDryRun() ? "would have" : "has");
}

// Files of the repository that could not be read.
void ConvertReport::PrintDamaged(std::ostream& err) const {
  for (const std::string& what : stats_.damaged_files) {
    err << fmt::format("warning: skipped: {}\n", what);
  }
}

void ConvertReport::PrintWarnings(bool quiet, std::ostream& err) const {
  WarnOfMissingAlternates(stats_.missing_alternates, err);
  WarnOfReplaced(err);
  PrintDamaged(err);
  PrintLost(err);
  if (quiet) return;
  if (stats_.moved_on.any()) {
    err << fmt::format("warning: the source moved on: {}, not included\n",
                       Describe(stats_.moved_on));
  }
  for (const std::string& what : stats_.left_out) {
    err << fmt::format("warning: not included: {}\n", what);
  }
  if (!stats_.resume_unused.empty()) {
    err << fmt::format(
        "warning: cannot resume, started from the beginning: {}\n",
        stats_.resume_unused);
  }
  if (!stats_.base_unused.empty()) {
    err << fmt::format(
        "warning: cannot use '{}' as base, converted everything: {}\n",
        QuoteName(base_.value_or("")), stats_.base_unused);
  }
}

// How much came from the older file, and whether that costs much.
void ConvertReport::PrintBase(std::ostream& err) const {
  const uint64_t blocks = stats_.file_size - stats_.index_bytes();
  err << fmt::format("{} {} in {}{}, {} {} in {}.\n",
                     IsDryRun() ? "Would copy" : "Copied",
                     Counted(stats_.objects() - stats_.added.objects, "object"),
                     HumanSize(blocks - stats_.added.bytes),
                     options_.read_source == ReadSource::kYes
                         ? ""
                         : " (not read from the repository)",
                     IsDryRun() ? "add" : "added", stats_.added.objects,
                     HumanSize(stats_.added.bytes));
  const uint64_t share = stats_.reused.weaker_bytes * 100 / stats_.file_size;
  if (share >= kWeakerShare) {
    err << fmt::format(
        "hint: about {} % of the file stay compressed at a lower level; a "
        "conversion with --force instead of --update makes the file smaller\n",
        share);
  }
}

// Whether the work of an interrupted run was of use. If its file could not be
// used, a warning has said so.
void ConvertReport::PrintResumed(std::ostream& err) const {
  if (options_.resume == Resume::kNo || !stats_.resume_unused.empty()) return;
  if (stats_.resumed_blocks == 0) {
    err << "There was nothing to resume.\n";
    return;
  }
  err << fmt::format("Resumed: {} in {} were there from the interrupted run.\n",
                     Counted(stats_.resumed_blocks, "block"),
                     HumanSize(stats_.resumed_bytes));
}

void ConvertReport::PrintSummary(std::ostream& err) const {
  const std::string contents =
      fmt::format("{}{}", Counted(stats_.objects(), "object"),
                  RefsAndFiles(stats_.refs, stats_.files));
  if (stats_.update == UpdateResult::kUnchanged && options_.onto) {
    err << fmt::format("Unchanged: '{}' has everything of '{}'.\n",
                       QuoteName(*options_.onto), Source());
  } else if (stats_.update == UpdateResult::kUnchanged) {
    err << fmt::format("Unchanged: '{}' has the {} of '{}'; {}.\n",
                       QuoteName(context_.file), contents, Source(),
                       WhatWasRead());
  } else {
    const std::string parity =
        context_.parity_bytes == 0
            ? ""
            : fmt::format(", {} of it parity",
                          HumanSize(context_.parity_bytes));
    const std::string packs =
        stats_.source_pack_bytes == 0
            ? fmt::format("'{}' has no packs", Source())
            : fmt::format("the packs of '{}' take {}", Source(),
                          HumanSize(stats_.source_pack_bytes));
    err << fmt::format(
        "{} {} to {}{}{}; {}.\n", IsDryRun() ? "Would convert" : "Converted",
        contents, HumanSize(stats_.file_size), parity, Verification(), packs);
    if (options_.onto) {
      err << fmt::format("'{}' holds what '{}' lacks, and depends on it.\n",
                         QuoteName(context_.file), QuoteName(*options_.onto));
    }
    if (base_ && stats_.base_unused.empty()) PrintBase(err);
    PrintResumed(err);
  }
  if (stats_.promised_objects != 0) {
    err << PromisedText(stats_.promised_objects) << ".\n";
  }
}

// Returns null if there was no older file.
Json ConvertReport::BaseToJson() const {
  if (!base_) return nullptr;
  Json unused = nullptr;
  if (!stats_.base_unused.empty()) unused = stats_.base_unused;
  return {{"unused", unused},
          {"unrelated", stats_.base_unrelated},
          {"copied_blocks", stats_.reused.blocks},
          {"copied_bytes", stats_.reused.bytes},
          {"copied_objects", stats_.reused.objects},
          {"renumbered_blocks", stats_.reused.renumbered_blocks},
          {"added_objects", stats_.added.objects},
          {"added_bytes", stats_.added.bytes},
          {"weaker_bytes", stats_.reused.weaker_bytes}};
}

// Returns null if there was no older file.
Json ConvertReport::LostToJson() const {
  if (!base_ && !options_.onto) return nullptr;
  return {{"refs", stats_.lost.refs},
          {"objects", stats_.lost.objects},
          {"lfs_objects", stats_.lost.lfs_objects}};
}

Json ConvertReport::ToJson() const {
  Json types = Json::object();
  for (const auto& type : stats_.types) {
    types[std::string(ObjectTypeName(type.type))] = {
        {"count", type.count},
        {"raw_bytes", type.raw_bytes},
        {"stored_bytes", type.stored_bytes}};
  }
  Json json;
  if (context_.cloned_from.empty()) {
    SetBytes(json, "git_directory", stats_.git_directory);
    json["cloned_from"] = nullptr;
  } else {
    json["git_directory"] = nullptr;
    SetBytes(json, "cloned_from", context_.cloned_from);
  }
  SetBytes(json, "output", context_.file);
  json.update({{"objects", stats_.objects()},
               {"raw_bytes", stats_.raw_bytes()},
               {"types", types},
               {"index_bytes", stats_.index_bytes()},
               {"file_bytes", stats_.file_size},
               {"parity_bytes", context_.parity_bytes},
               {"source_pack_bytes", stats_.source_pack_bytes},
               {"refs", stats_.refs},
               {"promised_objects", stats_.promised_objects},
               {"lost_objects", SourceLossesToJson(stats_.lost_objects)},
               {"damaged_files", Json(stats_.damaged_files)},
               {"files", stats_.files},
               {"content_of_files_bytes", stats_.file_bytes},
               {"update", UpdateToJson(stats_)},
               {"base", BaseToJson()},
               {"onto", OntoToJson(options_)},
               {"lost", LostToJson()},
               {"dry_run", IsDryRun()},
               {"moved_on", MovedOnToJson(stats_.moved_on)},
               {"not_included", Json(stats_.left_out)},
               {"missing_alternates",
                MissingAlternatesToJson(stats_.missing_alternates)},
               {"resumed_blocks", stats_.resumed_blocks},
               {"resumed_bytes", stats_.resumed_bytes},
               {"resume_unused", nullptr},
               {"verified", IsVerified()},
               {"unverified_objects", stats_.unverified_objects},
               {"source_objects_verified", stats_.source_objects_verified},
               {"phases", PhasesToJson(stats_.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  if (!stats_.resume_unused.empty()) {
    json["resume_unused"] = stats_.resume_unused;
  }
  return json;
}

void ConvertReport::PrintAsJson(std::ostream& out) const {
  PrintJson(ToJson(), out);
}

}  // namespace zpack::cli
