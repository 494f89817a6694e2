// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "several_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "common_options.h"
#include "json_error.h"
#include "standard_input_file.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string NumberText(const std::optional<uint64_t>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

// How many times larger the contents are than the file.
std::string RatioText(const FileRow& row) {
  if (!row.content_bytes || row.bytes.value_or(0) == 0) return "-";
  return fmt::format("{:.1f}x", static_cast<double>(*row.content_bytes) /
                                    static_cast<double>(*row.bytes));
}

void PrintTable(const std::vector<FileRow>& rows, std::ostream& out) {
  size_t width = std::string_view("file").size();
  for (const FileRow& row : rows) width = std::max(width, row.name.size());
  out << fmt::format("{:<{}} {:>11} {:>14} {:>8}  result\n", "file", width,
                     "objects", "bytes", "ratio");
  for (const FileRow& row : rows) {
    out << fmt::format("{:<{}} {:>11} {:>14} {:>8}  {}\n", row.name, width,
                       NumberText(row.objects), NumberText(row.bytes),
                       RatioText(row), row.result);
  }
}

}  // namespace

void SeveralFiles::Add(FileRow row, const Json& json, int code) {
  code_ = std::max(code_, code);
  if (!io_.json) {
    row.name = QuoteName(row.name);
    rows_.push_back(std::move(row));
    return;
  }
  Json with_name = Json::object();
  SetBytes(with_name, "file", row.name);
  with_name.update(json);
  json_.push_back(std::move(with_name));
}

void SeveralFiles::AddFailure(const std::string& name, const Error& error) {
  if (error.code == ErrorCode::kInterrupted) {
    code_ = kInterrupted;
    return;
  }
  io_.err << "error: "
          << EscapeUnprintable(WithStandardInputNamed(error.message)) << '\n';
  Add({.name = name, .result = "failed"}, {{"error", ErrorToJson(error)}},
      kFailed);
}

int SeveralFiles::Finish() const {
  if (io_.json) {
    PrintJson(json_, io_.out);
  } else if (!rows_.empty()) {
    PrintTable(rows_, io_.out);
  }
  return code_;
}

}  // namespace zpack::cli
