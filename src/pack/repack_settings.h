// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The settings of a repository that concern packs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_mode.h"
#include "pack/pack_writer.h"
#include "zpack/object_id.h"

namespace zpack {

// The settings that a repack needs.
struct RepackSettings {
  ObjectFormat object_format = ObjectFormat::kSha1;
  std::string common_directory;  // shared by the repository and its work trees
  std::string object_directory;  // of the repository itself, without alternates
  uint64_t big_file_threshold = 0;
  unsigned window = 0;                   // pack.window
  unsigned depth = 0;                    // pack.depth
  std::optional<unsigned> cruft_window;  // repack.cruftWindow
  std::optional<unsigned> cruft_depth;   // repack.cruftDepth
  PackIndexStyle index;        // pack.indexVersion, pack.writeReverseIndex
  uint64_t max_pack_size = 0;  // pack.packSizeLimit; 0 for none
  SharedMode shared_mode;      // core.sharedRepository
  std::vector<std::string> islands;        // pack.island
  std::optional<std::string> core_island;  // pack.islandCore
  bool delta_islands = false;              // repack.useDeltaIslands
  bool pack_kept_objects = false;          // repack.packKeptObjects
  bool bare = false;             // as Git determines it at the named path
  bool multi_pack_index = true;  // core.multiPackIndex
  int64_t multi_pack_index_version = 1;  // midx.version
  // repack.midxMustContainCruft
  bool multi_pack_index_with_cruft = true;
  bool update_server_info = true;     // repack.updateServerInfo
  std::optional<bool> write_bitmaps;  // repack.writeBitmaps
  // extensions.preciousObjects: nothing may be deleted.
  bool precious_objects = false;
  // gc.recentObjectsHook: programs name objects that do not expire.
  bool recent_objects_hook = false;
};

}  // namespace zpack
