// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Interned paths. A path is a parent path and a name, so that walking a tree
// never builds a string. Thread-compatible.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"

namespace zpack {

// What follows the last dot of a file name; empty without one, and for names
// like ".gitignore".
std::string_view FileExtension(std::string_view name);

class PathTable {
 public:
  // The path of root trees, and of everything that has no path.
  static constexpr PathNumber kRoot{0};

  PathTable();

  // The number of `name` inside directory `parent`; numbers count up from 1
  // in the order of first use.
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
  // With all directories, from the root on; empty for kRoot.
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

// Carries paths of one table over into another. Both outlive this, and the
// first does not grow meanwhile. Thread-compatible.
class PathTranslation {
 public:
  PathTranslation(const PathTable& from, PathTable& to)
      : from_(from), to_(to), numbers_(from.size()) {}

  // The number in `to` of a path of `from`.
  PathNumber operator()(PathNumber path);

 private:
  const PathTable& from_;
  PathTable& to_;
  // By path, of those that are known; or kRoot.
  IndexedVector<PathNumber, PathNumber> numbers_;
};

}  // namespace zpack
