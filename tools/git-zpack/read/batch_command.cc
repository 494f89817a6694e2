// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/batch_command.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace zpack::cli {
namespace {

constexpr std::array<std::pair<std::string_view, BatchCommand::Kind>, 3>
    kCommands = {{{"contents", BatchCommand::Kind::kContents},
                  {"info", BatchCommand::Kind::kInfo},
                  {"flush", BatchCommand::Kind::kFlush}}};

std::unexpected<Error> Invalid(std::string message) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, std::move(message)});
}

}  // namespace

Result<BatchCommand> ParseBatchCommand(std::string_view line) {
  if (line.empty()) return Invalid("empty command in input");
  if (std::string_view(" \t\n\v\f\r").contains(line.front())) {
    return Invalid(fmt::format("whitespace before command: '{}'", line));
  }
  for (const auto& [name, kind] : kCommands) {
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (kind == BatchCommand::Kind::kFlush) {
      if (line.empty()) return BatchCommand{kind, {}};
      return Invalid(fmt::format("{} takes no arguments", name));
    }
    if (line.starts_with(' ')) return BatchCommand{kind, line.substr(1)};
    return Invalid(fmt::format("{} requires arguments", name));
  }
  return Invalid(fmt::format("unknown command: '{}'", line));
}

}  // namespace zpack::cli
