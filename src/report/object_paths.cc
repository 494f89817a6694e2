// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/object_paths.h"

#include <ranges>

#include "object/object_links.h"
#include "reader/far_base_reader.h"

namespace zpack {
namespace {

// Limits for depth and length of paths. Trees whose content was not hashed
// could even refer to each other.
constexpr size_t kMaxPathDepth = 4096;
constexpr size_t kMaxLength = size_t{1} << 10;

}  // namespace

ObjectPaths::ObjectPaths(const ArchiveFile& archive)
    : archive_(archive),
      far_budget_(FarBudgetOf(archive.blocks())),
      parents_(archive.ids().size(), kNone) {
  names_.resize(archive.ids().size(), &*interned_.emplace().first);
}

Status ObjectPaths::AddTrees(const DecodedBlock& block) {
  const ObjectNumber first = block.objects.header.first_object;
  return block.ForEachObject(
      {}, archive_.blocks().max_kept(),
      [&](size_t index, ByteView content) -> Status {
        AddTree(first + static_cast<uint32_t>(index), content);
        return {};
      },
      nullptr, &far_budget_);
}

void ObjectPaths::AddTree(ObjectNumber tree, ByteView content) {
  TreeIterator entries(content, archive_.header().object_format);
  TreeEntry entry;
  while (entries.Next(entry)) {
    if (entry.is_gitlink()) continue;
    const auto rank = archive_.ids().Find(ObjectId(entry.id));
    if (!rank) continue;
    const ObjectNumber child = archive_.number(*rank);
    if (parents_[child] != kNone) continue;
    parents_[child] = tree;
    names_[child] = &*interned_.emplace(entry.name).first;
  }
}

std::string ObjectPaths::Path(ObjectNumber number) const {
  std::vector<const std::string*> components;
  size_t length = 0;
  while (parents_[number] != kNone && components.size() < kMaxPathDepth &&
         length + names_[number]->size() < kMaxLength) {
    length += names_[number]->size() + 1;
    components.push_back(names_[number]);
    number = parents_[number];
  }
  std::string path;
  for (const std::string* name : std::views::reverse(components)) {
    if (!path.empty()) path += '/';
    path += *name;
  }
  return path;
}

}  // namespace zpack
