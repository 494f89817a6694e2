// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// From the writer's side of a block of deltas to the reader's, without a file
// between them. Pure.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reader/block_decoder.h"
#include "support/deltas.h"
#include "writer/delta_block_builder.h"

namespace zpack::testing {

// In the order of their kinds on disk, but literals last.
inline std::array<Bytes*, 6> AllStreams(DeltaBlock::Streams& streams) {
  return {&streams.sizes,           &streams.bases,
          &streams.literal_lengths, &streams.copy_lengths,
          &streams.copy_offsets,    &streams.literals};
}

// Copies of the builder's streams.
inline DeltaBlock::Streams StreamsOf(const DeltaBlockBuilder& builder) {
  using format::StreamKind;
  constexpr std::array kKinds = {
      StreamKind::kSizes,          StreamKind::kBases,
      StreamKind::kLiteralLengths, StreamKind::kCopyLengths,
      StreamKind::kCopyOffsets,    StreamKind::kLiterals};
  DeltaBlock::Streams streams;
  const auto all = AllStreams(streams);
  for (const auto& [kind, bytes] : builder.Streams()) {
    for (size_t i = 0; i < kKinds.size(); ++i) {
      if (kKinds[i] == kind) all[i]->assign(bytes.begin(), bytes.end());
    }
  }
  return streams;
}

// Objects that resemble each other, planned and built.
struct History {
  std::vector<Bytes> contents;
  std::vector<std::optional<uint32_t>> bases;
  DeltaBlockBuilder builder;
};

inline History RandomHistory(uint64_t seed, unsigned objects) {
  Random random(seed);
  History history;
  DeltaPlanner planner{DeltaPlannerOptions{}};
  for (unsigned i = 0; i < objects; ++i) {
    auto& contents = history.contents;
    if (contents.empty() || Below(random, 6) == 0) {
      contents.push_back(RandomText(random, Below(random, 3000)));
    } else {
      const Bytes& old = contents[Below(random, contents.size())];
      contents.push_back(
          Edited(random, old, static_cast<unsigned>(Below(random, 8))));
    }
    const PathNumber path(static_cast<uint32_t>(Below(random, 3)));
    const PlannedDelta& plan = planner.Plan(contents.back(), path);
    history.bases.push_back(plan.base ? std::optional(plan.base->value())
                                      : std::nullopt);
    history.builder.Add(contents.back(), plan);
    planner.Add(contents.back(), path);
  }
  return history;
}

// A decoded block around `deltas`, as BlockDecoder makes it.
inline DecodedBlock DecodedFrom(DeltaBlock deltas) {
  DecodedBlock block;
  block.objects.header.kind = format::BlockKind::kDeltas;
  block.objects.header.object_count = deltas.count();
  block.objects.sizes = deltas.sizes();
  block.form = std::move(deltas);
  return block;
}

}  // namespace zpack::testing
