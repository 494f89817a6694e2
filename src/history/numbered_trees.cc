// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/numbered_trees.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

constexpr uint64_t kBlocksSize = uint64_t{64} << 20;
constexpr uint64_t kTreesSize = uint64_t{24} << 20;
// With so many edits, moving rows in place takes less time than a copy.
constexpr size_t kFewEdits = 8;
constexpr uint32_t kUnknown = std::numeric_limits<uint32_t>::max();

// The modes of format::kTreeModes.
constexpr std::array<uint32_t, 5> kModes = {0100644, 0100755, 0040000, 0120000,
                                            0160000};
static_assert(kModes.size() == format::kTreeModes.size());

}  // namespace

NumberedTrees::Blocks NumberedTrees::MakeBlocks(const ArchiveFile& archive,
                                                unsigned threads) {
  return std::make_shared<BlockCache>(archive.blocks(), threads * kBlocksSize);
}

NumberedTrees::NumberedTrees(const ArchiveFile& archive, Blocks blocks)
    : archive_(archive),
      blocks_(std::move(blocks)),
      trees_(kTreesSize),
      outside_{archive.empty_tree_id()},
      outside_numbers_{{archive.empty_tree_id(), archive.object_count()}} {}

ObjectId NumberedTrees::id(ObjectNumber child) const {
  if (IsInFile(child)) return archive_.ids()[archive_.rank(child)];
  return outside_[child.value() - archive_.object_count()];
}

ObjectNumber NumberedTrees::number(const ObjectId& id) {
  if (const auto rank = archive_.ids().Find(id)) return archive_.number(*rank);
  const auto [at, added] = outside_numbers_.try_emplace(
      id, static_cast<uint32_t>(archive_.object_count() + outside_.size()));
  if (added) outside_.push_back(id);
  return ObjectNumber(at->second);
}

std::unexpected<Error> NumberedTrees::BadTree(ObjectNumber number) const {
  return MakeError(ErrorCode::kCorrupt, "bad entry in tree {}", id(number));
}

Result<NumberedTrees::BlockPtr> NumberedTrees::Block(size_t block) {
  if (asks_) asks_(block);
  return blocks_->Block(block);
}

Result<NumberedTrees::RowsPtr> NumberedTrees::Read(ObjectNumber number) {
  if (RowsPtr known = trees_.Find(number)) return known;
  if (number == archive_.empty_tree()) return std::make_shared<const Rows>();
  if (!IsInFile(number)) {
    const ObjectId missing = id(number);
    return MakeError(ErrorCode::kNotFound, "tree {} is {}", missing,
                     MessageText{archive_.WhyAbsent(missing)});
  }
  const BlockRun run =
      RunAt(archive_.blocks(), archive_.blocks().FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(const BlockPtr block, Block(run.first));
  if (block->objects.header.type != ObjectType::kTree) {
    return MakeError(ErrorCode::kCorrupt, "object {} is a {}, not a tree",
                     id(number), ObjectTypeName(block->objects.header.type));
  }
  const uint32_t index = number - block->objects.header.first_object;
  const format::TreeBlock* const trees = block->trees();
  if (trees != nullptr && !trees->IsVerbatim(index)) {
    return ReadFromBlock(*block, number);
  }
  Bytes buffer;
  ByteView content;
  if (IsSegmented(run, *block)) {
    ZPACK_ASSIGN_OR_RETURN(
        buffer, ReadSegments(archive_.blocks(), run, *block, decoder_));
    content = buffer;
  } else {
    ZPACK_ASSIGN_OR_RETURN(content, block->Object(index, buffer));
  }
  ZPACK_ASSIGN_OR_RETURN(Rows rows, Parse(content, number));
  auto shared = std::make_shared<const Rows>(std::move(rows));
  trees_.Insert(number, shared, shared->size() * sizeof(Row) + sizeof(Rows));
  return shared;
}

Result<NumberedTrees::RowsPtr> NumberedTrees::ReadFromBlock(
    const DecodedBlock& block, ObjectNumber number) {
  const format::TreeBlock& trees = *block.trees();
  const ObjectNumber first = block.objects.header.first_object;
  // From the tree to the first base that is at hand, and back.
  std::vector<uint32_t> chain;
  RowsPtr rows;
  for (std::optional<uint32_t> at = number - first; at && rows == nullptr;
       at = trees.base(chain.back())) {
    rows = trees_.Find(first + *at);
    if (rows == nullptr) chain.push_back(*at);
    if (chain.empty()) break;
  }
  if (chain.empty()) return rows;
  auto made = std::make_shared<Rows>(rows == nullptr ? Rows() : *rows);
  for (const uint32_t index : std::views::reverse(chain)) {
    if (trees.OnlyChangesChildren(index) ||
        trees.edits(index).size() <= kFewEdits) {
      ZPACK_TRY(ApplyInPlace(block, index, *made));
    } else {
      ZPACK_ASSIGN_OR_RETURN(*made, Apply(block, index, *made));
    }
  }
  rows = std::move(made);
  trees_.Insert(number, rows, rows->size() * sizeof(Row) + sizeof(Rows));
  return rows;
}

Result<NumberedTrees::Row> NumberedTrees::RowOf(
    const DecodedBlock& block, const format::TreeBlock::Entry& entry,
    LinkNumber child, BlockNames& names) {
  const format::TreeBlock& trees = *block.trees();
  if (entry.name >= names.size()) names.resize(entry.name + 1, kUnknown);
  if (names[entry.name] == kUnknown) {
    const std::string_view name = trees.name(entry);
    if (name.empty()) {
      return MakeError(ErrorCode::kCorrupt,
                       "bad entry in a tree of the block of tree {}",
                       id(block.objects.header.first_object));
    }
    names[entry.name] = names_.Number(name);
  }
  return Row{names[entry.name], kModes[entry.mode], ChildOf(trees, child)};
}

ObjectNumber NumberedTrees::ChildOf(const format::TreeBlock& trees,
                                    LinkNumber child) {
  const format::LinkDecoder& links = trees.links();
  return links.IsOutside(child) ? number(ObjectId(links.OutsideId(child)))
                                : format::LinkDecoder::Object(child);
}

Status NumberedTrees::AddSide(const DecodedBlock& block, uint32_t name,
                              const EntryDifferences::Side& side, Rows& rows) {
  if (!side.exists) return {};
  BlockNames& names = block_names_[block.objects.header.first_object];
  ZPACK_ASSIGN_OR_RETURN(
      const Row row,
      RowOf(block, {name, side.mode, side.child}, side.child, names));
  rows.push_back(row);
  return {};
}

int NumberedTrees::Order(const Row& a, const Row& b) const {
  return CompareTreeNames(name(a.name), a.is_tree(), name(b.name), b.is_tree());
}

Result<std::optional<NumberedTrees::Difference>> NumberedTrees::ReadDifference(
    ObjectNumber before, ObjectNumber after) {
  if (!IsInFile(before) || !IsInFile(after)) return std::nullopt;
  const size_t at = archive_.blocks().FindBlock(before);
  const ObjectNumber first = archive_.blocks().first_object(at);
  if (after < first ||
      after - first >= archive_.blocks().block_object_count(at)) {
    return std::nullopt;
  }
  ZPACK_ASSIGN_OR_RETURN(const BlockPtr block, Block(at));
  const format::TreeBlock* const trees = block->trees();
  if (trees == nullptr ||
      !differences_.Find(*trees, before - first, after - first)) {
    return std::nullopt;
  }
  Difference difference;
  for (const EntryDifferences::Difference& one : differences_.found()) {
    if (one.before == one.after) continue;
    ZPACK_TRY(AddSide(*block, one.name, one.before, difference.before));
    ZPACK_TRY(AddSide(*block, one.name, one.after, difference.after));
  }
  if (differences_.is_step()) return difference;
  const auto comes_before = [this](const Row& a, const Row& b) {
    return Order(a, b) < 0;
  };
  std::ranges::sort(difference.before, comes_before);
  std::ranges::sort(difference.after, comes_before);
  return difference;
}

Status NumberedTrees::ApplyInPlace(const DecodedBlock& block, uint32_t index,
                                   Rows& rows) {
  const format::TreeBlock& trees = *block.trees();
  // From the end, where positions in the base are still right.
  for (const format::TreeBlock::Edit& edit :
       std::views::reverse(trees.edits(index))) {
    const auto at = rows.begin() + static_cast<ptrdiff_t>(edit.position);
    if (edit.kind == format::TreeEditKind::kChange) {
      at->child = ChildOf(trees, edit.entry.child);
    } else if (edit.kind == format::TreeEditKind::kRemove) {
      rows.erase(at);
    } else {
      BlockNames& names = block_names_[block.objects.header.first_object];
      ZPACK_ASSIGN_OR_RETURN(const Row row,
                             RowOf(block, edit.entry, edit.entry.child, names));
      rows.insert(at, row);
    }
  }
  return {};
}

Result<NumberedTrees::Rows> NumberedTrees::Apply(const DecodedBlock& block,
                                                 uint32_t index,
                                                 const Rows& base) {
  const format::TreeBlock& trees = *block.trees();
  BlockNames& names = block_names_[block.objects.header.first_object];
  Rows rows;
  rows.reserve(base.size() + trees.edits(index).size());
  size_t taken = 0;  // rows of the base
  for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
    rows.insert(rows.end(), base.begin() + static_cast<ptrdiff_t>(taken),
                base.begin() + edit.position);
    taken = edit.position;
    if (edit.kind != format::TreeEditKind::kAdd) ++taken;
    if (edit.kind == format::TreeEditKind::kRemove) continue;
    ZPACK_ASSIGN_OR_RETURN(const Row row,
                           RowOf(block, edit.entry, edit.entry.child, names));
    rows.push_back(row);
  }
  rows.insert(rows.end(), base.begin() + static_cast<ptrdiff_t>(taken),
              base.end());
  return rows;
}

Result<NumberedTrees::Rows> NumberedTrees::Parse(ByteView content,
                                                 ObjectNumber number) {
  TreeIterator entries(content, archive_.header().object_format);
  TreeEntry entry;
  Rows rows;
  while (entries.Next(entry)) {
    if (entry.name.empty()) return BadTree(number);
    rows.push_back({names_.Number(entry.name), entry.mode,
                    this->number(ObjectId(entry.id))});
  }
  if (!entries.complete()) return BadTree(number);
  return rows;
}

}  // namespace zpack
