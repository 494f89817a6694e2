// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Branches and tags as directories: the ref refs/tags/a/b is the entry 'b' of
// the directory 'a'. Immutable; any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mounted_listing.h"
#include "zpack/refs.h"

namespace zpack::mount {

class RefDirectories {
 public:
  static constexpr size_t kBranches = 0;
  static constexpr size_t kTags = 1;

  // Leaves out refs that lead to no object, and those with a part that no
  // directory can have. If a hostile file has the refs 'a' and 'a/b', the
  // second is left out. `refs` must outlive this object.
  explicit RefDirectories(const RefsSnapshot& refs);

  struct Entry {
    // One of the two is set.
    std::optional<size_t> directory = std::nullopt;
    const Ref* ref = nullptr;  // not symbolic
  };
  // REQUIRES: `directory` is kBranches, kTags or from an entry.
  std::optional<Entry> Find(size_t directory, std::string_view name) const;
  DirectoryListing List(size_t directory) const;
  // The number of branches and tags that are not shown.
  size_t hidden() const { return hidden_; }

 private:
  using Directory = std::map<std::string, Entry, std::less<>>;

  // Returns whether there is a place for `ref`, below `directory`.
  bool Add(size_t directory, std::string_view path, const Ref& ref);

  std::vector<Directory> directories_;
  size_t hidden_ = 0;
};

}  // namespace zpack::mount
