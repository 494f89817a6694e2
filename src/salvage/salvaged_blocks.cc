// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaged_blocks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "format/expansion.h"
#include "format/file_header.h"

namespace zpack {
namespace {

// Bound for the numbers of objects, so that a forged number cannot make tables
// large: an object takes at least 18 bytes of the index, so only a file of
// which little is left exceeds it.
constexpr uint64_t kFreeNumbers = uint64_t{1} << 26;
constexpr uint64_t kNumbersPerByte = 64;

bool IsSegment(const FoundBlock& block) {
  return block.header.kind == format::BlockKind::kSegment;
}
uint32_t First(const FoundBlock& block) {
  return block.header.first_object.value();
}
uint32_t End(const FoundBlock& block) {
  return First(block) + block.header.object_count;
}

// True if `block` can follow `last`, which has lower or the same numbers.
bool Follows(const FoundBlock& last, const FoundBlock& block) {
  if (First(block) >= End(last)) return true;
  return IsSegment(last) && IsSegment(block) && First(last) == First(block) &&
         last.header.segment_offset < block.header.segment_offset;
}

}  // namespace

JoinedBlocks::JoinedBlocks(const RandomAccessFile& file,
                           std::vector<FoundBlock> blocks)
    : file_(file), blocks_(std::move(blocks)) {
  uint64_t end = 0;
  for (const FoundBlock& block : blocks_) ends_.push_back(end += block.size);
}

Status JoinedBlocks::Read(uint64_t offset, std::span<uint8_t> out) const {
  const auto end = std::ranges::upper_bound(ends_, offset);
  if (end == ends_.end() || out.size() > *end - offset) {
    return MakeError(ErrorCode::kCorrupt, "a lost block of '{}'",
                     AtPath{path()});
  }
  const FoundBlock& block = blocks_[std::distance(ends_.begin(), end)];
  return file_.Read(block.offset + block.size - (*end - offset), out);
}

SalvagedBlocks::SalvagedBlocks(const RandomAccessFile& file,
                               const FoundParts& found,
                               const SalvagedParts& parts)
    : file_(file), object_ends_(parts.object_ends) {
  Choose(found, parts);
  MakeRows();
  NoteLost(parts);
  joined_ = std::make_unique<JoinedBlocks>(file_, blocks_);
}

void SalvagedBlocks::Choose(const FoundParts& found,
                            const SalvagedParts& parts) {
  if (parts.table) {
    ChooseByTable(found, *parts.table);
  } else {
    ChooseByNumber(found, parts);
  }
  conflicts_ = found.blocks.size() - blocks_.size();
}

void SalvagedBlocks::ChooseByTable(const FoundParts& found,
                                   const format::BlockTable& table) {
  // By number of the first object, ascending by offset.
  std::multimap<uint32_t, const FoundBlock*> by_number;
  for (const FoundBlock& block : found.blocks) {
    by_number.emplace(First(block), &block);
  }
  for (size_t row = 0; row + 1 < table.rows.size(); ++row) {
    const uint64_t size = table.rows[row + 1].offset - table.rows[row].offset;
    const uint32_t first = table.rows[row].first_object.value();
    const uint32_t count =
        std::max<uint32_t>(table.rows[row + 1].first_object.value() - first, 1);
    const bool continues =
        row > 0 && table.rows[row - 1].first_object.value() == first;
    const FoundBlock* best = nullptr;
    const auto [begin, end] = by_number.equal_range(first);
    for (auto it = begin; it != end; ++it) {
      const FoundBlock& block = *it->second;
      if (block.size != size || block.header.object_count != count ||
          (block.header.segment_offset != 0) != continues ||
          (continues && (blocks_.empty() || !Follows(blocks_.back(), block)))) {
        continue;
      }
      // Segments have the same numbers and often the same size, so they are
      // told apart by their order, and by their offset if it is right.
      if (best == nullptr || block.offset == table.rows[row].offset) {
        best = &block;
      }
    }
    if (best != nullptr) {
      blocks_.push_back(*best);
    } else {
      lost_.push_back({first, table.rows[row + 1].first_object.value() - first,
                       table.rows[row].offset});
    }
  }
}

void SalvagedBlocks::ChooseByNumber(const FoundParts& found,
                                    const SalvagedParts& parts) {
  std::vector<const FoundBlock*> sorted;
  const uint64_t limit =
      parts.object_count.value_or(static_cast<uint32_t>(std::min<uint64_t>(
          UINT32_MAX, kFreeNumbers + file_.size() * kNumbersPerByte)));
  for (const FoundBlock& block : found.blocks) {
    // Numbers of another file would make wrong trees, which no index shows.
    if (block.in_damaged_block && !parts.index) continue;
    if (End(block) <= limit) sorted.push_back(&block);
  }
  std::ranges::stable_sort(sorted, [](const auto* a, const auto* b) {
    return std::tuple(First(*a), a->header.segment_offset) <
           std::tuple(First(*b), b->header.segment_offset);
  });
  for (const FoundBlock* block : sorted) {
    if (blocks_.empty() || Follows(blocks_.back(), *block)) {
      blocks_.push_back(*block);
    } else if (block->offset < blocks_.back().offset) {
      blocks_.back() = *block;
    }
  }
}

void SalvagedBlocks::MakeRows() {
  uint64_t offset = 0;
  uint32_t next = 0;
  for (const FoundBlock& block : blocks_) {
    if (First(block) > next) {
      table_.rows.push_back({offset, ObjectNumber(next)});
      chosen_.emplace_back();
    }
    table_.rows.push_back({offset, block.header.first_object});
    chosen_.emplace_back(block);
    offset += block.size;
    next = End(block);
  }
  table_.rows.push_back({offset, ObjectNumber(next)});
}

void SalvagedBlocks::NoteLost(const SalvagedParts& parts) {
  if (parts.table) return;
  for (size_t row = 0; row < row_count(); ++row) {
    if (IsBlock(row)) continue;
    const ObjectNumber first = table_.rows[row].first_object;
    lost_.push_back(
        {first.value(), table_.rows[row + 1].first_object - first, {}});
  }
  if (parts.object_count.value_or(0) > number_count()) {
    lost_.push_back({number_count(), *parts.object_count - number_count(), {}});
  }
}

std::vector<FileSection> SalvagedBlocks::Sections() const {
  std::vector<FileSection> sections;
  size_t row = 0;
  for (const uint32_t end : object_ends_) {
    const size_t first = row;
    while (row < table_.block_count() &&
           table_.rows[row].first_object < ObjectNumber(end)) {
      ++row;
    }
    sections.push_back({joined_.get(), first, table_.rows[row].offset, end,
                        format::BlockFeatures()});
  }
  return sections;
}

std::unique_ptr<FileBlocks> SalvagedBlocks::Open(
    const ReadOptions& options, ObjectFormat format, uint32_t object_count,
    format::IdOfNumber id_of) const {
  return std::make_unique<FileBlocks>(
      *joined_, options,
      FileBlocks::Parts{.object_format = format,
                        .object_count = object_count,
                        .features = format::BlockFeatures(),
                        .table = table_,
                        .max_expansion = format::MaxExpansion(file_.size()),
                        .sections = Sections(),
                        .id_of = std::move(id_of),
                        .placed = false},
      FileBlocks::IndexReader());
}

}  // namespace zpack
