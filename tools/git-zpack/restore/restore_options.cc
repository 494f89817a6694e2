// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/restore_options.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cli.h"

namespace zpack::cli {
namespace {

RefStorage ParseRefFormat(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, RefStorage>, 2> kFormats = {
      {{"files", RefStorage::kFiles}, {"reftable", RefStorage::kReftable}}};
  return NamedValue("ref storage format", text, kFormats);
}

}  // namespace

void AddRestoreOptions(po::options_description& options) {
  options.add_options()("force,f", "replace an existing bare repository")(
      "trust", "let Git use the hooks, settings and other files of the file")(
      "ref-format", po::value<std::string>()->value_name("<format>"),
      "how the repository stores refs: files (default) or reftable");
  AddWithoutOption(options);
  AddReadingOptions(options);
  AddRunOptions(options);
  AddMemoryOption(options);
}

RestoreOptions RestoreOptionsOf(const po::variables_map& values,
                                const RunOptions& run,
                                const ReadOptions& read) {
  if (Text(values, "directory") == "-") {
    throw UsageError{
        "cannot restore to standard output; './-' is a directory called '-'"};
  }
  RestoreOptions options;
  options.run = run;
  options.read = read;
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  if (Has(values, "trust")) options.trust = Trust::kYes;
  options.without_files = WithoutOf(values);
  if (Has(values, "ref-format")) {
    options.ref_storage = ParseRefFormat(Text(values, "ref-format"));
  }
  return options;
}

}  // namespace zpack::cli
