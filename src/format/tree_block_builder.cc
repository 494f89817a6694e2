// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_block_builder.h"

namespace zpack::format {

uint32_t TreeNames::Number(std::string_view name) {
  key_.assign(name);
  const auto [at, added] =
      numbers_.try_emplace(key_, static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(&at->first);
  return at->second;
}

uint32_t TreeBlockBuilder::BlockName(uint32_t name) {
  const auto [at, added] = block_names_.try_emplace(
      name, static_cast<uint32_t>(block_names_.size()));
  if (added) {
    Bytes& texts = streams_[StreamKind::kNameTexts];
    Append(texts, AsBytes(names_[name]));
    texts.push_back(0);
  }
  return at->second;
}

void TreeBlockBuilder::AddEdit(const TreeEdit& edit) {
  streams_.Number(StreamKind::kEditRuns, edit.run);
  streams_[StreamKind::kEditKinds].push_back(static_cast<uint8_t>(edit.kind));
  if (edit.kind == TreeEditKind::kRemove) return;
  const auto known = static_cast<uint32_t>(block_names_.size());
  const uint32_t name = BlockName(edit.item.name);
  if (edit.kind == TreeEditKind::kAdd) {
    // 0 for a new name; otherwise its distance from the end of the list of
    // names.
    streams_.Number(StreamKind::kNames, name == known ? 0 : known - name);
    streams_[StreamKind::kModes].push_back(
        static_cast<uint8_t>(edit.item.mode));
  }
  children_.Add(
      name, links_.Encode(edit.item.child, streams_[StreamKind::kOutsideIds]),
      streams_);
}

void TreeBlockBuilder::AddWhole(uint64_t size, bool begins_lineage,
                                const std::vector<TreeItem>& items) {
  if (begins_lineage) children_.BeginLineage();
  layout_.Add(size, std::nullopt, streams_);
  // 0 stands for a verbatim tree.
  streams_.Number(StreamKind::kEditCounts,
                  1 + 2 * items.size() + (begins_lineage ? 0 : 1));
  for (const TreeItem& item : items) AddEdit({0, TreeEditKind::kAdd, item});
}

void TreeBlockBuilder::AddEdits(uint64_t size, uint32_t base,
                                const std::vector<TreeEdit>& edits) {
  layout_.Add(size, base, streams_);
  streams_.Number(StreamKind::kEditCounts, edits.size());
  for (const TreeEdit& edit : edits) AddEdit(edit);
}

void TreeBlockBuilder::AddVerbatim(ByteView content) {
  layout_.Add(content.size(), std::nullopt, streams_);
  streams_.Number(StreamKind::kEditCounts, 0);
  Append(streams_[StreamKind::kLiterals], content);
}

void TreeBlockBuilder::Clear() {
  streams_.Clear();
  layout_.Clear();
  children_.BeginLineage();
  block_names_.clear();
  links_.Clear();
}

}  // namespace zpack::format
