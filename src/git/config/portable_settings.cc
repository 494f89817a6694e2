// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/portable_settings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/error.h"
#include "git/config/configuration_file.h"
#include "git/config/configuration_text.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

constexpr std::array<std::string_view, 11> kOfThisCopy = {
    "core.bare",
    "core.filemode",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.worktree",
    "index.sparse",
    "lfs.storage"};

// The parts of a name such as "remote.origin.url". The section and the key
// are in lower case.
struct SettingName {
  std::string_view section;
  std::optional<std::string_view> subsection;
  std::string_view key;
};

SettingName Split(std::string_view name) {
  const size_t first = name.find('.');
  const size_t last = name.rfind('.');
  SettingName parts{name.substr(0, first), {}, name.substr(last + 1)};
  if (last > first) parts.subsection = name.substr(first + 1, last - first - 1);
  return parts;
}

bool DescribesThisCopy(std::string_view name) {
  return name.starts_with("extensions.") ||
         std::ranges::find(kOfThisCopy, name) != kOfThisCopy.end();
}

bool HasSecretKey(const SettingName& name) {
  constexpr std::array<std::string_view, 7> kWords = {
      "password", "passwd", "passphrase", "token",
      "secret",   "apikey", "api-key"};
  const auto is_in_key = [&](std::string_view word) {
    return name.key.find(word) != std::string_view::npos;
  };
  // core.askPass names a program.
  return name.section == "credential" || name.key == "extraheader" ||
         (name.key.ends_with("pass") && name.key != "askpass") ||
         std::ranges::any_of(kWords, is_in_key);
}

// Whether `text` has a header of HTTP, a parameter or a command that passes on
// a secret.
bool HoldsSecret(std::string_view text) {
  constexpr std::array<std::string_view, 9> kSigns = {
      "authorization:", "cookie:", "-token:", "-key:",  "password=",
      "passwd=",        "token=",  "secret=", "sshpass"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ToLower);
  return std::ranges::any_of(kSigns, [&lower](std::string_view sign) {
    return lower.find(sign) != std::string::npos;
  });
}

// Whether the setting is left out as a whole.
bool IsSecret(const SettingName& name, const ConfigValue& value) {
  if (HasSecretKey(name) || HoldsSecret(name.subsection.value_or(""))) {
    return true;
  }
  // A helper may be a command with a password in it.
  return value && (HoldsSecret(*value) ||
                   (name.key.ends_with("helper") && value->starts_with('!')));
}

// The name of a setting without secrets.
std::string ShownName(std::string_view full_name, const SettingName& name) {
  if (!HoldsSecret(name.subsection.value_or(""))) {
    return WithoutUserinfo(full_name);
  }
  return fmt::format("{}.*.{}", name.section, name.key);
}

// The value of a setting without user and password. A proxy may have them
// without a scheme.
std::string ValueWithoutUserinfo(const SettingName& name,
                                 std::string_view value) {
  const size_t user_end = value.rfind('@');
  if (name.key.ends_with("proxy") && user_end != std::string_view::npos &&
      value.find("://") == std::string_view::npos) {
    return std::string(value.substr(user_end + 1));
  }
  return WithoutUserinfo(value);
}

class SettingsCollector {
 public:
  void Add(const ConfigEntry& entry) {
    const std::string_view full_name = entry.name;
    if (DescribesThisCopy(full_name)) return;
    const SettingName name = Split(full_name);
    const std::string shown_name = ShownName(full_name, name);
    if (IsSecret(name, entry.value) || shown_name != full_name) {
      settings_.left_out.push_back(
          FormatMessage("setting '{}', which may hold a secret", shown_name));
      return;
    }
    std::string value;
    if (entry.value) {
      value = ValueWithoutUserinfo(name, *entry.value);
      if (value != entry.value) {
        settings_.left_out.push_back(
            FormatMessage("user and password in setting '{}'", shown_name));
      }
    }
    const std::string_view header =
        full_name.substr(0, full_name.size() - name.key.size());
    if (header != header_) {
      AppendSection(name.section, name.subsection, settings_.text);
      header_ = header;
    }
    AppendEntry(name.key, entry.value ? value.c_str() : nullptr,
                settings_.text);
  }
  PortableSettings Finish() { return std::move(settings_); }

 private:
  PortableSettings settings_;
  std::string header_;  // section and subsection of the last entry
};

}  // namespace

Result<PortableSettings> ReadPortableSettings(
    std::span<const std::string> paths) {
  SettingsCollector collector;
  for (const std::string& path : paths) {
    ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                           ReadConfigurationFile(path));
    for (const ConfigEntry& entry : config.entries()) collector.Add(entry);
  }
  return collector.Finish();
}

}  // namespace zpack
