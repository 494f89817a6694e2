// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Interned paths. A path is a parent path and a name, so that walking a tree
// does not build strings. Thread-compatible.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"

namespace zpack {

// The part of a file name after its last dot. Empty if there is no dot, and for
// names like ".gitignore".
std::string_view FileExtension(std::string_view name);

class PathTable {
 public:
  // The path of root trees, and of all objects without a path.
  static constexpr PathNumber kRoot{0};

  PathTable();

  // The number of the path `name` in the directory `parent`. Numbers count up
  // from 1 in the order of first use.
  PathNumber Intern(PathNumber parent, std::string_view name);

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  std::string_view Name(PathNumber path) const {
    return nodes_[path.value()].name;
  }
  PathNumber Parent(PathNumber path) const {
    return nodes_[path.value()].parent;
  }
  IndexRange<PathNumber> numbers() const {
    return IndexRange<PathNumber>(size());
  }
  // The path with all its directories; empty for kRoot.
  std::string FullPath(PathNumber path) const;

 private:
  struct Node {
    PathNumber parent;
    std::string name;
  };
  struct Key {
    PathNumber parent;
    std::string_view name;  // points into a node
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) ^
             key.parent.value() * size_t{0x9e3779b97f4a7c15};
    }
  };

  std::deque<Node> nodes_;  // a deque, because keys point into it
  std::unordered_map<Key, PathNumber, KeyHash> numbers_;
};

// Translates path numbers of one table to another table. REQUIRES: both tables
// outlive this object; the first table does not grow in the meantime.
// Thread-compatible.
class PathTranslation {
 public:
  PathTranslation(const PathTable& from, PathTable& to)
      : from_(from), to_(to), numbers_(from.size()) {}

  // The number in `to` of the path `path` of `from`.
  PathNumber operator()(PathNumber path);

 private:
  const PathTable& from_;
  PathTable& to_;
  // numbers in `to`, by path of `from`; kRoot if not known yet
  IndexedVector<PathNumber, PathNumber> numbers_;
};

}  // namespace zpack
