// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What is learned about the blobs of each path from a few of them.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/index_spaces.h"
#include "delta/content_sketch.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"

namespace zpack {

// The blobs of one path.
struct Lineage {
  static constexpr ListRank kNone{0xffffffff};
  static constexpr size_t kNewest = 0;
  static constexpr size_t kOldest = 1;
  static constexpr size_t kMiddle = 2;

  bool empty() const { return blobs[kNewest] == kNone; }
  // The blobs that are read, each once.
  std::span<const ListRank> examined() const {
    if (empty()) return {};
    if (blobs[kOldest] == blobs[kNewest]) return std::span(blobs).first(1);
    const bool middle =
        blobs[kMiddle] != blobs[kNewest] && blobs[kMiddle] != blobs[kOldest];
    return std::span(blobs).first(middle ? 3 : 2);
  }

  // Newest, oldest, and the one nearest to the middle of both, by visit.
  std::array<ListRank, 3> blobs = {kNone, kNone, kNone};
  // The newest ones, in the order of their visits, as many as there are: as
  // many as the window of git-pack-objects(1) has.
  std::array<ListRank, 10> latest = {kNone, kNone, kNone, kNone, kNone,
                                     kNone, kNone, kNone, kNone, kNone};
  // Sketches of the newest and the oldest blob, once read.
  std::array<ContentSketch, 2> sketches;
  bool incompressible = false;
  // Whether the newest and the oldest blob have something in common or, if both
  // are incompressible, two of `latest`.
  bool versions_share = false;
  // Whether versions share more with versions further away than with their
  // neighbours, as if several branches took turns. Only large ones are
  // compared.
  bool takes_turns = false;
  uint32_t count = 0;             // of all blobs
  uint64_t all_bytes = 0;         // of all blobs
  std::vector<uint32_t> samples;  // of the text of `blobs`, ascending
};

// By path: those of its blobs that a walk met and that have at most `max_size`
// bytes. Nothing is read.
IndexedVector<PathNumber, Lineage> FindLineages(const ObjectList& list,
                                                uint64_t max_size);

// Reads blobs of `lineages`, in the order of `order`, on several threads, and
// fills in what is learned from them. Errors of reading.
Status ExamineLineages(ObjectSource& source, const ObjectList& list,
                       const IndexedVector<PathPosition, PathNumber>& order,
                       IndexedVector<PathNumber, Lineage>& lineages,
                       const RunOptions& run);

// Makes `samples` ascending, each once.
void SortSamples(std::vector<uint32_t>& samples);

}  // namespace zpack
