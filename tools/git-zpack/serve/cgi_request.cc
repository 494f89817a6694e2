// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/cgi_request.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "percent_code.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// Returns the value of an environment variable; empty if it is not set.
std::string Variable(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

std::unexpected<Error> Misconfigured(std::string message) {
  return std::unexpected(Error{ErrorCode::kNotFound, std::move(message)});
}

// Sets root and path.
Status ReadPath(CgiRequest& request) {
  request.root = Variable("GIT_PROJECT_ROOT");
  request.path = Variable("PATH_INFO");
  if (!request.root.empty()) {
    if (!request.path.empty()) return {};
    return Misconfigured("GIT_PROJECT_ROOT is set but PATH_INFO is not");
  }
  // The web server has found the path and vouches for it. If it is PATH_INFO
  // below a directory, nothing outside of that directory is served.
  const std::string translated = Variable("PATH_TRANSLATED");
  if (translated.empty()) {
    return Misconfigured(
        "no GIT_PROJECT_ROOT or PATH_TRANSLATED from the web server");
  }
  if (request.path.empty() || !translated.ends_with(request.path)) {
    request.path = translated;
  }
  request.root = translated.substr(0, translated.size() - request.path.size());
  if (request.root.empty()) request.root = "/";
  return {};
}

Status ReadContentLength(CgiRequest& request) {
  const std::string text = Variable("CONTENT_LENGTH");
  if (text.empty()) return {};
  uint64_t length = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, length);
  if (error != std::errc() || end != last) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              fmt::format("invalid CONTENT_LENGTH '{}'",
                          QuoteName(text, kMaxNameInMessage))});
  }
  request.content_length = length;
  return {};
}

ContentEncoding ReadEncoding() {
  const std::string name = Variable("HTTP_CONTENT_ENCODING");
  if (name.empty() || name == "identity") return ContentEncoding::kNone;
  if (name == "gzip" || name == "x-gzip") return ContentEncoding::kGzip;
  return ContentEncoding::kUnknown;
}

}  // namespace

std::optional<std::string> QueryParameter(std::string_view query,
                                          std::string_view name) {
  std::optional<std::string> found;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view part = query.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    if (PercentDecode(part.substr(0, equals), Plus::kSpace) == name) {
      found = PercentDecode(part.substr(std::min(equals + 1, part.size())),
                            Plus::kSpace);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return found;
}

Result<CgiRequest> ReadCgiRequest() {
  CgiRequest request;
  request.method = Variable("REQUEST_METHOD");
  if (request.method.empty()) {
    return Misconfigured("no REQUEST_METHOD from the web server");
  }
  if (const Status path = ReadPath(request); !path) {
    return std::unexpected(path.error());
  }
  if (const Status length = ReadContentLength(request); !length) {
    return std::unexpected(length.error());
  }
  request.service = QueryParameter(Variable("QUERY_STRING"), "service");
  request.content_type = Variable("CONTENT_TYPE");
  request.encoding = ReadEncoding();
  // GIT_PROTOCOL is the administrator's and goes first, as with Git.
  request.protocol = ParseServeProtocol(
      Variable(getenv("GIT_PROTOCOL") != nullptr ? "GIT_PROTOCOL"
                                                 : "HTTP_GIT_PROTOCOL"));
  return request;
}

}  // namespace zpack::cli
