// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/old_pack.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "pack/pack_reader.h"
#include "repack/read_back.h"

namespace zpack {
namespace {

// Returns whether the options allow every delta of `pack`, which holds the
// objects of `list`.
bool HasAllowedDeltas(const PackReader& pack, const ObjectList& list,
                      const IndexedVector<PathNumber, bool>& undeltified,
                      const DeltaSearchOptions& options) {
  const unsigned max_depth = options.window == 0 ? 0 : options.depth;
  const auto is_undeltified = [&](ListRank rank) {
    return list.types[rank] == ObjectType::kBlob &&
           undeltified[list.paths[rank]];
  };
  // The pack has the ids of the list.
  IndexedVector<PackRank, unsigned> depths(list.ids.size());
  for (const PackRank rank : pack.DeltaOrder()) {
    const auto base = pack.Base(rank);
    if (!base) continue;
    depths[rank] = depths[*base] + 1;
    if (depths[rank] > max_depth || is_undeltified(ListRank(rank.value())) ||
        is_undeltified(ListRank(base->value()))) {
      return false;
    }
  }
  return true;
}

// Returns whether the pack at `path` (without ".pack") meets the conditions of
// FindSmallerOldPack. Returns false if the pack cannot be read. The only error
// is kInterrupted.
Result<bool> CanStay(const RepackJob& job, const std::string& path,
                     const ObjectList& list,
                     const IndexedVector<PathNumber, bool>& undeltified) {
  const auto pack =
      PackReader::Open(job.store.object_format(), job.file_system, path);
  if (!pack || !((*pack)->ids() == list.ids) ||
      (*pack)->repeated().size() != 0 ||
      !HasAllowedDeltas(**pack, list, undeltified, job.search())) {
    return false;
  }
  const Status verified =
      VerifyPack(path + ".pack", path + ".idx", list.ids.unranked(),
                 job.options.run, job.file_system);
  if (!verified && verified.error().code == ErrorCode::kInterrupted) {
    return std::unexpected(verified.error());
  }
  return verified.has_value();
}

// Bytes of a file; 0 if the file does not exist.
uint64_t FileSize(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

Result<std::optional<OldPack>> FindSmallerOldPack(
    const RepackJob& job, const PackSets& packs, ObjectSource& source,
    const ObjectList& list, const std::vector<BuiltPack>& built) {
  if (job.options.redundant == Redundant::kLeave ||
      packs.rewritten.size() != 1) {
    return std::nullopt;
  }
  const PackFiles& old = packs.rewritten.front();
  const std::string path = job.store.directory() + '/' + old.name;
  const uint64_t old_size = FileSize(path + ".pack");
  const uint64_t limit = job.max_pack_size();
  uint64_t new_size = 0;
  for (const BuiltPack& pack : built) {
    new_size += FileSize(pack.writer->temporary_pack());
  }
  if (old.cruft || old.promisor || old_size >= new_size ||
      (limit != 0 && old_size > limit) || !job.store.IsWhole(old.name)) {
    return std::nullopt;
  }
  ZPACK_ASSIGN_OR_RETURN(const auto undeltified,
                         source.FindUndeltified(list.path_table));
  ZPACK_ASSIGN_OR_RETURN(const bool can_stay,
                         CanStay(job, path, list, undeltified));
  if (!can_stay) return std::nullopt;
  return OldPack{old.name,
                 old_size + FileSize(path + ".idx") + FileSize(path + ".rev")};
}

}  // namespace zpack
