// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/write_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>

namespace zpack {
namespace {

// What history walks read first comes first.
uint32_t TypePosition(ObjectType type) {
  constexpr std::array kOrder = {ObjectType::kCommit, ObjectType::kTag,
                                 ObjectType::kTree, ObjectType::kBlob};
  return static_cast<uint32_t>(std::ranges::find(kOrder, type) -
                               kOrder.begin());
}

std::string_view Extension(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view()
                                                   : name.substr(dot + 1);
}

// Position of each path when paths are sorted so that alike ones are near each
// other: by extension, then by name, then as the walk met them. Full paths are
// not compared: with deep directories they would take quadratic memory.
std::vector<uint32_t> PathPositions(const PathTable& paths) {
  std::vector<uint32_t> order(paths.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t path) {
    const std::string_view name = paths.Name(path);
    return std::tuple(Extension(name), name, path);
  });
  std::vector<uint32_t> positions(paths.size());
  for (uint32_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  return positions;
}

}  // namespace

std::vector<uint32_t> WriteOrder(const ObjectList& list) {
  const std::vector<uint32_t> positions = PathPositions(list.path_table);
  std::vector<uint32_t> order(list.ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t rank) {
    return std::tuple(TypePosition(list.types[rank]), !list.reached(rank),
                      positions[list.paths[rank]], list.visits[rank], rank);
  });
  return order;
}

std::vector<PlannedBlock> PlanBlocks(const ObjectList& list,
                                     const std::vector<uint32_t>& order,
                                     uint64_t block_size) {
  const uint64_t segment_size = std::min(block_size, kMaxSegmentSize);
  std::vector<PlannedBlock> blocks;
  PlannedBlock open;
  const auto flush = [&] {
    if (open.count != 0) blocks.push_back(open);
    open.count = 0;
  };
  for (uint32_t number = 0; number < order.size(); ++number) {
    const ObjectType type = list.types[order[number]];
    const uint64_t size = list.sizes[order[number]];
    if (size > block_size) {
      flush();
      for (uint64_t offset = 0; offset < size; offset += segment_size) {
        blocks.push_back({number, 1, type,
                          std::min(segment_size, size - offset), true, offset});
      }
      continue;
    }
    if (open.count != 0 &&
        (open.type != type || open.raw_size + size > block_size)) {
      flush();
    }
    if (open.count == 0) open = {number, 0, type, 0, false, 0};
    ++open.count;
    open.raw_size += size;
  }
  flush();
  return blocks;
}

}  // namespace zpack
