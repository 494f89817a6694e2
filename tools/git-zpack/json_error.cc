// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "json_error.h"

#include <ostream>
#include <utility>

#include "common_options.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json ErrorToJson(const Error& error) {
  Json json = {{"code", ErrorCodeName(error.code)}, {"message", error.message}};
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
