// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "node_table.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace zpack::mount {
namespace {

constexpr uint64_t kRootInode = 1;

}  // namespace

std::string PathOf(const Node& node) {
  std::vector<std::string_view> names;
  for (const Node* at = &node; at->parent != nullptr; at = at->parent) {
    names.push_back(at->name);
  }
  std::string path;
  while (!names.empty()) {
    path += names.back();
    names.pop_back();
    if (!names.empty()) path += '/';
  }
  return path;
}

NodeTable::NodeTable(Place root) {
  root_.place = std::move(root);
  root_.inode = kRootInode;
}

uint64_t NodeTable::InodeOf(const Node& parent, std::string_view name) {
  // FNV-1a, and then the last steps of MurmurHash3, which spread every bit.
  uint64_t hash = 0xcbf29ce484222325U ^ parent.inode;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdU;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53U;
  hash ^= hash >> 33;
  // 0 is no inode, and 1 is the root.
  return hash <= kRootInode ? hash + 2 : hash;
}

Node* NodeTable::Find(Node& parent, std::string_view name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = nodes_.find(Key{&parent, name});
  if (at == nodes_.end()) return nullptr;
  ++(*at)->lookups;
  return at->get();
}

Node& NodeTable::Insert(Node& parent, std::string_view name, Place place,
                        uint64_t size) {
  auto node = std::make_unique<Node>();
  node->place = std::move(place);
  node->parent = &parent;
  node->name = name;
  node->inode = InodeOf(parent, name);
  node->size = size;
  const std::lock_guard<std::mutex> lock(mutex_);
  // Another thread may have inserted it meanwhile.
  const auto [at, inserted] = nodes_.insert(std::move(node));
  if (inserted) ++parent.children;
  ++(*at)->lookups;
  return **at;
}

void NodeTable::Forget(Node& node, uint64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  node.lookups -= std::min(count, node.lookups);
  for (Node* at = &node;
       at->parent != nullptr && at->lookups == 0 && at->children == 0;) {
    Node* const parent = at->parent;
    nodes_.erase(nodes_.find(Key{parent, at->name}));
    --parent->children;
    at = parent;
  }
}

size_t NodeTable::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return nodes_.size();
}

}  // namespace zpack::mount
