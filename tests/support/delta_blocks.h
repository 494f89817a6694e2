// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// From the writer's side of a block of deltas to the reader's, without a file
// between them. Pure.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "delta/delta_planner.h"
#include "delta/look_ahead.h"
#include "format/delta_block.h"
#include "reader/block_decoder.h"
#include "support/deltas.h"
#include "support/unpacked_block.h"

namespace zpack::testing {

// An object of which nothing is prepared.
inline LookAhead::Object Unprepared(Bytes content, PathNumber path) {
  return {std::make_shared<const Bytes>(std::move(content)), path};
}

// Appends `content` as it was planned.
inline void AddPlanned(format::DeltaBlockBuilder& builder, ByteView content,
                       const PlannedDelta& plan) {
  if (plan.base) {
    builder.Add(content, plan.base->value(), plan.delta);
  } else {
    builder.Add(content);
  }
}

// Objects that resemble each other, planned and built.
struct History {
  std::vector<Bytes> contents;
  std::vector<std::optional<uint32_t>> bases;
  format::DeltaBlockBuilder builder;
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
    AddPlanned(history.builder, contents.back(), plan);
    planner.Add(contents.back(), path);
  }
  return history;
}

// A decoded block around `deltas`, as BlockDecoder makes it.
inline DecodedBlock DecodedFrom(format::DeltaBlock deltas) {
  DecodedBlock block;
  block.objects.header.kind = format::BlockKind::kDeltas;
  block.objects.header.object_count = deltas.count();
  block.objects.sizes = deltas.sizes();
  block.form = std::move(deltas);
  return block;
}

}  // namespace zpack::testing
