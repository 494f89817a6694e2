// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads trees, and walks everything below a tree. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "zpack/archive_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

struct TreeItem {
  uint32_t mode = 0;      // one of Git's five canonical modes
  std::string_view name;  // a part of the tree's content
  ObjectId id;

  bool is_tree() const { return mode == 0040000; }
  bool is_submodule() const { return mode == 0160000; }
  bool is_link() const { return mode == 0120000; }
  // The type that Git derives from the mode, whatever type the object has.
  ObjectType type() const;
};

// The entries of a tree, in their order.
class TreeItems {
 public:
  // `content` must outlive this object and the items.
  TreeItems(std::span<const uint8_t> content, ObjectFormat format)
      : content_(content), width_(ObjectIdWidth(format)) {}

  // False at the end. kCorrupt if an entry is malformed.
  Result<bool> Next(TreeItem& item);

 private:
  std::span<const uint8_t> content_;
  size_t width_;
  size_t at_ = 0;
};

// The content of a tree, for TreeItems.
//
// Errors: kCorrupt if the object is not a tree; those of ArchiveReader::Read.
Result<std::vector<uint8_t>> ReadTree(const ArchiveReader& reader,
                                      const ObjectId& id);

enum class Descend : uint8_t { kSkip, kEnter };

// Calls `visit` with each entry of the tree `tree` and the path of the
// directory that has the entry: empty, or ending in a slash. For a directory,
// the result says whether its entries follow.
//
// Errors: those of `visit` and of ArchiveReader::Read; kLimitExceeded for a
// path of more than 256 KiB or 2,048 directories.
Status WalkTree(const ArchiveReader& reader, const ObjectId& tree,
                const std::function<Result<Descend>(
                    const TreeItem& item, std::string_view base)>& visit);

}  // namespace zpack::cli
