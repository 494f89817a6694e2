// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The last tree that was read of each directory. One takes the place of the
// one before it, so what is in use stays in the processor's caches.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/index_spaces.h"

namespace zpack {

class LastTrees {
 public:
  // Keeps up to so many bytes of contents, those that were used last.
  explicit LastTrees(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // The tree of a path; empty when there is none. Valid until the next call.
  ByteView Find(PathNumber path) const {
    for (const Trees* trees : {&young_, &old_}) {
      const auto tree = trees->find(path);
      if (tree != trees->end()) return tree->second;
    }
    return {};
  }

  // Keeps a copy in the place of the last one.
  void Insert(PathNumber path, ByteView content) {
    if (content.size() > max_bytes_ / 2) return Erase(path);
    const auto [tree, added] = young_.try_emplace(path);
    if (added) {
      // It has the memory that the new one needs, more or less.
      if (auto node = old_.extract(path))
        tree->second = std::move(node.mapped());
    } else {
      young_bytes_ -= tree->second.capacity();
    }
    tree->second.assign(content.begin(), content.end());
    young_bytes_ += tree->second.capacity();
    if (young_bytes_ > max_bytes_ / 2) {
      old_ = std::exchange(young_, {});
      young_bytes_ = 0;
    }
  }

 private:
  using Trees = std::unordered_map<PathNumber, Bytes>;

  void Erase(PathNumber path) {
    old_.erase(path);
    const auto tree = young_.find(path);
    if (tree == young_.end()) return;
    young_bytes_ -= tree->second.capacity();
    young_.erase(tree);
  }

  uint64_t max_bytes_;
  uint64_t young_bytes_ = 0;
  // What was not used since `young_` was empty is in `old_`, and goes when
  // `young_` is full.
  Trees young_;
  Trees old_;
};

}  // namespace zpack
