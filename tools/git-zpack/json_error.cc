// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "json_error.h"

#include <ostream>
#include <string_view>
#include <utility>

#include "common_options.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kNotDurable:
      return "not-durable";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kAmbiguous:
      return "ambiguous";
    case ErrorCode::kInvalidArgument:
      return "invalid-argument";
    case ErrorCode::kExists:
      return "exists";
    case ErrorCode::kLimitExceeded:
      return "limit-exceeded";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kSourceCorrupt:
      return "source-corrupt";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kGit:
      return "git";
    case ErrorCode::kOutOfMemory:
      return "out-of-memory";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

}  // namespace

Json ErrorToJson(const Error& error) {
  Json json = {{"code", CodeName(error.code)}, {"message", error.message}};
  if (!error.path.empty()) SetBytes(json, "path", error.path);
  if (error.offset) json["offset"] = *error.offset;
  if (!error.object.empty()) json["object"] = error.object.ToHex();
  return json;
}

void PrintJsonError(const Error& error, std::ostream& out) {
  PrintJson({{"error", ErrorToJson(error)}}, out);
}

void PrintJsonUsageError(const std::string& message, std::ostream& out) {
  PrintJson({{"error", {{"code", "usage"}, {"message", message}}}}, out);
}

}  // namespace zpack::cli
