// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_parser.h"

#include <algorithm>

#include "base/byte_compare.h"
#include "format/tree_columns.h"
#include "format/tree_text.h"

namespace zpack {
namespace {

// Iterates over the items of a similar tree while another tree is parsed.
class Companion {
 public:
  explicit Companion(const ParsedTree& tree) : tree_(tree) {}

  bool at_end() const { return index_ == tree_.items.size(); }
  const format::TreeItem& item() const { return tree_.items[index_]; }
  void Next() { begin_ = tree_.ends[index_++]; }

  // Appends the items that `content` shares with the similar tree from `begin`
  // on to `to`, and moves past them. Returns their end in `content`.
  size_t TakeCommon(ByteView content, size_t begin, ParsedTree& to) {
    const size_t common = CommonPrefix(
        &content[begin], tree_.content.data() + begin_,
        std::min(content.size() - begin, tree_.content.size() - begin_));
    const auto first = tree_.ends.begin() + static_cast<ptrdiff_t>(index_);
    const auto last =
        std::upper_bound(first, tree_.ends.end(), begin_ + common);
    const auto items = tree_.items.begin() + static_cast<ptrdiff_t>(index_);
    to.items.insert(to.items.end(), items, items + (last - first));
    for (auto end = first; end != last; ++end) {
      to.ends.push_back(*end - begin_ + begin);
    }
    if (first == last) return begin;
    index_ += static_cast<size_t>(last - first);
    begin_ = *(last - 1);
    return to.ends.back();
  }

 private:
  const ParsedTree& tree_;
  size_t index_ = 0;
  size_t begin_ = 0;  // start of the item in the content
};

}  // namespace

bool TreeParser::Parse(const ParsedTree& like, ParsedTree& tree) {
  tree.items.clear();
  tree.ends.clear();
  unnumbered_.clear();
  const ByteView content = tree.content;
  Companion companion(like);
  size_t at = 0;
  while (at < content.size()) {
    at = companion.TakeCommon(content, at, tree);
    if (at == content.size()) break;
    ByteView rest = content.subspan(at);
    format::TreeTextEntry entry;
    if (format::TakeTreeEntry(rest, numbers_.format(), entry) !=
        format::TreeFlaw::kNone) {
      return false;
    }
    while (!companion.at_end() && names_[companion.item().name] < entry.name) {
      companion.Next();
    }
    numbers_.PrefetchNumber(entry.id);
    unnumbered_.push_back({tree.items.size(), entry.id});
    format::TreeItem item{0, {}, entry.mode};
    if (!companion.at_end() && names_[companion.item().name] == entry.name) {
      item.name = companion.item().name;
      companion.Next();
    } else {
      item.name = names_.Number(entry.name);
    }
    tree.items.push_back(item);
    at = content.size() - rest.size();
    tree.ends.push_back(at);
  }
  for (const Unnumbered& child : unnumbered_) {
    tree.items[child.item].child = numbers_.Number(ObjectId(child.id));
  }
  return true;
}

}  // namespace zpack
