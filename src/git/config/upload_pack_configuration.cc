// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/upload_pack_configuration.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "base/error.h"
#include "git/config/configuration.h"
#include "object/ref_name.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

// Filters as uploadpackfilter.<filter>.allow names them.
constexpr std::array<std::string_view, 5> kFilters = {
    "blob:none", "blob:limit", "tree", "object:type", "combine"};

// 128 random bits.
std::string RandomText() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(),
                     random());
}

// The directory of the refs of a namespace, with a slash at its end.
Result<std::string> RefNamespace(std::string_view name) {
  std::string prefix;
  for (std::string_view rest = name; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (end > 0) {
      ((prefix += "refs/namespaces/") += rest.substr(0, end)) += '/';
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!IsValidRefName(prefix.substr(0, prefix.rfind('/')))) {
    return MakeError(ErrorCode::kGit, "bad git namespace path \"{}\"",
                     MessageText{EscapeUnprintable(name)});
  }
  return prefix;
}

// Takes the entries of the configuration, from the lowest to the highest level.
class SettingsReader {
 public:
  SettingsReader() = default;
  SettingsReader(const SettingsReader&) =
      delete;  // switches_ points into this object
  SettingsReader& operator=(const SettingsReader&) = delete;

  Status Take(const ConfigEntry& entry) {
    constexpr std::string_view kFilterSection = "uploadpackfilter.";
    const std::string_view name = entry.name;
    if (name.starts_with(kFilterSection)) {
      return TakeFilter(entry, name.substr(kFilterSection.size()));
    }
    if (name == "uploadpack.hiderefs" || name == "transfer.hiderefs") {
      return TakeHiddenRef(entry);
    }
    if (name == "uploadpack.keepalive") return TakeKeepAlive(entry);
    if (name == "lsrefs.unborn") return TakeUnborn(entry);
    for (const auto& [key, value] : switches_) {
      if (name == key) return TakeBool(entry, *value);
    }
    if (name == "uploadpack.allowanysha1inwant") {
      ZPACK_TRY(TakeWants(entry, wants_.tip));
      wants_.reachable = unreachable_wants_ = wants_.tip;
      return {};
    }
    if (name == "uploadpack.allowtipsha1inwant") {
      return TakeWants(entry, wants_.tip);
    }
    if (name == "uploadpack.allowreachablesha1inwant") {
      return TakeWants(entry, wants_.reachable);
    }
    return {};
  }

  Status TakeNamespace(std::string_view name) {
    if (name.empty()) return {};
    ZPACK_ASSIGN_OR_RETURN(settings_.ref_namespace, RefNamespace(name));
    return {};
  }

  UploadPackSettings Finish() {
    if (session_id_) settings_.session_id = RandomText();
    wants_.any = wants_.tip && wants_.reachable && unreachable_wants_;
    // Who sets one of these, hides refs, shows a namespace or refuses filters
    // wants less than the default, and gets what Git gives.
    if (wants_are_set_ || !settings_.hidden_refs.empty() ||
        !settings_.ref_namespace.empty() || !settings_.allow_filter) {
      settings_.wants = wants_;
    }
    for (const std::string_view filter : kFilters) {
      const auto own = filters_.find(filter);
      if (!(own == filters_.end() ? allow_filters_ : own->second)) {
        settings_.banned_filters.emplace_back(filter);
      }
    }
    return std::move(settings_);
  }

 private:
  static Status TakeBool(const ConfigEntry& entry, bool& value) {
    ZPACK_ASSIGN_OR_RETURN(value, BoolOf(entry));
    return {};
  }

  Status TakeWants(const ConfigEntry& entry, bool& value) {
    wants_are_set_ = true;
    return TakeBool(entry, value);
  }

  Status TakeFilter(const ConfigEntry& entry, std::string_view key) {
    constexpr std::string_view kAllow = ".allow";
    if (key == "allow") return TakeBool(entry, allow_filters_);
    if (key == "tree.maxdepth") {
      ZPACK_ASSIGN_OR_RETURN(const int64_t depth, NumberOf(entry));
      if (depth < 0) return BadValue(entry);
      settings_.max_tree_depth = static_cast<uint64_t>(depth);
      filters_["tree"] = true;
      return {};
    }
    if (!key.ends_with(kAllow)) return {};
    key.remove_suffix(kAllow.size());
    return TakeBool(entry, filters_[std::string(key)]);
  }

  Status TakeHiddenRef(const ConfigEntry& entry) {
    if (!entry.value) return BadValue(entry);
    std::string pattern = *entry.value;
    while (pattern.ends_with('/')) pattern.pop_back();
    settings_.hidden_refs.push_back(std::move(pattern));
    return {};
  }

  Status TakeKeepAlive(const ConfigEntry& entry) {
    ZPACK_ASSIGN_OR_RETURN(const int64_t seconds,
                           NumberOf(entry, kMaxConfigInt));
    settings_.keep_alive = std::chrono::seconds(std::max(seconds, int64_t{0}));
    return {};
  }

  Status TakeUnborn(const ConfigEntry& entry) {
    const std::string_view value =
        entry.value ? std::string_view(*entry.value) : "";
    if (value != "advertise" && value != "allow" && value != "ignore") {
      return MakeError(ErrorCode::kGit, "invalid value '{}' for lsrefs.unborn",
                       value);
    }
    settings_.allow_unborn = value != "ignore";
    settings_.advertise_unborn = value == "advertise";
    return {};
  }

  UploadPackSettings settings_;
  WantsAllowed wants_;  // as in Git, which allows none of them by default
  // allowAnySHA1InWant stands for this and for both others, whatever was set
  // before it; and one of the others that is set after it limits it.
  bool unreachable_wants_ = false;
  bool wants_are_set_ = false;
  bool session_id_ = false;
  bool allow_filters_ = true;  // those without an entry of their own
  std::map<std::string, bool, std::less<>> filters_;
  // Names of entries, and what they set.
  const std::array<std::pair<std::string_view, bool*>, 5> switches_ = {{
      {"uploadpack.allowfilter", &settings_.allow_filter},
      {"uploadpack.allowrefinwant", &settings_.allow_ref_in_want},
      {"uploadpack.advertisesidebandall", &settings_.advertise_sideband_all},
      {"transfer.advertiseobjectinfo", &settings_.advertise_object_info},
      {"transfer.advertisesid", &session_id_},
  }};
};

}  // namespace

Result<UploadPackSettings> ReadUploadPackConfiguration() {
  ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                         ReadProtectedConfiguration());
  SettingsReader reader;
  for (const ConfigEntry& entry : config.entries()) {
    ZPACK_TRY(reader.Take(entry));
  }
  const char* const name = std::getenv("GIT_NAMESPACE");
  ZPACK_TRY(reader.TakeNamespace(name != nullptr ? name : ""));
  return reader.Finish();
}

}  // namespace zpack
