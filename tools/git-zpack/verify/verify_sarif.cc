// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Static Analysis Results Interchange Format (SARIF) 2.1.0, an OASIS standard.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "common_options.h"
#include "percent_code.h"
#include "verify/verify_findings.h"
#include "zpack/quote.h"
#include "zpack/version.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

// A relative reference stays one; an absolute path becomes a URI; a URL stays.
std::string FileUri(const std::string& file) {
  if (file.starts_with("http://") || file.starts_with("https://")) {
    return QuoteName(file);
  }
  const std::string path = PercentEncode(file);
  return path.starts_with('/') ? "file://" + path : path;
}

Json Rule(std::string_view id, std::string_view text) {
  return {{"id", id}, {"shortDescription", {{"text", text}}}};
}

Json Tool() {
  return {
      {"driver",
       {{"name", "git-zpack verify"},
        {"version", LibraryVersion()},
        {"rules",
         {Rule("damage", "Bytes of the file are damaged"),
          Rule("missing", "The repository has something that the file lacks"),
          Rule("extra", "The file has something that the repository lacks"),
          Rule("different", "File and expectation differ")}}}}};
}

// Everything of a log but the results.
Json Log(Json invocation, Json results) {
  Json run = {{"tool", Tool()},
              {"invocations", Json::array({std::move(invocation)})},
              {"results", std::move(results)}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

Json Location(const std::string& file, std::optional<uint64_t> offset) {
  Json physical = {{"artifactLocation", {{"uri", FileUri(file)}}}};
  if (offset) {
    // GitHub shows no result without a line.
    physical["region"] = {{"byteOffset", *offset}, {"startLine", 1}};
  }
  return {{"physicalLocation", std::move(physical)}};
}

void AddResults(const VerifyFindings& findings, Json& results) {
  for (uint64_t i = 0; i < ListedCount(findings); ++i) {
    const Finding& finding = findings.list[i];
    Json result = {
        {"ruleId", finding.rule},
        {"level", "error"},
        {"message", {{"text", EscapeUnprintable(finding.message)}}},
        {"locations", Json::array({Location(findings.file, finding.offset)})}};
    if (finding.objects > 1) {
      result["properties"] = {{"objects", finding.objects}};
    }
    results.push_back(std::move(result));
  }
}

void AddNotifications(const VerifyFindings& findings, Json& notifications) {
  if (findings.failure) {
    const Error& error = *findings.failure;
    notifications.push_back(
        {{"level", "error"},
         {"message", {{"text", EscapeUnprintable(error.message)}}},
         {"locations", Json::array({Location(findings.file, error.offset)})}});
    return;
  }
  for (const std::string& text :
       {VerifySummary(findings), ParitySummary(findings.report),
        UnlistedText(findings)}) {
    if (text.empty()) continue;
    notifications.push_back({{"level", "note"}, {"message", {{"text", text}}}});
  }
}

}  // namespace

void PrintVerifySarif(const std::vector<VerifyFindings>& files,
                      std::ostream& out) {
  Json results = Json::array();
  Json notifications = Json::array();
  int code = kDone;
  for (const VerifyFindings& findings : files) {
    AddResults(findings, results);
    AddNotifications(findings, notifications);
    code = std::max(code, findings.exit_code());
  }
  PrintJson(Log({{"executionSuccessful", code != kFailed},
                 {"exitCode", code},
                 {"toolExecutionNotifications", std::move(notifications)}},
                std::move(results)),
            out);
}

}  // namespace zpack::cli
