// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses trees into lists of small numbers. Thread-compatible.

#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "format/link_numbers.h"
#include "format/tree_block_builder.h"

namespace zpack {

// A tree and its parsed entries.
struct ParsedTree {
  Bytes content;
  std::vector<format::TreeItem> items;
  std::vector<size_t> ends;  // end of each item in `content`
};

class TreeParser {
 public:
  // `numbers` must outlive the parser.
  explicit TreeParser(const format::FileNumbers& numbers) : numbers_(numbers) {}

  // Parses `tree.content` and fills the other members. Returns false if the
  // items would not reproduce the content exactly: the content is malformed or
  // has an unusual mode. `like` is a similar tree, or empty. Parsing does not
  // look up names and ids that both trees have in common.
  bool Parse(const ParsedTree& like, ParsedTree& tree);

  // Names of items, and numbers of the objects that they refer to.
  const format::TreeNames& names() const { return names_; }
  const format::ObjectNumbers& numbers() const { return numbers_; }

 private:
  // An id in the content whose number is not known yet, and the item that gets
  // the number.
  struct Unnumbered {
    size_t item;
    ByteView id;
  };

  format::ObjectNumbers numbers_;
  format::TreeNames names_;
  std::vector<Unnumbered> unnumbered_;
};

}  // namespace zpack
