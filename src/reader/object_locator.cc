// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_locator.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace zpack {

Result<bool> ObjectLocator::UseWholeIndex() {
  if (archive_.index_loaded()) return true;
  if (!archive_.index_chunks()) {
    ZPACK_TRY(archive_.LoadIndex());
    return true;
  }
  if (++lookups_ <= MaxLookups(archive_.object_count())) return false;
  // If the index is damaged, results that can be proven are still found.
  return archive_.LoadIndex().has_value();
}

Result<FileRank> ObjectLocator::Rank(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const bool whole, UseWholeIndex());
  if (!whole) {
    ZPACK_ASSIGN_OR_RETURN(const std::optional<FileRank> rank,
                           lookup_.Find(id));
    if (rank) return *rank;
    // A damaged index must not look like a missing object.
    ZPACK_TRY(archive_.LoadIndex());
  }
  const std::optional<FileRank> rank = archive_.ids().Find(id);
  if (rank) return *rank;
  const bool lost = archive_.lost() && archive_.lost()->Has(id);
  return MakeError(ErrorCode::kNotFound, "object {} is {}not in '{}'", id,
                   MessageText{archive_.promises().Has(id) ? "promised, "
                               : lost                      ? "lost, "
                                                           : ""},
                   AtPath{archive_.path()});
}

Status ObjectLocator::Contains(const ObjectId& id) {
  ZPACK_TRY(Rank(id));
  return {};
}

Result<ObjectNumber> ObjectLocator::Find(const ObjectId& id) {
  ZPACK_ASSIGN_OR_RETURN(const FileRank rank, Rank(id));
  if (archive_.index_loaded()) return archive_.number(rank);
  return lookup_.Number(rank);
}

Result<ObjectNumber> ObjectLocator::FindChecked(const ObjectId& id) {
  if (!archive_.index_loaded() && archive_.index_chunks()) {
    ZPACK_TRY(numbers_checked_.Do([this] {
      return archive_.CheckChunk(archive_.index_chunks()->numbers);
    }));
  }
  return Find(id);
}

Result<std::pair<FileRank, FileRank>> ObjectLocator::Ranks(
    std::string_view hex_prefix) {
  ZPACK_ASSIGN_OR_RETURN(const bool whole, UseWholeIndex());
  if (!whole) {
    ZPACK_TRY(ids_checked_.Do(
        [this] { return archive_.CheckChunk(archive_.index_chunks()->ids); }));
    ZPACK_ASSIGN_OR_RETURN(const auto ranks, lookup_.FindPrefix(hex_prefix));
    if (ranks.first != ranks.second) return ranks;
    ZPACK_TRY(archive_.LoadIndex());
  }
  return archive_.ids().FindPrefix(hex_prefix);
}

Result<ObjectId> ObjectLocator::Id(FileRank rank) {
  if (archive_.index_loaded()) return archive_.ids()[rank];
  return lookup_.Id(rank);
}

Result<ObjectLocator::Matches> ObjectLocator::FindPrefix(
    std::string_view hex_prefix, uint32_t max_first) {
  ZPACK_ASSIGN_OR_RETURN(const auto ranks, Ranks(hex_prefix));
  const auto [begin, end] = ranks;
  Matches matches;
  matches.count = end - begin;
  const uint32_t named = std::min(matches.count, max_first);
  matches.first.reserve(named);
  for (const FileRank rank : IndexRange(begin, begin + named)) {
    ZPACK_ASSIGN_OR_RETURN(matches.first.emplace_back(), Id(rank));
  }
  return matches;
}

}  // namespace zpack
