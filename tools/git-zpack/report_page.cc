// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report_page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <system_error>

#include "report_page_parts.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

std::unexpected<Error> Failed(std::string_view action, const std::string& path,
                              int code) {
  return std::unexpected(Error{
      .code = ErrorCode::kIo,
      .message = fmt::format("cannot {} '{}': {}", action, QuoteName(path),
                             std::generic_category().message(code)),
      .path = path});
}

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

std::string ReportPage(const nlohmann::ordered_json& report) {
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

Status WriteReportPage(const nlohmann::ordered_json& report,
                       const std::string& path) {
  if (std::string_view(kPageLibraries).empty()) {
    return std::unexpected(
        Error{.code = ErrorCode::kUnsupported,
              .message = "this git-zpack was built without pages of HTML: npm "
                         "did not provide the library for plots"});
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    errno = 0;
    out << ReportPage(report);
    out.close();
    if (!out) {
      const int code = errno;
      std::remove(temporary.c_str());
      return Failed("write", temporary, code);
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = errno;
    std::remove(temporary.c_str());
    return Failed("create", path, code);
  }
  return {};
}

}  // namespace zpack::cli
