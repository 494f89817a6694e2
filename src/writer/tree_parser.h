// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses trees into lists of small numbers. Thread-compatible.

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
  uint32_t name = 0;  // see TreeParser::Name
  ObjectNumber child;
  uint32_t mode = 0;  // see format::kTreeModes
};

// A tree and its parsed entries.
struct ParsedTree {
  Bytes content;
  std::vector<TreeItem> items;
  std::vector<size_t> ends;  // end of each item in `content`
};

class TreeParser {
 public:
  // `numbers` must outlive the parser.
  explicit TreeParser(const FileNumbers& numbers) : numbers_(numbers) {}

  // Parses `tree.content` and fills the other members. Returns false if the
  // items would not reproduce the content exactly: the content is malformed or
  // has an unusual mode. `like` is a similar tree, or empty. Parsing does not
  // look up names and ids that both trees have in common.
  bool Parse(const ParsedTree& like, ParsedTree& tree);

  std::string_view Name(uint32_t name) const { return *names_[name]; }
  // Numbers of the objects that items refer to.
  const ObjectNumbers& numbers() const { return numbers_; }

 private:
  uint32_t InternName(std::string_view name);

  // An id in the content whose number is not known yet, and the item that gets
  // the number.
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
