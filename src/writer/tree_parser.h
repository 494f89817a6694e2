// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees as lists of small numbers. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "object/object_id_table.h"
#include "writer/object_numbers.h"

namespace zpack {

struct TreeItem {
  uint32_t name = 0;  // number of the name, see TreeParser::Name
  ObjectNumber child;
  uint32_t mode = 0;  // see format::kTreeModes
};

// A tree, taken apart.
struct ParsedTree {
  Bytes content;
  std::vector<TreeItem> items;
  std::vector<size_t> ends;  // of each item in `content`
};

class TreeParser {
 public:
  // `numbers` outlives the parser.
  explicit TreeParser(const FileNumbers& numbers) : numbers_(numbers) {}

  // Takes `tree.content` apart. False unless the items stand for exactly these
  // bytes: for unusual modes, and for what is no tree at all. What `like` has
  // in common with it need not be looked up; it may be empty.
  bool Parse(const ParsedTree& like, ParsedTree& tree);

  std::string_view Name(uint32_t name) const { return *names_[name]; }
  // The objects that items name.
  const ObjectNumbers& numbers() const { return numbers_; }

 private:
  uint32_t InternName(std::string_view name);

  // An id in the content whose number is not known yet, and the item that it
  // is for.
  struct Unnumbered {
    size_t item;
    ByteView id;
  };

  ObjectNumbers numbers_;
  std::vector<Unnumbered> unnumbered_;
  std::unordered_map<std::string, uint32_t> name_numbers_;
  std::vector<const std::string*> names_;
  std::string key_;
};

}  // namespace zpack
