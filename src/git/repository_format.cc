// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_format.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace zpack {
namespace {

constexpr int64_t kNewestVersion = 1;
constexpr std::string_view kExtensions = "extensions.";
// Git respects these also in repositories of version 0.
constexpr std::array<std::string_view, 4> kOfVersion0 = {
    "noop", "preciousobjects", "partialclone", "worktreeconfig"};
constexpr std::array<std::string_view, 4> kOfVersion1 = {
    "noop-v1", "objectformat", "refstorage", "relativeworktrees"};

// The supported values of an extension, and the name of its subject.
struct KnownValues {
  std::string_view extension;
  std::span<const std::string_view> values;
  std::string_view what;
};
constexpr std::string_view kReftable = "reftable";
constexpr std::string_view kSha256 = "sha256";
constexpr std::array<std::string_view, 2> kObjectFormats = {"sha1", kSha256};
constexpr std::array<std::string_view, 2> kRefStorages = {"files", kReftable};
constexpr std::array<KnownValues, 2> kKnownValues = {
    {{"objectformat", kObjectFormats, "object format"},
     {"refstorage", kRefStorages, "ref storage"}}};

using Extensions = std::vector<std::pair<std::string, std::string>>;

// The extensions: names in lower case without "extensions.", and values.
Result<Extensions> ListExtensions(const git_config* config) {
  Extensions extensions;
  ZPACK_TRY(ForEachConfigEntry(
      config, [&extensions](const git_config_entry& entry) -> Status {
        std::string_view name = entry.name;
        if (SkipPrefix(kExtensions, name)) {
          extensions.emplace_back(name,
                                  entry.value != nullptr ? entry.value : "");
        }
        return {};
      }));
  return extensions;
}

Status CheckExtensions(const Extensions& extensions, int64_t version,
                       const std::string& path) {
  const auto is_in = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const auto& [name, value] : extensions) {
    const auto known =
        std::ranges::find(kKnownValues, name, &KnownValues::extension);
    if (known != kKnownValues.end() &&
        std::ranges::find(known->values, value) == known->values.end()) {
      return MakeError(ErrorCode::kUnsupported, "unsupported {} {} in '{}'",
                       known->what, value, AtPath{path});
    }
    if (is_in(kOfVersion0, name)) continue;
    if (version == 0 && is_in(kOfVersion1, name)) {
      return MakeError(
          ErrorCode::kUnsupported,
          "repo version is 0, but v1-only extension found in '{}': {}",
          AtPath{path}, name);
    }
    if (version >= 1 && !is_in(kOfVersion1, name)) {
      return MakeError(ErrorCode::kUnsupported,
                       "unknown repository extension found in '{}': {}",
                       AtPath{path}, name);
    }
  }
  return {};
}

// The last value of an extension counts, as in Git. Empty if it is not set.
std::string_view ValueOf(const Extensions& extensions, std::string_view name) {
  std::string_view last;
  for (const auto& [each, value] : extensions) {
    if (each == name) last = value;
  }
  return last;
}

// Nothing if the value is not set.
Result<std::optional<bool>> ReadBool(const git_config* config,
                                     const char* key) {
  int value = 0;
  const int code = git_config_get_bool(&value, config, key);
  if (code == GIT_ENOTFOUND) return std::nullopt;
  if (code == 0) return value != 0;
  return MakeError(ErrorCode::kGit, "bad value of '{}': {}", key,
                   LastLibgit2Message());
}

}  // namespace

Result<RepositoryFormat> ReadRepositoryFormat(
    const std::string& common_directory) {
  const std::string path = common_directory + "/config";
  ZPACK_ASSIGN_OR_RETURN(const ConfigHandle config,
                         ReadConfigurationFile(path));
  // If no version is set, for example in a repository made by hand, Git ignores
  // unknown extensions.
  int64_t version = -1;
  const int code = git_config_get_int64(&version, config.get(),
                                        "core.repositoryformatversion");
  if (code != 0 && code != GIT_ENOTFOUND) {
    return MakeError(ErrorCode::kGit, "bad repository version in '{}': {}",
                     AtPath{path}, LastLibgit2Message());
  }
  if (version > kNewestVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     "expected git repo version <= {}, found {} in '{}'",
                     kNewestVersion, version, AtPath{path});
  }
  ZPACK_ASSIGN_OR_RETURN(const Extensions extensions,
                         ListExtensions(config.get()));
  ZPACK_TRY(CheckExtensions(extensions, version, path));
  RepositoryFormat format;
  if (ValueOf(extensions, "objectformat") == kSha256) {
    format.object_format = ObjectFormat::kSha256;
  }
  if (ValueOf(extensions, "refstorage") == kReftable) {
    format.ref_storage = RefStorage::kReftable;
  }
  ZPACK_ASSIGN_OR_RETURN(const auto precious,
                         ReadBool(config.get(), "extensions.preciousobjects"));
  format.precious_objects = precious.value_or(false);
  ZPACK_ASSIGN_OR_RETURN(const auto worktree,
                         ReadBool(config.get(), "extensions.worktreeconfig"));
  if (worktree.value_or(false)) format.worktree = WorktreeConfiguration::kYes;
  ZPACK_ASSIGN_OR_RETURN(format.bare, ReadBool(config.get(), "core.bare"));
  git_buf work_tree = GIT_BUF_INIT;
  if (git_config_get_string_buf(&work_tree, config.get(), "core.worktree") ==
      0) {
    format.work_tree = work_tree.ptr;
  }
  git_buf_dispose(&work_tree);
  return format;
}

}  // namespace zpack
