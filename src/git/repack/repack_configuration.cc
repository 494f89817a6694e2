// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/repack_configuration.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "git/config/configuration.h"
#include "git/config/setting_types.h"
#include "git/config/shared_repository.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

// The value of a number in the configuration. `otherwise` if it is not set.
Result<int64_t> ConfigNumber(const Configuration& config, std::string_view name,
                             int64_t otherwise) {
  ZPACK_ASSIGN_OR_RETURN(const auto value, config.Number(name));
  return value.value_or(otherwise);
}

// The same for a boolean value.
Result<bool> ConfigBool(const Configuration& config, std::string_view name,
                        bool otherwise) {
  ZPACK_ASSIGN_OR_RETURN(const auto value, config.Bool(name));
  return value.value_or(otherwise);
}

// The value of repack.writeBitmaps, formerly pack.writeBitmaps. The last entry
// counts, whichever name it has.
Result<std::optional<bool>> ReadWriteBitmaps(const Configuration& config) {
  std::optional<bool> last;
  for (const ConfigEntry& entry : config.entries()) {
    if (entry.name != "repack.writebitmaps" &&
        entry.name != "pack.writebitmaps") {
      continue;
    }
    ZPACK_ASSIGN_OR_RETURN(last, BoolOf(entry));
  }
  return last;
}

bool IsBare(const RepositoryLocation& location,
            const RepositoryFormat& format) {
  if (!format.work_tree.empty()) return false;
  const bool linked = location.git_directory != location.common_directory;
  return format.bare.value_or(!linked && location.work_tree.empty() &&
                              !location.git_directory.ends_with("/.git"));
}

// A window or a depth, as far as Git allows one.
unsigned Bounded(int64_t value) {
  constexpr int64_t kMax = 4095;
  return static_cast<unsigned>(std::clamp<int64_t>(value, 0, kMax));
}

// Settings of the search for deltas, with Git's defaults, except the window:
// most candidates are rejected early here, and cost little.
Status ReadSearchSettings(const Configuration& config,
                          RepackSettings& settings) {
  constexpr int64_t kBigFile = int64_t{512} << 20;
  constexpr int64_t kWindow = 20;
  constexpr int64_t kDepth = 50;
  ZPACK_ASSIGN_OR_RETURN(
      const int64_t big_file,
      ConfigNumber(config, "core.bigfilethreshold", kBigFile));
  ZPACK_ASSIGN_OR_RETURN(const int64_t window,
                         ConfigNumber(config, "pack.window", kWindow));
  ZPACK_ASSIGN_OR_RETURN(const int64_t depth,
                         ConfigNumber(config, "pack.depth", kDepth));
  settings.big_file_threshold =
      static_cast<uint64_t>(std::max<int64_t>(big_file, 0));
  settings.window = Bounded(window);
  settings.depth = Bounded(depth);
  ZPACK_ASSIGN_OR_RETURN(settings.delta_islands,
                         ConfigBool(config, "repack.usedeltaislands", false));
  for (const ConfigEntry& entry : config.entries()) {
    const bool core = entry.name == "pack.islandcore";
    if (!core && entry.name != "pack.island") continue;
    if (!entry.value) {
      return MakeError(ErrorCode::kGit, "missing value for '{}'", entry.name);
    }
    if (core) {
      settings.core_island = *entry.value;
    } else {
      settings.islands.push_back(*entry.value);
    }
  }
  return {};
}

Status ReadCruftSettings(const Configuration& config,
                         RepackSettings& settings) {
  for (const auto& [name, setting] :
       {std::pair("repack.cruftwindow", &settings.cruft_window),
        std::pair("repack.cruftdepth", &settings.cruft_depth)}) {
    ZPACK_ASSIGN_OR_RETURN(const auto value, config.Number(name));
    if (!value) continue;
    if (!std::in_range<int32_t>(*value)) {
      return MakeError(ErrorCode::kGit, "value of '{}' out of range: {}", name,
                       *value);
    }
    *setting = Bounded(*value);
  }
  return {};
}

// Settings of indexes, of multi-pack-indexes and of other files beside packs.
Status ReadIndexSettings(const Configuration& config,
                         const RepackProducts& products,
                         RepackSettings& settings) {
  constexpr int64_t kVersion = 2;
  ZPACK_ASSIGN_OR_RETURN(const int64_t version,
                         ConfigNumber(config, "pack.indexversion", kVersion));
  // Git takes 0 for 1.
  settings.index.version = version == kVersion ? 2 : 1;
  ZPACK_ASSIGN_OR_RETURN(settings.index.reverse,
                         ConfigBool(config, "pack.writereverseindex", true));
  ZPACK_ASSIGN_OR_RETURN(settings.multi_pack_index,
                         ConfigBool(config, "core.multipackindex", true));
  if (products.multi_pack_index) {
    ZPACK_ASSIGN_OR_RETURN(settings.multi_pack_index_version,
                           ConfigNumber(config, "midx.version", 1));
  }
  ZPACK_ASSIGN_OR_RETURN(
      settings.multi_pack_index_with_cruft,
      ConfigBool(config, "repack.midxmustcontaincruft", true));
  ZPACK_ASSIGN_OR_RETURN(settings.update_server_info,
                         ConfigBool(config, "repack.updateserverinfo", true));
  ZPACK_ASSIGN_OR_RETURN(settings.write_bitmaps, ReadWriteBitmaps(config));
  return {};
}

}  // namespace

Result<RepackSettings> ReadRepackSettings(const RepositoryLocation& location,
                                          const RepackProducts& products) {
  constexpr int64_t kMinPackSize = int64_t{1} << 20;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFormat format,
                         ReadRepositoryFormat(location));
  ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                         ReadConfiguration(location, format));
  ZPACK_TRY(CheckRepackSettings(config));
  ZPACK_ASSIGN_OR_RETURN(const int64_t max_pack_size,
                         ConfigNumber(config, "pack.packsizelimit", 0));
  RepackSettings settings;
  settings.common_directory = location.common_directory;
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(settings.common_directory));
  settings.object_directory = directories.found.front();
  ZPACK_TRY(ReadSearchSettings(config, settings));
  if (products.cruft_pack) ZPACK_TRY(ReadCruftSettings(config, settings));
  if (max_pack_size > 0) {
    settings.max_pack_size =
        static_cast<uint64_t>(std::max(max_pack_size, kMinPackSize));
  }
  ZPACK_ASSIGN_OR_RETURN(settings.pack_kept_objects,
                         ConfigBool(config, "repack.packkeptobjects", false));
  ZPACK_TRY(ReadIndexSettings(config, products, settings));
  ZPACK_ASSIGN_OR_RETURN(settings.shared_mode, ReadSharedMode(config));
  settings.object_format = format.object_format;
  settings.precious_objects = format.precious_objects;
  settings.recent_objects_hook = config.Find("gc.recentobjectshook") != nullptr;
  settings.bare = IsBare(location, format);
  return settings;
}

}  // namespace zpack
