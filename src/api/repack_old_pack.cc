// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/repack_old_pack.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "repack/old_pack.h"

namespace zpack {
namespace {

// Bytes of a file, 0 when it is not there.
uint64_t FileSize(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

Result<std::optional<OldPack>> FindSmallerOldPack(
    FileSystem& file_system, const RepackSettings& settings,
    const RepackOptions& options, const PackSets& packs, ObjectSource& source,
    const ObjectList& list, const DeltaSearchOptions& search,
    const std::vector<BuiltPack>& built) {
  if (options.redundant == Redundant::kLeave || packs.rewritten.size() != 1) {
    return std::nullopt;
  }
  const StockPackFiles& old = packs.rewritten.front();
  const std::string path =
      PackDirectory(settings.object_directory) + '/' + old.name;
  const uint64_t old_size = FileSize(path + ".pack");
  const uint64_t limit = options.max_pack_size.value_or(settings.max_pack_size);
  uint64_t new_size = 0;
  for (const BuiltPack& pack : built) {
    new_size += FileSize(pack.writer->temporary_pack());
  }
  if (old.cruft || old.promisor || old_size >= new_size ||
      (limit != 0 && old_size > limit) ||
      !IsPackWhole(file_system, settings.object_directory, old.name)) {
    return std::nullopt;
  }
  ZPACK_ASSIGN_OR_RETURN(const auto undeltified,
                         source.FindUndeltified(list.path_table));
  ZPACK_ASSIGN_OR_RETURN(
      const bool can_stay,
      CanStay(file_system, path, list, undeltified, search, options.run));
  if (!can_stay) return std::nullopt;
  return OldPack{old.name,
                 old_size + FileSize(path + ".idx") + FileSize(path + ".rev")};
}

}  // namespace zpack
