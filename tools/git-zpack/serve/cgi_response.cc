// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/cgi_response.h"

#include <fmt/format.h>

#include <array>

namespace zpack::cli {
namespace {

constexpr std::string_view kNoCache =
    "Expires: Fri, 01 Jan 1980 00:00:00 GMT\r\n"
    "Pragma: no-cache\r\n"
    "Cache-Control: no-cache, max-age=0, must-revalidate\r\n";

constexpr std::array<std::pair<int, std::string_view>, 6> kReasons = {
    {{400, "Bad Request"},
     {403, "Forbidden"},
     {404, "Not Found"},
     {405, "Method Not Allowed"},
     {415, "Unsupported Media Type"},
     {500, "Internal Server Error"}}};

std::string_view ReasonPhrase(int status) {
  for (const auto& [code, phrase] : kReasons) {
    if (code == status) return phrase;
  }
  return "Error";
}

}  // namespace

std::string Format(const HttpError& error) {
  std::string text =
      fmt::format("Status: {} {}\r\n{}{}", error.status,
                  ReasonPhrase(error.status), error.headers, kNoCache);
  if (!error.body.empty()) text += "Content-Type: text/plain\r\n";
  return text + "\r\n" + error.body;
}

std::string SuccessHeader(std::string_view content_type) {
  return fmt::format("{}Content-Type: {}\r\n\r\n", kNoCache, content_type);
}

Status PrefixedOutput::Begin() {
  if (begun_) return {};
  begun_ = true;
  return output_.Write(
      {reinterpret_cast<const uint8_t*>(prefix_.data()), prefix_.size()});
}

Status PrefixedOutput::Write(std::span<const uint8_t> bytes) {
  const Status begun = Begin();
  return begun ? output_.Write(bytes) : begun;
}

}  // namespace zpack::cli
