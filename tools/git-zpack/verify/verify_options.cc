// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "git_environment.h"
#include "output_file.h"
#include "zpack/quote.h"

namespace zpack::cli {

std::string RepositoryToCompare(const po::variables_map& values) {
  if (!Has(values, "against")) {
    for (const char* const option :
         {"discover", "allow-newer", "read-source"}) {
      if (!Has(values, option)) continue;
      throw UsageError{fmt::format("option '--{}' needs '--against'", option)};
    }
    return {};
  }
  if (Text(values, "against").empty()) {
    throw UsageError{"option '--against' expects a repository"};
  }
  RefuseOtherRefs();
  RefuseOtherObjects(Text(values, "against"), DiscoveryOf(values));
  return Text(values, "against");
}

std::optional<std::string> ReportPath(const po::variables_map& values,
                                      const std::vector<InputFile>& files,
                                      const ReadOptions& options) {
  if (!Has(values, "output")) return std::nullopt;
  std::string output = Text(values, "output");
  std::error_code ignored;
  const auto target = std::filesystem::weakly_canonical(output, ignored);
  std::vector<std::string> inputs;
  for (const InputFile& file : files) inputs.push_back(file.path);
  if (output.empty() || output.ends_with(".zpack") ||
      target.extension() == ".zpack" || !CheckOutput(output, inputs, options)) {
    throw UsageError{
        fmt::format("option '--output' expects a file for the report, not '{}'",
                    QuoteName(output, kMaxNameInMessage))};
  }
  return output;
}

std::string PathOfOutput(const po::variables_map& values) {
  std::string output = Text(values, "output");
  if (Has(values, "output") && (output.empty() || output == "-")) {
    throw UsageError{"option '--output' expects a path"};
  }
  return output;
}

}  // namespace zpack::cli
