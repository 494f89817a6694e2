// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report_page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "report_page_parts.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// JSON in which nothing can end the element of the page that holds it.
std::string ScriptText(const nlohmann::ordered_json& report) {
  const std::string json = report.dump(
      -1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

// Whether the file is empty or begins as every version of the page has begun.
bool IsPage(const std::string& path) {
  constexpr std::string_view kStart = "<!doctype html>";
  constexpr std::string_view kTitle = "<title>git-zpack report</title>";
  constexpr size_t kLongestHead = 4096;
  std::ifstream file(path, std::ios::binary);
  std::string head(kLongestHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  return head.empty() || (head.starts_with(kStart) && head.contains(kTitle));
}

}  // namespace

Result<std::string> ReportPage(const nlohmann::ordered_json& report) {
  if (std::string_view(kPageLibraries).empty()) {
    return std::unexpected(
        Error{.code = ErrorCode::kUnsupported,
              .message = "this git-zpack was built without pages of HTML: npm "
                         "did not provide the library for plots"});
  }
  std::string page;
  page += kPageHead;
  page += kPageStyle;
  page += kPageBody;
  page += ScriptText(report);
  page += kPageLibraries;
  page += kPageScript;
  page += kPageEnd;
  return page;
}

Status CheckReplaceablePage(const std::string& path, const std::string& source,
                            Overwrite overwrite) {
  if (path == "-") return {};
  std::error_code error;
  if (std::filesystem::equivalent(path, source, error)) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidArgument,
              .message = fmt::format(
                  "the page '{}' is what the report is about", QuoteName(path)),
              .path = path});
  }
  if (overwrite == Overwrite::kYes ||
      !std::filesystem::is_regular_file(path, error) || IsPage(path)) {
    return {};
  }
  return std::unexpected(
      Error{.code = ErrorCode::kExists,
            .message = fmt::format("'{}' exists and is not a page of this "
                                   "command; use --force to replace it",
                                   QuoteName(path)),
            .path = path});
}

}  // namespace zpack::cli
