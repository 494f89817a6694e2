// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A request as a web server hands it to a CGI program (RFC 3875): in the
// environment.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack::cli {

enum class ContentEncoding : uint8_t { kNone, kGzip, kUnknown };

struct CgiRequest {
  std::string method;                  // HEAD, GET, POST, ...
  std::string root;                    // the directory that is served
  std::string path;                    // the part of the URL below `root`
  std::optional<std::string> service;  // of the query
  std::string content_type;
  ContentEncoding encoding = ContentEncoding::kNone;
  // Not known if the client sends the body in chunks.
  std::optional<uint64_t> content_length;
  ServeProtocol protocol = ServeProtocol::kV0;
};

// Reads the request from the environment of this process.
//
// Errors: kNotFound if the web server is not configured as it should be;
// kInvalidArgument if the request is malformed.
Result<CgiRequest> ReadCgiRequest();

// Returns the value of a parameter in the query of a URL. If the parameter is
// repeated, the last value counts, as with Git.
std::optional<std::string> QueryParameter(std::string_view query,
                                          std::string_view name);

}  // namespace zpack::cli
