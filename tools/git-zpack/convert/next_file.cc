// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/next_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli.h"
#include "common_options.h"
#include "list_paths.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kEnding = ".zpack";
constexpr size_t kLeastDigits = 4;
constexpr unsigned char kDelete = 0x7f;

// "linux" for "/srv/git/linux.git", "linux/.git" and "https://host/linux.git/".
std::string NameOf(std::string repository) {
  std::error_code error;
  if (repository.find("://") == std::string::npos) {
    const auto absolute = std::filesystem::canonical(repository, error);
    if (!error) repository = absolute;
  }
  while (repository.ends_with('/')) repository.pop_back();
  if (repository.ends_with("/.git")) repository.resize(repository.size() - 5);
  std::string name = repository.substr(repository.rfind('/') + 1);
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return name.empty() ? "repository" : name;
}

// The number in `file`, if that is `name`, a dot, a number and the ending.
std::optional<uint32_t> NumberOf(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.ends_with(kEnding) ||
      file.size() < name.size() + 1 + kLeastDigits + kEnding.size() ||
      file[name.size()] != '.') {
    return std::nullopt;
  }
  file.remove_prefix(name.size() + 1);
  file.remove_suffix(kEnding.size());
  uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(file.data(), file.data() + file.size(), number);
  if (error != std::errc() || end != file.data() + file.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

NextFile NextFileIn(const std::string& directory,
                    const std::string& repository) {
  const std::string name = NameOf(repository);
  if (std::ranges::any_of(
          name, [](unsigned char c) { return c < ' ' || c == kDelete; })) {
    throw CommandFailure{
        {.code = ErrorCode::kInvalidArgument,
         .message = fmt::format("no file can depend on one with the name of "
                                "'{}', which has a control character",
                                QuoteName(repository, kMaxNameInMessage)),
         .path = repository}};
  }
  const auto paths = ListPaths(directory);
  if (!paths) throw CommandFailure{paths.error()};
  uint32_t next = 0;
  NextFile found;
  for (const std::filesystem::path& path : *paths) {
    const auto number = NumberOf(path.filename().string(), name);
    if (!number || *number < next) continue;
    next = *number + 1;
    found.onto = path.string();
  }
  found.path = (std::filesystem::path(directory) /
                fmt::format("{}.{:04}{}", name, next, kEnding))
                   .string();
  return found;
}

}  // namespace zpack::cli
