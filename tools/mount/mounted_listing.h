// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of a directory, without those that a file system cannot show.
// Immutable once made; any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::mount {

// Whether a directory can have an entry of this name. Not '.' and '..', names
// with a slash or of more than 255 bytes. Nor '.git' in any case, as in Git:
// programs that find a repository run what its configuration says.
bool CanShow(std::string_view name);

struct ListedEntry {
  std::string_view name;
  uint32_t mode = 0;  // as in a tree of Git; 0 if the entry is a ref
  ObjectId id;        // empty if the entry is a ref or a directory of refs
};

class DirectoryListing {
 public:
  // The entries of the tree with this content. Of several entries with one
  // name, the first one. kCorrupt if the tree is malformed.
  static Result<DirectoryListing> OfTree(std::vector<uint8_t> content,
                                         ObjectFormat format);
  // The names must be valid as long as the listing. REQUIRES: no name is there
  // twice.
  explicit DirectoryListing(std::vector<ListedEntry> entries);

  const std::vector<ListedEntry>& entries() const { return entries_; }
  // Null if there is no such entry.
  const ListedEntry* Find(std::string_view name) const;
  // The number of entries that are not shown.
  size_t hidden() const { return hidden_; }
  // Bytes of memory.
  size_t memory() const;

 private:
  DirectoryListing() = default;
  // Removes entries whose names are those of earlier ones, and fills by_name_.
  void Index();

  std::vector<uint8_t> content_;  // holds the names of a tree
  std::vector<ListedEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices of entries_, sorted by name
  size_t hidden_ = 0;
};

}  // namespace zpack::mount
