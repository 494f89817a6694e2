// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An archive as a tree of directories, without anything of FUSE:
//
//   HEAD            a link to the branch or tag, or to the commit
//   branches/       a directory for each branch
//   tags/           a directory for each tag; a file if a tag names a blob
//   commits/<id>/   any commit, by its id or an abbreviation; not listed
//
// Any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mounted_listing.h"
#include "place.h"
#include "recent_values.h"
#include "ref_directories.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::mount {

class ArchiveTree {
 public:
  // `reader` must outlive this object.
  explicit ArchiveTree(const ArchiveReader& reader);

  static Place Root() { return {}; }
  // The entry `name` of a directory; nothing if there is none. An error if it
  // cannot be known, or if the object that it leads to cannot be read:
  // kCorrupt, kIo, kNotFound for an object that the file lacks.
  Result<std::optional<Place>> Find(const Place& directory,
                                    std::string_view name) const;
  // The place of an entry of the tree at `tree`.
  static Place PlaceOf(const Place& tree, const ListedEntry& entry);
  // The entries of a directory. Errors: as for Find.
  Result<std::shared_ptr<const DirectoryListing>> List(
      const Place& directory) const;
  // Bytes of a file, or of the target of a link; 0 for a directory. Errors: as
  // for Find; kCorrupt if the object is not a blob.
  Result<uint64_t> SizeOf(const Place& place) const;
  // Seconds since 1970: of the commit, or, outside of commits, of that of HEAD.
  // 0 if there is none.
  int64_t TimeOf(const Place& place) const;
  // Errors: as for SizeOf; kLimitExceeded for a target that no link can have.
  Result<std::string> TargetOf(const Place& link) const;

  // Extended attributes, with their values: user.git.id and user.git.type of
  // the object, user.git.commit. A link has none: Linux lets no program read
  // them.
  static std::vector<std::pair<std::string, std::string>> AttributesOf(
      const Place& place);

 private:
  std::shared_ptr<const DirectoryListing> ListRefs(size_t directory) const;
  Result<Place> PlaceOfObject(const ObjectId& id) const;
  Result<Place> PlaceOfCommit(const ObjectId& id) const;
  Result<std::optional<Place>> FindCommit(std::string_view name) const;
  // The commit that HEAD leads to, or what else it names; empty if it is
  // unborn.
  ObjectId HeadObject() const;
  std::string TargetOfHead() const;

  const ArchiveReader& reader_;
  const RefDirectories refs_;
  // Found when it is needed, because mounting should take no time.
  mutable std::once_flag head_found_;
  mutable int64_t head_time_ = 0;
  using ListingPtr = std::shared_ptr<const DirectoryListing>;
  mutable RecentValues<ObjectId, ListingPtr> listings_;
  mutable RecentValues<size_t, ListingPtr> ref_listings_;
};

}  // namespace zpack::mount
