// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of blobs as blocks of deltas, or a sequence of blobs or
// trees as blocks of far deltas. Only blocks of far deltas need others for
// decoding. Thread-compatible: one encoder per worker.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "delta/delta_planner.h"
#include "delta/look_ahead.h"
#include "format/delta_block.h"
#include "writer/far_bases.h"
#include "writer/stretch_output.h"
#include "zpack/result.h"

namespace zpack {

// Reads an object of an older archive. Returns nothing if the source has it no
// more as it was.
using ReadFarVersion =
    std::function<Result<std::optional<Bytes>>(const FarVersion&)>;

class DeltaStretchEncoder {
 public:
  // Encodes blobs as blocks of deltas. Closes a block when one more blob would
  // make reading any of its blobs decode more than `block_size` bytes, or the
  // size of the smallest blob if all are large, on top of the blob's own size,
  // or when the block would exceed format::kMaxBlockContent and has
  // kLeastVersions blobs of the last one's size. `encoder` must outlive this
  // object.
  DeltaStretchEncoder(const DeltaPlannerOptions& options, uint64_t block_size,
                      BlockEncoder& encoder)
      : planner_(options), block_size_(block_size), output_(encoder) {}
  // Encodes objects of `type` as blocks of far deltas, whose bases may also be
  // objects of an older archive, which `read_far` reads.
  DeltaStretchEncoder(const DeltaPlannerOptions& options, uint64_t block_size,
                      BlockEncoder& encoder, ObjectType type,
                      ReadFarVersion read_far)
      : kind_(format::BlockKind::kFarDeltas),
        type_(type),
        read_far_(std::move(read_far)),
        planner_(options),
        block_size_(block_size),
        output_(encoder),
        builder_(kind_) {}

  // Begins a stretch, as StretchOutput::Begin.
  void Begin(ObjectNumber first, const BlockDestination& to);
  // What can be read before Add adds it.
  LookAhead NewLookAhead(Helpers* helpers) const { return {planner_, helpers}; }
  // Adds the next object of the stretch. Its base may be `far`, if that is not
  // null. Errors are those of `read_far`.
  Status Add(const LookAhead::Object& object, const FarVersion* far = nullptr);
  // Ends the stretch.
  Status Finish();

 private:
  // A candidate of the planner.
  struct Candidate {
    uint32_t index = 0;                  // in the block
    std::optional<format::FarBase> far;  // then there is no index
  };

  // Appends an object to the open block, as the planner says.
  Status AddPlanned(const LookAhead::Object& object, const FarVersion* far);
  // Makes `far` a candidate for the objects of the open block, and returns its
  // number; nothing if `far` cannot be one.
  Result<std::optional<CandidateNumber>> AddFarCandidate(const FarVersion& far,
                                                         PathNumber path);
  // True if the open block holds too much, and not only one object.
  bool IsOverfull() const;
  Status CloseBlock();
  // Begins a block.
  void ClearBlock();

  format::BlockKind kind_ = format::BlockKind::kDeltas;
  ObjectType type_ = ObjectType::kBlob;
  ReadFarVersion read_far_;
  DeltaPlanner planner_;
  uint64_t block_size_;
  StretchOutput output_;
  format::DeltaBlockBuilder builder_;
  // Of the open block, by number of the planner.
  std::vector<Candidate> candidates_;
  std::map<ObjectNumber, std::optional<CandidateNumber>> far_candidates_;
};

}  // namespace zpack
