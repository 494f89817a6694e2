// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <ostream>

#include "common_options.h"
#include "verify_findings.h"

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

// The first `count` damages.
Json DamagesToJson(const VerifyReport& report, uint64_t count) {
  Json rows = Json::array();
  for (uint64_t i = 0; i < count; ++i) {
    const Error& damage = report.damages[i];
    Json row = {{"message", damage.message}};
    if (damage.offset) row["offset"] = *damage.offset;
    if (!damage.object.empty()) row["object"] = damage.object.ToHex();
    rows.push_back(std::move(row));
  }
  return rows;
}

// The first `count` differences.
Json DifferencesToJson(const VerifyReport& report, uint64_t count) {
  Json rows = Json::array();
  for (uint64_t i = 0; i < count; ++i) {
    const Difference& difference = report.differences[i];
    Json row = {{"kind", DifferenceKindName(difference.kind)}};
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

void PrintVerifyJson(const VerifyFindings& findings, std::ostream& out) {
  const VerifyReport& report = findings.report;
  const uint64_t damages =
      std::min<uint64_t>(report.damages.size(), ListedCount(findings));
  Json json = {{"ok", report.ok()}};
  SetBytes(json, "file", findings.file);
  SetOrNull(json, "file_hash", report.file_hash);
  SetOrNull(json, "repository", findings.repository);
  SetOrNull(json, "git_directory", report.git_directory);
  json.update({{"level", VerifyLevelName(report.level)},
               {"objects", report.objects},
               {"promised_objects", report.promised_objects},
               {"objects_verified", report.objects_verified},
               {"objects_damaged", report.objects_damaged},
               {"bytes_verified", report.bytes_verified},
               {"files_verified", report.files_verified},
               {"damage_count", report.damages.size()},
               {"difference_count", report.differences.size()},
               {"damages", DamagesToJson(report, damages)},
               {"differences",
                DifferencesToJson(report, ListedCount(findings) - damages)},
               {"scope", ScopeToJson(report)},
               {"parity", ParityToJson(report)},
               {"moved_on", MovedOnToJson(report.moved_on)},
               {"missing_alternates",
                MissingAlternatesToJson(report.missing_alternates)},
               {"phases", PhasesToJson(report.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  PrintJson(json, out);
}

}  // namespace zpack::cli
