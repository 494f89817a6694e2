// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_values.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/error.h"

namespace zpack {
namespace {

// Where the packages of Git are installed.
constexpr std::string_view kGitPrefix = "/usr/";

bool IsOneOf(std::string_view text,
             const std::array<std::string_view, 3>& words) {
  return std::ranges::any_of(words, [text](std::string_view word) {
    return EqualsIgnoringCase(text, word);
  });
}

// The factor of a unit. Zero if there is no such unit.
int64_t UnitFactor(std::string_view unit) {
  if (unit.empty()) return 1;
  if (EqualsIgnoringCase(unit, "k")) return int64_t{1} << 10;
  if (EqualsIgnoringCase(unit, "m")) return int64_t{1} << 20;
  if (EqualsIgnoringCase(unit, "g")) return int64_t{1} << 30;
  return 0;
}

std::optional<std::string> OwnHome(HomeLinks links) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr) return std::nullopt;
  if (links == HomeLinks::kKeep) return home;
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(home, error);
  return error ? std::string(home) : real.string();
}

std::optional<std::string> HomeOf(const std::string& user) {
  struct passwd entry{};
  struct passwd* found = nullptr;
  std::vector<char> buffer(size_t{1} << 16);
  if (getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) !=
          0 ||
      found == nullptr) {
    return std::nullopt;
  }
  return found->pw_dir;
}

}  // namespace

std::optional<bool> ParseConfigBool(const ConfigValue& value) {
  if (!value || IsOneOf(*value, {"true", "yes", "on"})) return true;
  if (value->empty() || IsOneOf(*value, {"false", "no", "off"})) return false;
  const auto number = ParseConfigNumber(value, kMaxConfigInt);
  if (!number) return std::nullopt;
  return *number != 0;
}

std::expected<int64_t, std::string_view> ParseConfigNumber(
    const ConfigValue& value, int64_t max) {
  const auto bad_unit = std::unexpected(std::string_view("invalid unit"));
  const auto bad_range = std::unexpected(std::string_view("out of range"));
  if (!value || value->empty()) return bad_unit;
  errno = 0;
  char* end = nullptr;
  const intmax_t number = std::strtoimax(value->c_str(), &end, 0);
  if (errno == ERANGE) return bad_range;
  const int64_t factor = UnitFactor(end);
  if (end == value->c_str() || factor == 0) return bad_unit;
  if ((number < 0 && (-max - 1) / factor > number) ||
      (number > 0 && max / factor < number)) {
    return bad_range;
  }
  return number * factor;
}

std::optional<std::string> ExpandConfigPath(const std::string& path,
                                            HomeLinks links) {
  std::string_view rest = path;
  if (SkipPrefix("%(prefix)/", rest)) return std::string(kGitPrefix) += rest;
  if (!path.starts_with('~')) return path;
  const size_t slash = std::min(path.find('/'), path.size());
  const std::string user = path.substr(1, slash - 1);
  auto home = user.empty() ? OwnHome(links) : HomeOf(user);
  if (home) *home += path.substr(slash);
  return home;
}

std::string WithoutOptional(const std::string& path) {
  std::string_view rest = path;
  SkipPrefix(":(optional)", rest);
  return std::string(rest);
}

Result<bool> EnvironmentBool(const char* variable, bool otherwise) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return otherwise;
  if (const auto parsed = ParseConfigBool(value)) return *parsed;
  return MakeError(ErrorCode::kGit,
                   "bad boolean environment value '{}' for '{}'", value,
                   variable);
}

}  // namespace zpack
