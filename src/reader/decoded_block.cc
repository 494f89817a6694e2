// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/decoded_block.h"

#include <ranges>
#include <utility>

#include "base/error.h"

namespace zpack {

Status DecodedBlock::ForEachObject(const WantedObjects& wanted,
                                   uint64_t max_kept,
                                   const Visitor<size_t, ByteView>& visit,
                                   const Visitor<size_t, const Error&>* lost,
                                   FarBudget* budget) const {
  if (const format::BlockLayout* const bases = layout()) {
    return RebuildInOrder(
        *bases, wanted, max_kept,
        {.rebuild = [this](uint32_t index, format::BaseUse use, Bytes& base,
                           Bytes& out) { Rebuild(index, use, base, out); },
         .read_far = read_far,
         .visit = visit,
         .lost = lost,
         .budget = budget});
  }
  for (size_t index = 0; index < objects.sizes.size(); ++index) {
    if (!wanted.empty() && !wanted[index]) continue;
    ZPACK_VISIT(visit(index, Whole(index)), {});
  }
  return {};
}

ByteView DecodedBlock::Whole(size_t index) const {
  const auto& whole = std::get<WholeObjects>(form);
  return ByteView(whole.contents)
      .subspan(whole.offsets[index], objects.sizes[index]);
}

void DecodedBlock::Rebuild(uint32_t index, format::BaseUse use, Bytes& base,
                           Bytes& out) const {
  if (const format::DeltaBlock* const block = deltas()) {
    block->Rebuild(index, base, out);
    return;
  }
  const auto& [block, id_of] = std::get<TreeObjects>(form);
  if (use == format::BaseUse::kLast && block.OnlyChangesChildren(index)) {
    std::swap(base, out);
    block.Patch(index, id_of, out);
  } else {
    block.Rebuild(index, base, id_of, out);
  }
}

void DecodedBlock::ReadDelta(uint32_t index, Delta& delta) const {
  if (const format::DeltaBlock* const block = deltas()) {
    block->ReadDelta(index, delta);
  } else {
    std::get<TreeObjects>(form).block.ReadDelta(index, delta);
  }
}

void DecodedBlock::RebuildChain(std::span<const uint32_t> chain, ByteView base,
                                Bytes& content) const {
  Bytes before;
  if (const format::DeltaBlock* const block = deltas()) {
    block->Rebuild(chain.back(), base, content);
    chain = chain.first(chain.size() - 1);
  } else {
    content.assign(base.begin(), base.end());
  }
  for (const uint32_t index : std::views::reverse(chain)) {
    std::swap(before, content);
    Rebuild(index, format::BaseUse::kLast, before, content);
  }
}

Result<ByteView> DecodedBlock::Object(size_t index, Bytes& buffer,
                                      FarBudget& budget) const {
  const format::BlockLayout* const bases = layout();
  if (bases == nullptr) {
    return Whole(index);
  }
  // Rebuild from the object without a base onwards.
  const auto chain = bases->ChainOf(static_cast<uint32_t>(index));
  std::shared_ptr<const Bytes> base;
  if (chain.far != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(base, read_far(*chain.far, budget));
  }
  RebuildChain(chain.objects, base ? ByteView(*base) : ByteView(), buffer);
  return ByteView(buffer);
}

}  // namespace zpack
