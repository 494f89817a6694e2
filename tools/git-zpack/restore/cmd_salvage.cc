// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <utility>

#include "common_options.h"
#include "restore/restore_options.h"
#include "restore/salvage_report.h"
#include "zpack/salvage.h"

namespace zpack::cli {
namespace salvage_command {
namespace {

void AddOptions(po::options_description& options) {
  AddRestoreOptions(options);
  options.add_options()("object-format",
                        po::value<std::string>()->value_name("<format>"),
                        "sha1 (default) or sha256, if nothing undamaged tells");
  AddJsonOption(options);
}

ObjectFormat ParseObjectFormat(const std::string& text) {
  constexpr auto kSha1 = ObjectFormat::kSha1;
  constexpr auto kSha256 = ObjectFormat::kSha256;
  return NamedValue("object format", text,
                    std::array{std::pair(ObjectFormatName(kSha1), kSha1),
                               std::pair(ObjectFormatName(kSha256), kSha256)});
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  SalvageOptions options;
  options.restore = RestoreOptionsOf(values, context.run(), read.options());
  if (Has(values, "object-format")) {
    options.fallback_format = ParseObjectFormat(Text(values, "object-format"));
  }
  return RunSalvage(values, context, options, io);
}

}  // namespace
}  // namespace salvage_command

const Command kSalvageCommand = {
    "salvage",
    "Bring back what a damaged .zpack file still holds",
    "[--force] [--trust] [--ref-format <format>] [--object-format <format>] "
    "[--download] [<options>] <file> <directory>",
    {"file", "directory"},
    0,
    LastArgument::kOnce,
    {},
    true,
    salvage_command::AddOptions,
    salvage_command::Run};

}  // namespace zpack::cli
