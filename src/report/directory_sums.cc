// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/directory_sums.h"

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "object/path_table.h"

namespace zpack {
namespace {

// Directories with less than this part of all stored bytes are not listed.
constexpr uint64_t kLeastShare = 2000;

struct Node {
  uint64_t files = 0;
  RepositoryReport::Sum sum;
};

void Add(Node& node, const Node& other) {
  node.files += other.files;
  node.sum.objects += other.sum.objects;
  node.sum.content_bytes += other.sum.content_bytes;
  node.sum.stored_bytes += other.sum.stored_bytes;
}

void Subtract(Node& node, const Node& other) {
  node.files -= other.files;
  node.sum.objects -= other.sum.objects;
  node.sum.content_bytes -= other.sum.content_bytes;
  node.sum.stored_bytes -= other.sum.stored_bytes;
}

// By path: the sum of the path and of everything below it.
IndexedVector<PathNumber, Node> SumNodes(const ReportInput& input) {
  const ObjectList& list = input.history.list;
  IndexedVector<PathNumber, Node> nodes(list.path_table.size());
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] != ObjectType::kBlob ||
        input.history.brought_by[rank] == ObjectHistory::kNoCommit) {
      continue;
    }
    Node& node = nodes[list.paths[rank]];
    node.files = 1;
    ++node.sum.objects;
    node.sum.content_bytes += list.sizes[rank];
    node.sum.stored_bytes += input.stored[rank].bytes;
  }
  // A path has a greater number than its parent.
  for (uint32_t i = list.path_table.size(); i-- > 1;) {
    const PathNumber path(i);
    Add(nodes[list.path_table.Parent(path)], nodes[path]);
  }
  return nodes;
}

// The paths to list, parents first.
std::vector<PathNumber> ChoosePaths(
    const IndexedVector<PathNumber, Node>& nodes) {
  const uint64_t least = std::max<uint64_t>(
      1, nodes[PathTable::kRoot].sum.stored_bytes / kLeastShare);
  std::vector<PathNumber> chosen;
  for (const PathNumber path : nodes.indexes()) {
    if (path == PathTable::kRoot || nodes[path].sum.stored_bytes >= least) {
      chosen.push_back(path);
    }
  }
  // A parent has at least the bytes of its children, and a smaller number.
  std::ranges::sort(chosen, [&](PathNumber a, PathNumber b) {
    return std::pair(nodes[b].sum.stored_bytes, a) <
           std::pair(nodes[a].sum.stored_bytes, b);
  });
  if (chosen.size() > RepositoryReport::kMaxDirectories) {
    chosen.resize(RepositoryReport::kMaxDirectories);
  }
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

void SumDirectories(const ReportInput& input, RepositoryReport& report) {
  const PathTable& paths = input.history.list.path_table;
  const IndexedVector<PathNumber, Node> nodes = SumNodes(input);
  const std::vector<PathNumber> chosen = ChoosePaths(nodes);
  IndexedVector<PathNumber, uint32_t> places(nodes.size());
  std::vector<Node> rests;
  std::vector<bool> has_children(chosen.size());
  for (const PathNumber path : chosen) {
    const auto place = static_cast<uint32_t>(report.directories.size());
    places[path] = place;
    const Node& node = nodes[path];
    const uint32_t parent = places[paths.Parent(path)];
    report.directories.push_back(
        {std::string(paths.Name(path)), parent, node.files, node.sum, false});
    rests.push_back(node);
    if (place == 0) continue;
    Subtract(rests[parent], node);
    has_children[parent] = true;
  }
  for (uint32_t place = 0; place < rests.size(); ++place) {
    if (!has_children[place] || rests[place].sum.objects == 0) continue;
    report.directories.push_back(
        {"", place, rests[place].files, rests[place].sum, true});
  }
}

}  // namespace zpack
