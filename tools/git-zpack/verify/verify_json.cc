// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "common_options.h"
#include "json_error.h"
#include "verify/verify_findings.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

Json ScopeToJson(const VerifyReport& report) {
  if (!report.scope) return nullptr;
  const VerifyScope& scope = *report.scope;
  Json json = {{"blocks", scope.blocks},
               {"blocks_checked", scope.blocks_checked},
               {"objects_left_out", scope.objects_left_out},
               {"seed", nullptr}};
  if (scope.seed) json["seed"] = *scope.seed;
  return json;
}

Json ParityToJson(const VerifyReport& report) {
  if (!report.parity) return nullptr;
  const ParityState& parity = *report.parity;
  Json json;
  SetBytes(json, "path", parity.path);
  json.update({{"parity_shards", parity.parity_shards},
               {"parity_left", parity.parity_left},
               {"intact", parity.intact},
               {"damaged_shards", parity.damaged_shards},
               {"repair_possible", parity.repair_possible},
               {"repairable_bytes", parity.repairable_bytes}});
  return json;
}

Json StatementToJson(const VerifyFindings& findings) {
  if (!findings.statement) return nullptr;
  const StatementResult& result = *findings.statement;
  Json json;
  SetBytes(json, "path", result.path);
  json.update({{"compared", result.compared},
               {"difference_count", result.differences},
               {"not_checked", result.not_checked}});
  return json;
}

// The first `count` findings are damages.
Json DamagesToJson(const VerifyFindings& findings, uint64_t count) {
  Json rows = Json::array();
  for (uint64_t i = 0; i < count; ++i) {
    const Finding& damage = findings.list[i];
    Json row = {{"message", damage.message}};
    if (damage.offset) row["offset"] = *damage.offset;
    if (!damage.object.empty()) row["object"] = damage.object.ToHex();
    if (damage.objects != 0) row["objects"] = damage.objects;
    rows.push_back(std::move(row));
  }
  return rows;
}

// The findings from `first` on are differences.
Json DifferencesToJson(const VerifyFindings& findings, uint64_t first) {
  Json rows = Json::array();
  for (uint64_t i = first; i < ListedCount(findings); ++i) {
    const Finding& difference = findings.list[i];
    Json row = {{"kind", difference.rule}};
    SetBytes(row, "subject", difference.subject);
    row["message"] = difference.message;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Sets a text, or null if there is none.
void SetOrNull(Json& json, const std::string& key, const std::string& text) {
  json[key] = nullptr;
  if (!text.empty()) SetBytes(json, key, text);
}

}  // namespace

Json VerifyJson(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  Json json = {{"ok", findings.exit_code() == kDone}};
  SetBytes(json, "file", findings.file);
  if (findings.failure) {
    json["error"] = ErrorToJson(*findings.failure);
    return json;
  }
  const uint64_t all_damages = findings.count() - report.differences.size();
  const uint64_t damages = std::min(all_damages, ListedCount(findings));
  SetOrNull(json, "file_hash", report.file_hash);
  SetOrNull(json, "repository", findings.repository);
  SetOrNull(json, "git_directory", report.git_directory);
  json.update({{"level", VerifyLevelName(report.level)},
               {"objects", report.objects},
               {"file_bytes", report.file_bytes},
               {"promised_objects", report.promised_objects},
               {"lost_objects", LossesToJson(report.lost_objects)},
               {"objects_verified", report.objects_verified},
               {"objects_damaged", report.objects_damaged},
               {"bytes_verified", report.bytes_verified},
               {"source_objects_verified", report.source_objects_verified},
               {"files_verified", report.files_verified},
               {"damage_count", report.damages.size()},
               {"difference_count", report.differences.size()},
               {"finding_count", findings.count()},
               {"damages", DamagesToJson(findings, damages)},
               {"differences", DifferencesToJson(findings, damages)},
               {"attestation", StatementToJson(findings)},
               {"scope", ScopeToJson(report)},
               {"parity", ParityToJson(report)},
               {"parity_skipped", report.parity_skipped},
               {"stale_parity", nullptr},
               {"moved_on", MovedOnToJson(report.moved_on)},
               {"not_included", Json(report.left_out)},
               {"missing_alternates",
                MissingAlternatesToJson(report.missing_alternates)},
               {"phases", PhasesToJson(report.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  SetOrNull(json, "stale_parity", report.stale_parity);
  return json;
}

}  // namespace zpack::cli
