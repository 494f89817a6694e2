// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_series.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

// Bytes of the hash at the end of a pack.
uint64_t TrailerSize(const ObjectList& list) {
  return ObjectIdWidth(list.ids.format());
}

}  // namespace

PackSeries::PackSeries(FileSystem& file_system, std::string directory,
                       const ObjectList& list, const PackShape& shape)
    : file_system_(file_system),
      directory_(std::move(directory)),
      list_(list),
      shape_(shape) {}

Status PackSeries::Begin() {
  // If the pack size is limited, the number of objects is known only at the
  // end.
  const uint32_t count = shape_.max_size == 0 ? list_.ids.size() : 0;
  BuiltPack pack;
  ZPACK_ASSIGN_OR_RETURN(
      pack.writer,
      PackWriter::Create(list_.ids.format(), file_system_, directory_, count,
                         static_cast<unsigned>(packs_.size())));
  pack.ranks.reserve(count);
  packs_.push_back(std::move(pack));
  return {};
}

Result<bool> PackSeries::MakeRoom(uint64_t size) {
  if (shape_.max_size == 0 || packs_.back().ranks.empty() ||
      last().offset() + size + TrailerSize(list_) <= shape_.max_size) {
    return false;
  }
  ZPACK_TRY(FinishLast());
  ZPACK_TRY(Begin());
  return true;
}

Status PackSeries::BeginEntry(ListRank rank, const PackEntry& entry) {
  packs_.back().ranks.push_back(rank);
  return last().BeginEntry(list_.ids[rank], entry);
}

Status PackSeries::FinishLast() {
  std::ranges::sort(packs_.back().ranks);
  return last().Finish(shape_.index);
}

Result<std::vector<BuiltPack>> PackSeries::Finish() {
  ZPACK_TRY(FinishLast());
  return std::move(packs_);
}

}  // namespace zpack
