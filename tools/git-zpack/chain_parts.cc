// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "chain_parts.h"

#include <fmt/format.h>

#include <ostream>
#include <ranges>
#include <string_view>
#include <utility>

#include "common_options.h"
#include "counted.h"
#include "output_file.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// True unless a file that `file` depends on is not where it is looked for.
bool IsWholeChainFound(const std::string& file,
                       const std::vector<std::string>& backing) {
  ReadOptions options;
  options.backing = backing;
  const auto opened = ArchiveReader::Open(file, options);
  return opened || opened.error().code != ErrorCode::kNotFound;
}

}  // namespace

std::string PartsText(std::string_view title,
                      const std::vector<FilePart>& parts) {
  std::string text;
  for (const FilePart& part : parts | std::views::reverse) {
    text += fmt::format("{}'{}', {}, {}\n", title, QuoteName(part.path),
                        Counted(part.size, "byte"),
                        Counted(part.object_count, "object"));
  }
  return text;
}

nlohmann::ordered_json PartsToJson(const std::vector<FilePart>& parts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const FilePart& part : parts) {
    nlohmann::ordered_json row = {{"bytes", part.size},
                                  {"objects", part.object_count},
                                  {"file_hash", part.file_hash}};
    SetBytes(row, "path", part.path);
    json.push_back(std::move(row));
  }
  return json;
}

void WarnOfPlace(const std::string& other, const std::string& file,
                 const std::vector<std::string>& backing, std::ostream& err) {
  if (IsWholeChainFound(file, backing)) return;
  err << fmt::format(
      "warning: '{}' is not in the directory of '{}': reading it needs "
      "--backing or ZPACK_BACKING\n",
      QuoteName(file), QuoteName(other));
}

// NOLINTNEXTLINE(readability-identifier-naming)
void validate(boost::any& value, const std::vector<std::string>& /*text*/,
              Times* /*type*/, int /*unused*/) {
  const int before = value.empty() ? 0 : boost::any_cast<Times>(value).count;
  value = Times{before + 1};
}

void AddForceOption(po::options_description& options, const char* help) {
  options.add_options()("force,f",
                        po::value<Times>()->zero_tokens()->composing(), help);
}

void HintAtForce(const po::variables_map& options, const Error& error,
                 const std::string& output, std::ostream& err) {
  HintAtReplacing(options, error, output, err);
  if (error.code != ErrorCode::kExists ||
      DependentsOf(options) == Dependents::kLose ||
      !(Has(options, "force") || Has(options, "update")) ||
      CheckReplaceable(output)) {
    return;
  }
  err << "hint: use --force twice to replace it all the same\n";
}

Dependents DependentsOf(const po::variables_map& options) {
  const bool twice =
      Has(options, "force") && options["force"].as<Times>().count > 1;
  return twice ? Dependents::kLose : Dependents::kKeep;
}

}  // namespace zpack::cli
