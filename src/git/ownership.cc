// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/ownership.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "git/config/configuration.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kRoot = 0;

// The user who called sudo, if SUDO_UID names one.
std::optional<uid_t> SudoUser() {
  const char* const text = std::getenv("SUDO_UID");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  uid_t user = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), user);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return user;
}

// The owner of a link counts, not the owner of its target.
bool IsOurs(const std::string& path) {
  struct stat status{};
  if (path.empty()) return true;
  if (lstat(path.c_str(), &status) != 0) return false;
  const uid_t user = geteuid();
  if (status.st_uid == user) return true;
  return user == kRoot && SudoUser() == status.st_uid;
}

// The values of safe.directory, lowest level first.
Result<std::vector<std::string>> ReadSafeDirectories() {
  ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                         ReadProtectedConfiguration());
  std::vector<std::string> values;
  for (const ConfigEntry& entry : config.entries()) {
    if (entry.name != "safe.directory") continue;
    values.push_back(entry.value ? *entry.value : "");
  }
  return values;
}

// `path` with links resolved as far as it exists. '~' is the user's home.
std::optional<fs::path> Normalize(const std::string& path) {
  const auto expanded = ExpandConfigPath(path);
  if (!expanded) return std::nullopt;
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(*expanded, error);
  if (error) return std::nullopt;
  return canonical;
}

// True if one value of safe.directory lists `path`. '/prefix/*' lists
// everything below the prefix.
bool Lists(const std::string& value, const std::string& path) {
  if (value.ends_with("/*")) {
    auto prefix = Normalize(value.substr(0, value.size() - 1));
    if (!prefix) return false;
    if (prefix->has_filename()) *prefix /= "";
    return path.starts_with(prefix->string());
  }
  auto listed = Normalize(value);
  if (listed && !listed->has_filename()) listed = listed->parent_path();
  return listed && path == listed->string();
}

// Git ignores values that depend on the current directory, except ".".
bool IsRelative(const std::string& value) {
  return !value.starts_with('/') && !value.starts_with('~') && value != ".";
}

}  // namespace

Status CheckOwnership(const RepositoryPaths& paths) {
  if (IsOurs(paths.git_file) && IsOurs(paths.work_tree) &&
      IsOurs(paths.git_directory)) {
    return {};
  }
  std::error_code error;
  const std::string path =
      fs::weakly_canonical(
          paths.work_tree.empty() ? paths.git_directory : paths.work_tree,
          error)
          .string();
  ZPACK_ASSIGN_OR_RETURN(const std::vector<std::string> values,
                         ReadSafeDirectories());
  bool safe = false;
  std::string ignored;
  for (const std::string& value : values) {
    const std::string listed = WithoutOptional(value);
    if (value.empty()) {
      safe = false;
    } else if (value == "*") {
      safe = true;
    } else if (IsRelative(listed)) {
      ignored += FormatMessage(
          " (safe.directory '{}' is ignored: not absolute)", value);
    } else {
      safe = safe || Lists(listed, path);
    }
  }
  if (safe && !error) return {};
  return MakeError(ErrorCode::kGit,
                   "detected dubious ownership in repository at '{}'; to add "
                   "an exception for this directory, call: git config --global "
                   "--add safe.directory {}{}",
                   AtPath{path}, MessageText{QuoteForShell(path)},
                   MessageText{ignored});
}

}  // namespace zpack
