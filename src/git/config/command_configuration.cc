// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/command_configuration.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "git/config/configuration_values.h"

namespace zpack {
namespace {

constexpr const char* kCount = "GIT_CONFIG_COUNT";
constexpr const char* kParameters = "GIT_CONFIG_PARAMETERS";
constexpr std::string_view kSpace = " \t\n\r";

// Appends an entry with the key 'section.subsection.name'. The subsection is
// optional and may contain dots. An entry without a value is true.
Status AppendSetting(std::string_view key, ConfigValue value,
                     std::vector<ConfigEntry>& entries) {
  const size_t first = key.find('.');
  const size_t last = key.rfind('.');
  if (last == std::string_view::npos || last == 0) {
    return MakeError(ErrorCode::kGit, "key does not contain a section: '{}'",
                     key);
  }
  const std::string_view section = key.substr(0, first);
  const std::string_view name = key.substr(last + 1);
  if (name.empty()) {
    return MakeError(ErrorCode::kGit,
                     "key does not contain variable name: '{}'", key);
  }
  if (!std::ranges::all_of(section, IsConfigKeyCharacter) ||
      !IsLetter(name.front()) ||
      !std::ranges::all_of(name, IsConfigKeyCharacter) ||
      key.find('\n') != std::string_view::npos) {
    return MakeError(ErrorCode::kGit, "invalid key: '{}'", key);
  }
  ConfigEntry entry{std::string(key), std::move(value)};
  std::ranges::transform(section, entry.name.begin(), ToLower);
  std::ranges::transform(name, entry.name.end() - std::ssize(name), ToLower);
  entries.push_back(std::move(entry));
  return {};
}

// Appends the entries of GIT_CONFIG_COUNT, GIT_CONFIG_KEY_<n> and
// GIT_CONFIG_VALUE_<n>.
Status AppendCounted(const Environment& environment,
                     std::vector<ConfigEntry>& entries) {
  const char* const given = environment(kCount);
  if (given == nullptr) return {};
  char* end = nullptr;
  const unsigned long count = std::strtoul(given, &end, 10);
  if (*end != '\0') {
    return MakeError(ErrorCode::kGit, "bogus count in {}: '{}'", kCount, given);
  }
  if (count > std::numeric_limits<int>::max()) {
    return MakeError(ErrorCode::kGit, "too many entries in {}", kCount);
  }
  for (unsigned long i = 0; i < count; ++i) {
    const std::string key_name = fmt::format("GIT_CONFIG_KEY_{}", i);
    const std::string value_name = fmt::format("GIT_CONFIG_VALUE_{}", i);
    const char* const key = environment(key_name.c_str());
    if (key == nullptr) {
      return MakeError(ErrorCode::kGit, "missing config key '{}'", key_name);
    }
    const char* const value = environment(value_name.c_str());
    if (value == nullptr) {
      return MakeError(ErrorCode::kGit, "missing config value '{}'",
                       value_name);
    }
    ZPACK_TRY(AppendSetting(key, value, entries));
  }
  return {};
}

// Removes one word in single quotes from the front of `rest` and returns it as
// a shell would read it. Nothing if there is no such word.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('\'')) return std::nullopt;
  rest.remove_prefix(1);
  std::string word;
  while (true) {
    const size_t end = rest.find('\'');
    if (end == std::string_view::npos) return std::nullopt;
    word += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    // Outside of the quotes, a backslash escapes a single quote or '!'.
    const bool continues = rest.size() >= 3 && rest[0] == '\\' &&
                           (rest[1] == '\'' || rest[1] == '!') &&
                           rest[2] == '\'';
    if (!continues) return word;
    word += rest[1];
    rest.remove_prefix(3);
  }
}

bool AtWordEnd(std::string_view rest) {
  return rest.empty() || kSpace.find(rest.front()) != std::string_view::npos;
}

// Entries are separated by spaces. The form of an entry is 'key'='value', or
// 'key'= without a value, or 'key=value' from older versions of Git.
Status AppendParameters(const Environment& environment,
                        std::vector<ConfigEntry>& entries) {
  const char* const given = environment(kParameters);
  if (given == nullptr) return {};
  const auto bogus = [] {
    return MakeError(ErrorCode::kGit, "bogus format in {}", kParameters);
  };
  std::string_view rest = given;
  while (!rest.empty()) {
    auto key = TakeQuoted(rest);
    if (!key) return bogus();
    ConfigValue value;
    if (rest.starts_with('=')) {
      rest.remove_prefix(1);
      if (!AtWordEnd(rest)) {
        value = TakeQuoted(rest);
        if (!value) return bogus();
      }
    } else if (const size_t equals = key->find('=');
               equals != std::string::npos) {
      value = key->substr(equals + 1);
      key->resize(equals);
    }
    if (!AtWordEnd(rest)) return bogus();
    ZPACK_TRY(AppendSetting(*key, std::move(value), entries));
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
  }
  return {};
}

}  // namespace

Result<std::vector<ConfigEntry>> CommandConfiguration(
    const Environment& environment) {
  std::vector<ConfigEntry> entries;
  ZPACK_TRY(AppendCounted(environment, entries));
  ZPACK_TRY(AppendParameters(environment, entries));
  return entries;
}

}  // namespace zpack
