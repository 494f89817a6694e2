// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_locator.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace zpack {

ObjectLocator::ObjectLocator(const ArchiveFile& archive) : archive_(archive) {
  if (archive.derives_ids()) return;
  for (const auto& file : archive.files()) {
    lookups_of_files_.emplace_back(
        file->file(), *file->index_chunks(), file->header().object_format,
        file->header().object_count, file->fan_out());
  }
}

Result<bool> ObjectLocator::UseWholeIndex() {
  if (archive_.index_loaded()) return true;
  if (archive_.derives_ids()) {
    ZPACK_TRY(archive_.LoadIndex());
    return true;
  }
  if (++lookups_ <= MaxLookups(archive_.object_count())) return false;
  // If the index is damaged, results that can be proven are still found.
  return archive_.LoadIndex().has_value();
}

Result<std::optional<ObjectNumber>> ObjectLocator::LookUp(
    const ObjectId& id) const {
  for (size_t i = 0; i < lookups_of_files_.size(); ++i) {
    ZPACK_ASSIGN_OR_RETURN(const std::optional<FileRank> rank,
                           lookups_of_files_[i].Find(id));
    if (!rank) continue;
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber number,
                           lookups_of_files_[i].Number(*rank));
    return ObjectNumber(archive_.files()[i]->first_object() + number.value());
  }
  return std::nullopt;
}

Status ObjectLocator::Contains(const ObjectId& id) {
  ZPACK_TRY(Find(id));
  return {};
}

Result<ObjectNumber> ObjectLocator::Find(const ObjectId& id) {
  if (id == archive_.empty_tree_id()) return archive_.empty_tree();
  ZPACK_ASSIGN_OR_RETURN(const bool whole, UseWholeIndex());
  if (!whole) {
    ZPACK_ASSIGN_OR_RETURN(const std::optional<ObjectNumber> number,
                           LookUp(id));
    if (number) return *number;
    // A damaged index must not look like a missing object.
    ZPACK_TRY(archive_.LoadIndex());
  }
  const std::optional<FileRank> rank = archive_.ids().Find(id);
  if (rank) return archive_.number(*rank);
  const bool lost = archive_.lost() && archive_.lost()->Has(id);
  return MakeError(ErrorCode::kNotFound, "object {} is {}not in '{}'", id,
                   MessageText{archive_.promises().Has(id) ? "promised, "
                               : lost                      ? "lost, "
                                                           : ""},
                   AtPath{archive_.path()});
}

Status ObjectLocator::CheckChunks(
    format::ChunkLocation format::IndexChunks::* chunk) const {
  for (const auto& file : archive_.files()) {
    ZPACK_TRY(file->CheckChunk((*file->index_chunks()).*chunk));
  }
  return {};
}

Result<ObjectNumber> ObjectLocator::FindChecked(const ObjectId& id) {
  if (!archive_.index_loaded() && !archive_.derives_ids()) {
    ZPACK_TRY(numbers_checked_.Do(
        [this] { return CheckChunks(&format::IndexChunks::numbers); }));
  }
  return Find(id);
}

Status ObjectLocator::LookUpPrefix(const IndexLookup& lookup,
                                   std::string_view hex_prefix,
                                   uint32_t max_first, Matches& matches) const {
  ZPACK_ASSIGN_OR_RETURN(const auto ranks, lookup.FindPrefix(hex_prefix));
  const auto [begin, end] = ranks;
  matches.count += end - begin;
  const uint32_t named = std::min<uint32_t>(end - begin, max_first);
  for (const FileRank rank : IndexRange(begin, begin + named)) {
    ZPACK_ASSIGN_OR_RETURN(matches.first.emplace_back(), lookup.Id(rank));
  }
  return {};
}

Result<ObjectLocator::Matches> ObjectLocator::FindPrefix(
    std::string_view hex_prefix, uint32_t max_first) {
  ZPACK_ASSIGN_OR_RETURN(const bool whole, UseWholeIndex());
  Matches matches;
  if (!whole) {
    ZPACK_TRY(ids_checked_.Do(
        [this] { return CheckChunks(&format::IndexChunks::ids); }));
    for (const IndexLookup& lookup : lookups_of_files_) {
      ZPACK_TRY(LookUpPrefix(lookup, hex_prefix, max_first, matches));
    }
    std::ranges::sort(matches.first);
    if (matches.first.size() > max_first) matches.first.resize(max_first);
    if (matches.count > 0) return matches;
    ZPACK_TRY(archive_.LoadIndex());
  }
  const auto [begin, end] = archive_.ids().FindPrefix(hex_prefix);
  matches.count = end - begin;
  const uint32_t named = std::min(matches.count, max_first);
  for (const FileRank rank : IndexRange(begin, begin + named)) {
    matches.first.push_back(archive_.ids()[rank]);
  }
  return matches;
}

}  // namespace zpack
