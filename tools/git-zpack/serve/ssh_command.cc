// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/ssh_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr std::array<std::string_view, 3> kUploadPack = {
    "git-upload-pack ", "git upload-pack ", "git-zpack upload-pack "};
constexpr std::array<std::string_view, 2> kReceivePack = {"git-receive-pack ",
                                                          "git receive-pack "};

std::unexpected<Error> Refused(std::string message) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, std::move(message)});
}

}  // namespace

Result<std::string> Dequote(std::string_view quoted) {
  const auto bad = [quoted] {
    return Refused(fmt::format("bad quotes in argument: {}",
                               QuoteName(quoted, kMaxNameInMessage)));
  };
  std::string text;
  if (!quoted.starts_with('\'')) return bad();
  quoted.remove_prefix(1);
  while (true) {
    const size_t end = quoted.find('\'');
    if (end == std::string_view::npos) return bad();
    text += quoted.substr(0, end);
    quoted.remove_prefix(end + 1);
    if (quoted.empty()) return text;
    // Between two quotes: a backslash, a quote or '!', and the next quote.
    if (quoted.size() < 3 || quoted[0] != '\\' ||
        (quoted[1] != '\'' && quoted[1] != '!') || quoted[2] != '\'') {
      return bad();
    }
    text += quoted[1];
    quoted.remove_prefix(3);
  }
}

Result<std::string> PathOfUploadPack(std::string_view command) {
  for (const std::string_view prefix : kUploadPack) {
    if (command.starts_with(prefix)) {
      return Dequote(command.substr(prefix.size()));
    }
  }
  if (std::ranges::any_of(kReceivePack, [command](std::string_view prefix) {
        return command.starts_with(prefix);
      })) {
    return Refused("a .zpack file is read-only: cannot push");
  }
  return Refused(fmt::format("command not allowed: '{}'",
                             QuoteName(command, kMaxNameInMessage)));
}

}  // namespace zpack::cli
