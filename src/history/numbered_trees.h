// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The trees of a file with the numbers of their children, for comparing many of
// them. A tree is made of its base's rows, which are mostly at hand because
// versions of a directory are read one after the other. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "base/text_table.h"
#include "format/tree_block.h"
#include "history/entry_differences.h"
#include "object/object_links.h"
#include "reader/archive_file.h"
#include "reader/block_cache.h"
#include "reader/block_decoder.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

class NumberedTrees {
 public:
  // An entry of a tree. Equal names have equal numbers, in all trees.
  struct Row {
    uint32_t name = 0;
    uint32_t mode = 0;
    ObjectNumber child;

    bool is_tree() const { return IsTreeMode(mode); }
    bool operator==(const Row&) const = default;
  };
  using Rows = std::vector<Row>;
  using RowsPtr = std::shared_ptr<const Rows>;

  // Decoded blocks, which the objects of several threads may share.
  using Blocks = std::shared_ptr<BlockCache>;
  static Blocks MakeBlocks(const ArchiveFile& archive, unsigned threads = 1);

  // `archive` must outlive this object. REQUIRES: its index is loaded.
  explicit NumberedTrees(const ArchiveFile& archive)
      : NumberedTrees(archive, MakeBlocks(archive)) {}
  NumberedTrees(const ArchiveFile& archive, Blocks blocks);

  // Calls `asks` with each block before it is asked for.
  void WatchBlocks(std::function<void(size_t block)> asks) {
    asks_ = std::move(asks);
  }
  const Blocks& blocks() const { return blocks_; }

  // The rows of tree `number`, which may be that of the empty tree in
  // ObjectGraph. Errors: kNotFound if it is not in the file;
  // kCorrupt if it is not a tree or has a bad entry; those of decoding blocks.
  Result<RowsPtr> Read(ObjectNumber number);

  // The rows in which two trees differ, in the order of trees. Nothing unless
  // few edits lead from one to the other, which are then all that is read.
  // Errors are those of Read.
  struct Difference {
    Rows before;
    Rows after;
  };
  Result<std::optional<Difference>> ReadDifference(ObjectNumber before,
                                                   ObjectNumber after);

  // How Git sorts the names of entries: less than 0 if `a` comes before `b`.
  int Order(const Row& a, const Row& b) const;

  std::string_view name(uint32_t number) const { return names_.text(number); }
  // The id of a child, also of one that is not in the file.
  ObjectId id(ObjectNumber child) const;
  // The number of an id, which is new if the object is not in the file.
  ObjectNumber number(const ObjectId& id);
  bool IsInFile(ObjectNumber child) const {
    return child.value() < archive_.object_count();
  }

 private:
  using BlockPtr = BlockCache::BlockPtr;
  // By the number of a name in a block; kUnknown until it is used.
  using BlockNames = std::vector<uint32_t>;

  // The row of an entry of a tree of the block, with this child.
  Result<Row> RowOf(const DecodedBlock& block,
                    const format::TreeBlock::Entry& entry, LinkNumber child,
                    BlockNames& names);
  ObjectNumber ChildOf(const format::TreeBlock& trees, LinkNumber child);
  // Adds the row of one side of a difference, if there is one.
  Status AddSide(const DecodedBlock& block, uint32_t name,
                 const EntryDifferences::Side& side, Rows& rows);
  // Turns the rows of the base of tree `index` into those of the tree.
  Status ApplyInPlace(const DecodedBlock& block, uint32_t index, Rows& rows);
  // A tree of a block of trees, whose base has the rows `base`.
  Result<Rows> Apply(const DecodedBlock& block, uint32_t index,
                     const Rows& base);
  Result<BlockPtr> Block(size_t block);
  Result<RowsPtr> ReadFromBlock(const DecodedBlock& block, ObjectNumber number);
  Result<Rows> Parse(ByteView content, ObjectNumber number);
  std::unexpected<Error> BadTree(ObjectNumber number) const;

  const ArchiveFile& archive_;
  Blocks blocks_;
  std::function<void(size_t block)> asks_;
  BlockDecoder decoder_;  // of trees in segments
  EntryDifferences differences_;
  LruCache<ObjectNumber, Rows> trees_;
  std::unordered_map<ObjectNumber, BlockNames> block_names_;  // by first object
  TextTable names_;
  // What is not in the file, by numbers from the object count on. The first is
  // the empty tree, as in ObjectGraph, whether the file has it or not.
  std::vector<ObjectId> outside_;
  std::unordered_map<ObjectId, uint32_t> outside_numbers_;
};

}  // namespace zpack
