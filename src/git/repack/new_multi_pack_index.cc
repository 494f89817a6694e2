// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/new_multi_pack_index.h"

#include <set>
#include <utility>

#include "base/error.h"
#include "git/files/directory_listing.h"
#include "git/objects/multi_pack_index.h"
#include "pack/multi_pack_index_writer.h"

namespace zpack {
namespace {

// Reads the indexes of the packs. Appends the names of those that cannot be
// read to `unreadable`.
Result<std::vector<IndexedPack>> ReadIndexes(
    FileSystem& file_system, const std::string& directory,
    const NewMultiPackIndex& plan, std::vector<std::string>& unreadable) {
  std::vector<IndexedPack> packs;
  for (const PackFiles& pack : plan.packs) {
    auto index = ReadPackIndex(plan.format, file_system,
                               directory + '/' + pack.name + ".idx");
    if (index) {
      packs.push_back({pack.name, pack.modified, pack.name == plan.preferred,
                       *std::move(index)});
    } else if (index.error().code == ErrorCode::kIo) {
      return std::unexpected(index.error());
    } else {
      unreadable.push_back(pack.name);
    }
  }
  return packs;
}

}  // namespace

Result<std::vector<std::string>> WriteNewMultiPackIndex(
    FileSystem& file_system, const std::string& directory,
    const NewMultiPackIndex& plan) {
  std::vector<std::string> unreadable;
  ZPACK_ASSIGN_OR_RETURN(std::vector<IndexedPack> packs,
                         ReadIndexes(file_system, directory, plan, unreadable));
  if (packs.empty()) return unreadable;
  std::set<std::string> names;
  for (const IndexedPack& pack : packs) names.insert(pack.name);
  if (IsMultiPackIndexOf(file_system, directory,
                         {plan.format, plan.version, names})) {
    ZPACK_TRY(RemoveMultiPackIndexBitmaps(file_system, directory));
    return unreadable;
  }
  const std::string temporary = directory + "/tmp_midx_zpack";
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.CreateLocked(temporary));
  Status written =
      WriteMultiPackIndex(plan.format, plan.version, std::move(packs), *file);
  if (written) written = file->Sync();
  if (written) written = FinishObjectFile(file_system, temporary, plan.shared);
  if (written) written = PlaceMultiPackIndex(file_system, directory, temporary);
  if (written) return unreadable;
  (void)RemoveIfThere(file_system, temporary);
  return std::unexpected(written.error());
}

}  // namespace zpack
