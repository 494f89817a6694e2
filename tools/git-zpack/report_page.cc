// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report_page.h"

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

Status CheckReplaceablePage(const std::string& path,
                            const std::string& source) {
  constexpr std::string_view kStart = "<!doctype html>";
  std::error_code error;
  if (std::filesystem::equivalent(path, source, error)) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidArgument,
              .message = fmt::format(
                  "the page '{}' is what the report is about", QuoteName(path)),
              .path = path});
  }
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string start(kStart.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (file.gcount() == 0 || start == kStart) return {};
  return std::unexpected(
      Error{.code = ErrorCode::kExists,
            .message = fmt::format("'{}' exists and is not a page of this "
                                   "command, so it is not replaced",
                                   QuoteName(path)),
            .path = path});
}

}  // namespace zpack::cli
