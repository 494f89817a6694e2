// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_parser.h"

#include "format/tree_columns.h"
#include "format/tree_text.h"

namespace zpack {
namespace {

// Walks along the items of a tree beside those of one that is like it.
class Companion {
 public:
  explicit Companion(const ParsedTree& tree) : tree_(tree) {}

  bool at_end() const { return index_ == tree_.items.size(); }
  const TreeItem& item() const { return tree_.items[index_]; }
  ByteView bytes() const {
    return ByteView(tree_.content).subspan(begin_, tree_.ends[index_] - begin_);
  }
  void Next() { begin_ = tree_.ends[index_++]; }

 private:
  const ParsedTree& tree_;
  size_t index_ = 0;
  size_t begin_ = 0;  // of the item in the content
};

}  // namespace

uint32_t TreeParser::InternName(std::string_view name) {
  key_.assign(name);
  const auto [at, added] =
      name_numbers_.try_emplace(key_, static_cast<uint32_t>(names_.size()));
  if (added) names_.push_back(&at->first);
  return at->second;
}

bool TreeParser::Parse(const ParsedTree& like, ParsedTree& tree) {
  tree.items.clear();
  tree.ends.clear();
  unnumbered_.clear();
  const ByteView content = tree.content;
  ByteView rest = content;
  Companion companion(like);
  while (!rest.empty()) {
    if (!companion.at_end() && StartsWith(rest, companion.bytes())) {
      tree.items.push_back(companion.item());
      rest = rest.subspan(companion.bytes().size());
      tree.ends.push_back(content.size() - rest.size());
      companion.Next();
      continue;
    }
    format::TreeTextEntry entry;
    if (format::TakeTreeEntry(rest, numbers_.format(), entry) !=
        format::TreeFlaw::kNone) {
      return false;
    }
    while (!companion.at_end() && Name(companion.item().name) < entry.name) {
      companion.Next();
    }
    numbers_.PrefetchNumber(entry.id);
    unnumbered_.push_back({tree.items.size(), entry.id});
    TreeItem item{0, 0, entry.mode};
    if (!companion.at_end() && Name(companion.item().name) == entry.name) {
      item.name = companion.item().name;
      companion.Next();
    } else {
      item.name = InternName(entry.name);
    }
    tree.items.push_back(item);
    tree.ends.push_back(content.size() - rest.size());
  }
  for (const Unnumbered& child : unnumbered_) {
    tree.items[child.item].child = numbers_.Number(ObjectId(child.id));
  }
  return true;
}

}  // namespace zpack
