// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/object_listing.h"

#include <utility>

#include "base/error.h"
#include "git/objects/loose_object.h"
#include "git/objects/pack_directory.h"

namespace zpack {
namespace {

// If packs appear and disappear faster than they can be listed, the last
// listing is used.
constexpr int kMaxListings = 10;

// The ids of every pack. kNotFound if a pack no longer exists; kIo if an index
// cannot be read.
Result<std::vector<ObjectIdTable>> ReadPacks(
    const std::vector<std::string>& packs,
    const std::vector<ObjectIdTable>& open,
    const std::function<Result<ObjectIdTable>(const std::string&)>& read_ids,
    const std::function<Result<ObjectIdTable>()>& otherwise) {
  std::vector<ObjectIdTable> tables = open;
  for (const std::string& pack : packs) {
    auto ids = read_ids(pack);
    if (ids) {
      tables.push_back(*std::move(ids));
    } else if (ids.error().code == ErrorCode::kNotFound ||
               ids.error().code == ErrorCode::kIo) {
      return std::unexpected(std::move(ids).error());
    } else {
      // The index is damaged or unsupported, so the caller must list the
      // objects.
      ZPACK_ASSIGN_OR_RETURN(auto all, otherwise());
      tables.push_back(std::move(all));
      return tables;
    }
  }
  return tables;
}

// Ids that are in several of `tables`. `all` is the union of the tables.
Result<ObjectIdTable> FindRepeated(const std::vector<ObjectIdTable>& tables,
                                   const ObjectIdTable& all) {
  uint64_t total = 0;
  for (const ObjectIdTable& table : tables) total += table.size();
  if (total == all.size()) return ObjectIdTable();
  std::vector<bool> met(all.size());
  std::vector<bool> again(all.size());
  for (const ObjectIdTable& table : tables) {
    for (uint32_t rank = 0; rank < table.size(); ++rank) {
      const uint32_t at = *all.Find(table[rank]);
      if (met[at]) again[at] = true;
      met[at] = true;
    }
  }
  Bytes ids;
  for (uint32_t rank = 0; rank < all.size(); ++rank) {
    if (again[rank]) Append(ids, all[rank].bytes());
  }
  return ObjectIdTable::FromSorted(all.format(), std::move(ids));
}

}  // namespace

Result<std::vector<std::string>> IndexedPacks(
    const std::vector<std::string>& object_directories) {
  std::vector<std::string> packs;
  for (const std::string& directory : object_directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(directory));
    for (const std::string& name : PacksAmong(directory, files)) {
      packs.push_back(PackDirectory(directory) + '/' + name);
    }
  }
  return packs;
}

Result<ObjectListing> ListObjects(
    ObjectFormat format, const std::vector<std::string>& object_directories,
    const std::vector<ObjectIdTable>& open,
    const std::function<Result<ObjectIdTable>(const std::string&)>& read_ids,
    const std::function<Result<ObjectIdTable>()>& otherwise) {
  std::vector<ObjectIdTable> tables;
  ObjectIdTable loose;
  ZPACK_ASSIGN_OR_RETURN(auto packs, IndexedPacks(object_directories));
  for (int listing = 1;; ++listing) {
    Bytes ids;
    for (const std::string& directory : object_directories) {
      ZPACK_TRY(ListLooseObjects(format, directory, ids));
    }
    ZPACK_ASSIGN_OR_RETURN(loose,
                           ObjectIdTable::FromUnsorted(format, std::move(ids)));
    auto read = ReadPacks(packs, open, read_ids, otherwise);
    ZPACK_ASSIGN_OR_RETURN(auto now, IndexedPacks(object_directories));
    const bool same = now == packs;
    packs = std::move(now);
    const bool is_last = listing == kMaxListings;
    if (!read && (is_last || read.error().code != ErrorCode::kNotFound)) {
      return std::unexpected(std::move(read).error());
    }
    if (!read || (!same && !is_last)) continue;
    tables = *std::move(read);
    break;
  }
  ObjectListing listing;
  ZPACK_ASSIGN_OR_RETURN(const auto packed,
                         ObjectIdTable::Merge(format, tables));
  Bytes only_loose;
  for (const uint32_t rank : RanksOnlyIn(loose, packed)) {
    Append(only_loose, loose[rank].bytes());
  }
  ZPACK_ASSIGN_OR_RETURN(
      listing.only_loose,
      ObjectIdTable::FromSorted(format, std::move(only_loose)));
  ZPACK_ASSIGN_OR_RETURN(
      listing.all, ObjectIdTable::Merge(format, {packed, listing.only_loose}));
  tables.push_back(std::move(loose));
  ZPACK_ASSIGN_OR_RETURN(listing.repeated, FindRepeated(tables, listing.all));
  return listing;
}

}  // namespace zpack
