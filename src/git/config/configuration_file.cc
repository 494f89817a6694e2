// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_file.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

// Users name it to have no configuration.
bool IsNullDevice(const std::string& path) {
  constexpr unsigned kMajor = 1;
  constexpr unsigned kMinor = 3;
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
         info.st_rdev == makedev(kMajor, kMinor);
}

}  // namespace

const ConfigEntry* Configuration::Find(std::string_view name) const {
  const auto backwards = std::views::reverse(entries_);
  const auto at = std::ranges::find(backwards, name, &ConfigEntry::name);
  return at == backwards.end() ? nullptr : &*at;
}

Result<std::optional<bool>> Configuration::Bool(std::string_view name) const {
  const ConfigEntry* const entry = Find(name);
  if (entry == nullptr) return std::nullopt;
  ZPACK_ASSIGN_OR_RETURN(const bool value, BoolOf(*entry));
  return value;
}

Result<std::optional<int64_t>> Configuration::Number(
    std::string_view name) const {
  const ConfigEntry* const entry = Find(name);
  if (entry == nullptr) return std::nullopt;
  ZPACK_ASSIGN_OR_RETURN(const int64_t value, NumberOf(*entry));
  return value;
}

std::unexpected<Error> BadValue(const ConfigEntry& entry) {
  if (!entry.value) {
    return MakeError(ErrorCode::kGit, "missing value for '{}'", entry.name);
  }
  return MakeError(ErrorCode::kGit, "bad value of '{}': '{}'", entry.name,
                   *entry.value);
}

Result<bool> BoolOf(const ConfigEntry& entry) {
  if (const auto value = ParseConfigBool(entry.value)) return *value;
  return MakeError(ErrorCode::kGit, "bad boolean config value '{}' for '{}'",
                   entry.value.value_or(""), entry.name);
}

std::unexpected<Error> BadNumber(const ConfigEntry& entry,
                                 std::string_view why) {
  return MakeError(ErrorCode::kGit,
                   "bad numeric config value '{}' for '{}': {}",
                   entry.value.value_or(""), entry.name, why);
}

Result<int64_t> NumberOf(const ConfigEntry& entry, int64_t max) {
  const auto value = ParseConfigNumber(entry.value, max);
  if (!value) return BadNumber(entry, value.error());
  return *value;
}

Result<std::optional<std::string>> ReadConfigurationText(
    const std::string& path, Denied denied) {
  if (access(path.c_str(), R_OK) != 0) {
    if (errno == ENOENT || errno == ENOTDIR ||
        (errno == EACCES && denied == Denied::kNoFile)) {
      return std::nullopt;
    }
    return std::unexpected(IoError("access", path, errno));
  }
  if (IsNullDevice(path)) return std::string();
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes content,
      ReadWholeFile(PosixFileSystem(), path, kMaxConfigurationBytes));
  return std::string(AsText(content));
}

Result<Configuration> ReadConfigurationFile(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto text, ReadConfigurationText(path));
  std::vector<ConfigEntry> entries;
  if (text) {
    ZPACK_TRY(ParseConfiguration(*text, path, [&](ConfigEntry entry) -> Status {
      entries.push_back(std::move(entry));
      return {};
    }));
  }
  return Configuration(std::move(entries));
}

}  // namespace zpack
