// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The answer of a CGI program to a web server (RFC 3875), with the headers of
// git-http-backend(1).

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "zpack/serve.h"

namespace zpack::cli {

// A request that is answered with an error instead of data.
struct HttpError {
  int status;  // for example 404
  // For the log of the web server.
  std::string reason;
  // Further headers, each with CR and LF at its end.
  std::string headers = {};
  std::string body = {};
};

// Returns the header and the body of the answer.
std::string Format(const HttpError& error);

// Returns the header of an answer with data of this type.
std::string SuccessHeader(std::string_view content_type);

// Writes a text before the first bytes.
class PrefixedOutput : public ServeOutput {
 public:
  // `output` must outlive this object.
  PrefixedOutput(ServeOutput& output, std::string prefix)
      : output_(output), prefix_(std::move(prefix)) {}

  Status Write(std::span<const uint8_t> bytes) override;

  // Writes the prefix if nothing has been written yet.
  Status Begin();
  // Whether the prefix has been written, or at least a part of it.
  bool begun() const { return begun_; }

 private:
  ServeOutput& output_;
  std::string prefix_;
  bool begun_ = false;
};

}  // namespace zpack::cli
