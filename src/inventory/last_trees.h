// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeps the tree of each directory that was read last. A newer tree of a
// directory reuses the memory of the older one, so that memory in use stays in
// the processor's caches. Thread-compatible.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/index_spaces.h"

namespace zpack {

class LastTrees {
 public:
  // Keeps about `max_bytes` of content. The trees inserted longest ago are
  // dropped first, and a tree larger than half of `max_bytes` is never kept.
  explicit LastTrees(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the tree of `path`, or an empty view if none is kept. The view is
  // valid until the next call of Insert.
  ByteView Find(PathNumber path) const {
    for (const Trees* trees : {&young_, &old_}) {
      const auto tree = trees->find(path);
      if (tree != trees->end()) return tree->second;
    }
    return {};
  }

  // Keeps a copy of `content` in place of the previous tree of `path`.
  void Insert(PathNumber path, ByteView content) {
    if (content.size() > max_bytes_ / 2) return Erase(path);
    const auto [tree, added] = young_.try_emplace(path);
    if (added) {
      // The memory of the old tree has about the size that the new tree needs.
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
  // New trees go into `young_`. When `young_` is full, it replaces `old_`,
  // whose trees are dropped.
  Trees young_;
  Trees old_;
};

}  // namespace zpack
