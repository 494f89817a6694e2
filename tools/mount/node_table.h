// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The places that the kernel knows. Each has a node until the kernel forgets
// it. Any thread.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>

#include "place.h"

namespace zpack::mount {

struct Node {
  Place place;
  Node* parent = nullptr;  // null for the root
  std::string name;
  // Follows from the path alone, so it is the same in every mount of the file.
  uint64_t inode = 0;
  uint64_t size = 0;
  mutable std::atomic<bool> logged = false;  // an error of the node

  // Guarded by the table: how often the kernel got the node, and the nodes that
  // have it as their parent. With neither, it is removed.
  uint64_t lookups = 0;
  uint64_t children = 0;
};

// The path from the root, without a slash at its beginning.
std::string PathOf(const Node& node);

class NodeTable {
 public:
  explicit NodeTable(Place root);

  Node& root() { return root_; }
  // The number of an entry of the directory `parent`.
  static uint64_t InodeOf(const Node& parent, std::string_view name);

  // The node of an entry, for the kernel; null if there is none yet.
  Node* Find(Node& parent, std::string_view name);
  // The same, with a new node if there is none.
  Node& Insert(Node& parent, std::string_view name, Place place, uint64_t size);
  // The kernel gives back `count` of the nodes that it got.
  void Forget(Node& node, uint64_t count);

  size_t size() const;

 private:
  struct Key {
    const Node* parent;
    std::string_view name;
  };
  static Key KeyOf(const Key& key) { return key; }
  static Key KeyOf(const std::unique_ptr<Node>& node) {
    return {node->parent, node->name};
  }
  struct Hash {
    using is_transparent = void;
    size_t operator()(const auto& value) const {
      const Key key = KeyOf(value);
      return InodeOf(*key.parent, key.name);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      return KeyOf(a).parent == KeyOf(b).parent &&
             KeyOf(a).name == KeyOf(b).name;
    }
  };

  Node root_;
  mutable std::mutex mutex_;  // guards nodes_, and counts in nodes
  std::unordered_set<std::unique_ptr<Node>, Hash, Equal> nodes_;
};

}  // namespace zpack::mount
