// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/far_base_reader.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "format/limits.h"

namespace zpack {
namespace {

// Parts of ReadOptions::cache_size. The bases of an update's objects are all
// over the file, and the next update needs the same ones again: after a hundred
// updates of git.git, 'verify' takes 1.11 of the time that a fresh file takes,
// and 1.5 with a quarter of this.
constexpr uint64_t kBlocksShare = 2;
constexpr uint64_t kContentsShare = 16;

// `blocks` hold a base with its own bases.
Status CheckBlocks(size_t blocks) {
  if (blocks < format::kMaxFarBlocks) return {};
  return MakeError(ErrorCode::kCorrupt, "an object in more than {} blocks",
                   format::kMaxFarBlocks);
}

Status CheckBudget(const FarBudget& budget) {
  if (budget.used <= budget.limit) return {};
  return MakeError(ErrorCode::kLimitExceeded,
                   "more than {} bytes had to be decoded to read bases in "
                   "earlier blocks",
                   budget.limit);
}

}  // namespace

FarBudget FarBudgetOf(const FileBlocks& file) {
  constexpr uint64_t kDecodings = 8;
  return {.limit = kDecodings * file.expansion().limit().decoded};
}

FarBaseReader::FarBaseReader(const FileBlocks& file)
    : file_(file),
      blocks_(file, file.options().cache_size / kBlocksShare),
      contents_(file.options().cache_size / kContentsShare) {}

Result<FarBaseReader::Step> FarBaseReader::FollowInBlock(ObjectNumber number,
                                                         uint64_t& work) {
  const size_t at = file_.FindBlock(number);
  Step step;
  const uint64_t before = work;
  ZPACK_ASSIGN_OR_RETURN(step.block, blocks_.Block(at, &work));
  // The text of the blocks before it in its group.
  if (work != before) work += step.block->objects.header.group.raw_size;
  if (step.block->objects.header.kind == format::BlockKind::kSegment) {
    return MakeError(ErrorCode::kCorrupt, "a base in segments");
  }
  const uint32_t index = number - file_.first_object(at);
  const format::BlockLayout* const layout = step.block->layout();
  step.chain = layout == nullptr ? format::BlockLayout::Chain{{index}, nullptr}
                                 : layout->ChainOf(index);
  for (const uint32_t object : step.chain.objects) {
    work += step.block->objects.sizes[object];
  }
  return step;
}

FarBaseReader::BasePtr FarBaseReader::Find(const format::FarBase& base,
                                           ObjectType type) {
  const std::lock_guard<std::mutex> lock(mutex_);
  BasePtr kept = contents_.Find(base.number);
  // Follow tells the error.
  const bool fits =
      kept && kept->content->size() == base.size && kept->type == type;
  return fits ? kept : nullptr;
}

Result<std::vector<FarBaseReader::Step>> FarBaseReader::Follow(
    ObjectNumber number, ObjectType type, std::optional<uint64_t> size,
    BasePtr* known, uint64_t& work) {
  std::vector<Step> steps;
  uint64_t kept = 0;
  // The number of a base is less than that of the first object of the block
  // that refers to it, so this ends.
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(Step step, FollowInBlock(number, work));
    // Before anything is rebuilt: the ids that a tree is made of may not be
    // known yet.
    if (step.block->objects.header.type != type) {
      return MakeError(ErrorCode::kCorrupt, "a {} as the base of a {}",
                       ObjectTypeName(step.block->objects.header.type),
                       ObjectTypeName(type));
    }
    if (size &&
        *size != step.block->objects.sizes[step.chain.objects.front()]) {
      return MakeError(
          ErrorCode::kCorrupt, "a base of {} bytes is said to have {}",
          step.block->objects.sizes[step.chain.objects.front()], *size);
    }
    kept += step.block->memory();
    steps.push_back(std::move(step));
    const format::FarBase* const far = steps.back().chain.far;
    if (far == nullptr) return steps;
    if (known != nullptr) *known = Find(*far, type);
    if (known != nullptr && *known) {
      ZPACK_TRY(CheckBlocks(steps.size() + (*known)->blocks));
      return steps;
    }
    if (kept > file_.max_kept()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "an object needs more than {} bytes of memory",
                       file_.max_kept());
    }
    ZPACK_TRY(CheckBlocks(steps.size() + 1));
    number = far->number;
    size = far->size;
  }
}

Result<FarBaseReader::BasePtr> FarBaseReader::Read(const format::FarBase& base,
                                                   ObjectType type,
                                                   FarBudget& budget) {
  BasePtr known = Find(base, type);
  if (known) return known;
  ZPACK_TRY(CheckBudget(budget));
  ZPACK_ASSIGN_OR_RETURN(
      const std::vector<Step> steps,
      Follow(base.number, type, base.size, &known, budget.used));
  ZPACK_TRY(CheckBudget(budget));
  Bytes content;
  Bytes before;
  ByteView below = known ? ByteView(*known->content) : ByteView();
  for (const Step& step : steps | std::views::reverse) {
    std::swap(before, content);
    if (step.block->layout() != nullptr) {
      step.block->RebuildChain(step.chain.objects, below, content);
    } else {
      const ByteView whole = step.block->Whole(step.chain.objects.front());
      content.assign(whole.begin(), whole.end());
    }
    below = content;
  }
  const auto blocks =
      static_cast<uint32_t>(steps.size()) + (known ? known->blocks : 0);
  const uint64_t bytes = content.size();
  auto rebuilt = std::make_shared<const Base>(
      Base{std::make_shared<const Bytes>(std::move(content)), type, blocks});
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_.Find(base.number) == nullptr) {
    contents_.Insert(base.number, rebuilt, bytes);
  }
  return rebuilt;
}

Result<std::optional<format::FarBase>> FarBaseReader::Choose(
    ObjectNumber number, const Cost& most) {
  ZPACK_ASSIGN_OR_RETURN(const BlockObjects* const objects,
                         blocks_.Objects(file_.FindBlock(number)));
  const uint32_t index = number - objects->header.first_object;
  switch (objects->header.kind) {
    case format::BlockKind::kSegment:
      return std::nullopt;
    case format::BlockKind::kFarDeltas:
      break;
    default:
      return format::FarBase{number, objects->sizes[index]};
  }
  uint64_t work = 0;
  ZPACK_ASSIGN_OR_RETURN(
      const std::vector<Step> steps,
      Follow(number, objects->header.type, std::nullopt, nullptr, work));
  const Step& from = steps[ChooseStep(steps, most)];
  const uint32_t at = from.chain.objects.front();
  return format::FarBase{from.block->objects.header.first_object + at,
                         from.block->objects.sizes[at]};
}

// Three quarters, so that the next versions have room again.
size_t FarBaseReader::ChooseStep(const std::vector<Step>& steps,
                                 const Cost& most) {
  size_t from = steps.size() - 1;
  uint64_t bytes = 0;
  for (size_t i = steps.size(); i-- > 0;) {
    bytes += steps[i].block->memory();
    const uint64_t blocks = steps.size() - i;
    if (bytes <= most.bytes / 4 * 3 && blocks <= uint64_t{most.blocks} / 4 * 3)
      from = i;
  }
  return steps.size() <= most.blocks && bytes <= most.bytes ? 0 : from;
}

}  // namespace zpack
