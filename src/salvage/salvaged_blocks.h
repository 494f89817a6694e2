// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The undamaged blocks of a file, as a file without gaps that the reader can
// decode.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "format/link_numbers.h"
#include "reader/file_blocks.h"
#include "salvage/chunk_scan.h"
#include "salvage/salvaged_parts.h"
#include "zpack/options.h"
#include "zpack/salvage.h"

namespace zpack {

// A file that consists of the given blocks, one after the other.
class JoinedBlocks final : public RandomAccessFile {
 public:
  // `file` must outlive this object.
  JoinedBlocks(const RandomAccessFile& file, std::vector<FoundBlock> blocks);

  Status Read(uint64_t offset, std::span<uint8_t> out) const override;
  uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  const std::string& path() const override { return file_.path(); }

 private:
  const RandomAccessFile& file_;
  std::vector<FoundBlock> blocks_;
  std::vector<uint64_t> ends_;  // of each block in this file
};

// The choice among the blocks that were found. The numbers of objects that no
// chosen block has belong to *gaps*: rows of the block table without bytes.
class SalvagedBlocks {
 public:
  // If the block table is undamaged, chooses the blocks that fit it. Otherwise,
  // of two blocks that claim the same numbers, chooses the first in the file;
  // without an index, no blocks that lie in damaged ones.
  SalvagedBlocks(const RandomAccessFile& file, const FoundParts& found,
                 const SalvagedParts& parts);

  // Row i of the table of Open() is a block, not a gap.
  bool IsBlock(size_t row) const { return chosen_[row].has_value(); }
  const FoundBlock& block(size_t row) const { return *chosen_[row]; }
  size_t row_count() const { return chosen_.size(); }
  // One more than the greatest number of an object in a block or gap.
  uint32_t number_count() const {
    return table_.rows.back().first_object.value();
  }
  const format::BlockTable& table() const { return table_; }
  uint64_t conflicts() const { return conflicts_; }
  const std::vector<LostBlock>& lost() const { return lost_; }

  // Makes the blocks readable. Numbers from `object_count` on are those of
  // outside ids. Must not outlive this object.
  std::unique_ptr<FileBlocks> Open(const ReadOptions& options,
                                   ObjectFormat format, uint32_t object_count,
                                   format::IdOfNumber id_of) const;

 private:
  void Choose(const FoundParts& found, const SalvagedParts& parts);
  void ChooseByTable(const FoundParts& found, const format::BlockTable& table);
  void ChooseByNumber(const FoundParts& found, const SalvagedParts& parts);
  void MakeRows();
  void NoteLost(const SalvagedParts& parts);
  // Of the files that the blocks come from; empty for one file.
  std::vector<FileSection> Sections() const;

  const RandomAccessFile& file_;
  std::vector<uint32_t> object_ends_;  // SalvagedParts::object_ends
  std::vector<FoundBlock> blocks_;     // ascending by number and segment offset
  std::unique_ptr<JoinedBlocks> joined_;
  std::vector<std::optional<FoundBlock>> chosen_;  // by row
  format::BlockTable table_;
  std::vector<LostBlock> lost_;
  uint64_t conflicts_ = 0;
};

// The number of objects of the file, from the numbers of outside ids: in each
// block, they follow the object count without gaps. Blocks without outside ids
// tell nothing. Returns UINT32_MAX if no block tells, or if the blocks
// disagree; with UINT32_MAX, blocks that have outside ids cannot be decoded.
//
// Errors: kIo, kInterrupted.
Result<uint32_t> InferObjectCount(const SalvagedBlocks& blocks,
                                  const ReadOptions& options,
                                  ObjectFormat format, const RunOptions& run);

}  // namespace zpack
