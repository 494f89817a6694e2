// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack_configuration.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "git/configuration.h"
#include "git/open_repository.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

// The value of a number in the configuration. `otherwise` if it is not set.
Result<int64_t> ConfigNumber(const git_config* config, const char* key,
                             int64_t otherwise) {
  int64_t value = otherwise;
  const int code = git_config_get_int64(&value, config, key);
  if (code == 0) return value;
  if (code == GIT_ENOTFOUND) return otherwise;
  return MakeError(ErrorCode::kGit, "bad value of '{}': {}", key,
                   LastLibgit2Message());
}

// The same for a boolean value.
Result<bool> ConfigBool(const git_config* config, const char* key,
                        bool otherwise) {
  int value = 0;
  const int code = git_config_get_bool(&value, config, key);
  if (code == 0) return value != 0;
  if (code == GIT_ENOTFOUND) return otherwise;
  return MakeError(ErrorCode::kGit, "bad value of '{}': {}", key,
                   LastLibgit2Message());
}

// The value of repack.writeBitmaps, formerly pack.writeBitmaps. The last entry
// counts, whichever name it has.
Result<std::optional<bool>> ReadWriteBitmaps(const git_config* config) {
  std::optional<bool> last;
  const Status listed = ForEachConfigEntry(
      config, [&last](const git_config_entry& entry) -> Status {
        const std::string_view name = entry.name;
        if (name != "repack.writebitmaps" && name != "pack.writebitmaps") {
          return {};
        }
        int value = 0;
        if (git_config_parse_bool(&value, entry.value) != 0) {
          return MakeError(ErrorCode::kGit, "bad value of '{}': {}", entry.name,
                           LastLibgit2Message());
        }
        last = value != 0;
        return {};
      });
  ZPACK_TRY(listed);
  return last;
}

bool IsBare(const RepositoryLocation& location,
            const RepositoryFormat& format) {
  if (location.git_directory != location.common_directory ||
      !format.work_tree.empty()) {
    return false;
  }
  return format.bare.value_or(location.work_tree.empty() &&
                              !location.git_directory.ends_with("/.git"));
}

// The value of core.sharedRepository.
Result<SharedMode> ReadSharedMode(const git_config* config) {
  using enum SharedMode::Kind;
  constexpr const char* kKey = "core.sharedrepository";
  constexpr SharedMode kGroup{kAtLeast, 0660};
  constexpr SharedMode kEverybody{kAtLeast, 0664};
  constexpr unsigned kOwner = 0600;
  constexpr unsigned kAll = 0666;
  git_config_entry* raw = nullptr;
  if (git_config_get_entry(&raw, config, kKey) != 0) return SharedMode{};
  const ConfigEntryHandle entry(raw);
  // An entry without a value.
  if (entry->value == nullptr) return kGroup;
  const std::string text = entry->value;
  if (text == "umask") return SharedMode{};
  if (text == "group") return kGroup;
  if (text == "all" || text == "world" || text == "everybody") {
    return kEverybody;
  }
  unsigned bits = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, bits, 8);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    int yes = 0;
    if (git_config_parse_bool(&yes, entry->value) == 0) {
      return yes != 0 ? kGroup : SharedMode{};
    }
    return MakeError(ErrorCode::kGit, "bad value '{}' of core.sharedRepository",
                     text);
  }
  // Values that old versions of Git wrote.
  if (bits <= 2) {
    return bits == 0 ? SharedMode{} : bits == 1 ? kGroup : kEverybody;
  }
  if ((bits & kOwner) != kOwner) {
    return MakeError(ErrorCode::kGit,
                     "core.sharedRepository is {:04o}; the owner of files must "
                     "always have read and write permissions",
                     bits);
  }
  return SharedMode{kExactly, bits & kAll};
}

}  // namespace

Result<RepackSettings> ReadRepackSettings(const RepositoryLocation& location) {
  // Git's defaults, except the window: most candidates are rejected early here,
  // and cost little.
  constexpr int64_t kBigFile = int64_t{512} << 20;
  constexpr int64_t kWindow = 20;
  constexpr int64_t kDepth = 50;
  constexpr int64_t kMax = 4095;
  constexpr int64_t kMinPackSize = int64_t{1} << 20;
  ZPACK_ASSIGN_OR_RETURN(const OpenedRepository repository,
                         OpenRepositoryHandle(location));
  git_config* raw = nullptr;
  if (git_repository_config_snapshot(&raw, repository.handle.get()) != 0) {
    return MakeError(ErrorCode::kGit,
                     "cannot read the configuration of '{}': {}", location.name,
                     LastLibgit2Message());
  }
  const ConfigHandle config(raw);
  ZPACK_ASSIGN_OR_RETURN(
      const int64_t big_file,
      ConfigNumber(config.get(), "core.bigfilethreshold", kBigFile));
  ZPACK_ASSIGN_OR_RETURN(const int64_t window,
                         ConfigNumber(config.get(), "pack.window", kWindow));
  ZPACK_ASSIGN_OR_RETURN(const int64_t depth,
                         ConfigNumber(config.get(), "pack.depth", kDepth));
  ZPACK_ASSIGN_OR_RETURN(const int64_t max_pack_size,
                         ConfigNumber(config.get(), "pack.packsizelimit", 0));
  RepackSettings settings;
  settings.common_directory = location.common_directory;
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(settings.common_directory));
  settings.object_directory = directories.found.front();
  settings.big_file_threshold =
      static_cast<uint64_t>(std::max<int64_t>(big_file, 0));
  settings.window = static_cast<unsigned>(std::clamp<int64_t>(window, 0, kMax));
  settings.depth = static_cast<unsigned>(std::clamp<int64_t>(depth, 0, kMax));
  if (max_pack_size > 0) {
    settings.max_pack_size =
        static_cast<uint64_t>(std::max(max_pack_size, kMinPackSize));
  }
  ZPACK_ASSIGN_OR_RETURN(
      settings.pack_kept_objects,
      ConfigBool(config.get(), "repack.packkeptobjects", false));
  ZPACK_ASSIGN_OR_RETURN(settings.multi_pack_index,
                         ConfigBool(config.get(), "core.multipackindex", true));
  ZPACK_ASSIGN_OR_RETURN(
      settings.update_server_info,
      ConfigBool(config.get(), "repack.updateserverinfo", true));
  ZPACK_ASSIGN_OR_RETURN(settings.write_bitmaps,
                         ReadWriteBitmaps(config.get()));
  ZPACK_ASSIGN_OR_RETURN(settings.shared_mode, ReadSharedMode(config.get()));
  settings.object_format = repository.format.object_format;
  settings.precious_objects = repository.format.precious_objects;
  settings.bare = IsBare(location, repository.format);
  return settings;
}

}  // namespace zpack
