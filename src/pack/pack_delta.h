// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas in the form of Git packs (gitformat-pack(5), "Deltified
// representation"). Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "delta/delta_costs.h"
#include "delta/delta_planner.h"
#include "zpack/result.h"

namespace zpack {

// Each delta is compressed separately. A literal of a text costs about 6 bits;
// a literal of a tree, mostly bytes of ids, costs nearly 8 bits. A copy takes 4
// to 7 bytes, whatever its offset.
inline constexpr DeltaCosts kPackTextCosts = {48, 240, 0, 0};
inline constexpr DeltaCosts kPackTreeCosts = {60, 280, 0, 0};
// Smaller contents are never deltas: the delta would be as large as the
// content.
inline constexpr uint64_t kMinPackDelta = 50;

// Options for planning the deltas of a pack. Only the number of deltas in a
// chain is limited, unlike in a block of a .zpack file.
DeltaPlannerOptions PackPlannerOptions(const DeltaCosts& costs,
                                       uint32_t max_depth);

// The header of a delta.
struct PackDeltaHeader {
  uint64_t base_size = 0;
  uint64_t result_size = 0;
  size_t size = 0;  // bytes of the header
};

// Maximum size of the header: two sizes of 64 bits.
inline constexpr uint64_t kMaxPackDeltaHeader = 20;

// kCorrupt if `delta` ends within its header, or a size does not fit 64 bits.
Result<PackDeltaHeader> DecodePackDeltaHeader(ByteView delta);

// Fills `out` with the result of applying `delta` to `base`. kCorrupt if
// `delta` is malformed, is not for a base of this size, or does not give the
// size in its header; kLimitExceeded if that size is above `max_size`.
Status ApplyPackDelta(ByteView base, ByteView delta, uint64_t max_size,
                      Bytes& out);

// A content with deltas that are applied one after the other, each to the
// result of the last one. The results are not made: they consist of parts of
// the first content and of the deltas, unless these parts become many.
class PackDeltaStack {
 public:
  // `base` is the first content, and must outlive this object.
  explicit PackDeltaStack(ByteView base) { SetBase(base); }

  // Bytes of the last result.
  uint64_t size() const { return pieces_.empty() ? 0 : pieces_.back().end; }
  // Applies one more delta. Errors as ApplyPackDelta, after which this object
  // is of no use.
  Status Apply(Bytes delta, uint64_t max_size);
  // Fills `out` with the last result.
  void CopyTo(Bytes& out) const;

 private:
  // Bytes in memory that come after those of the piece before.
  struct Piece {
    uint64_t end = 0;  // in the content
    const uint8_t* data = nullptr;
  };

  void SetBase(ByteView base);
  static void AppendPiece(const uint8_t* data, uint64_t size,
                          std::vector<Piece>& pieces);
  // Appends the pieces of [offset, offset + size). REQUIRES: the content has
  // them.
  void AppendPieces(uint64_t offset, uint64_t size,
                    std::vector<Piece>& pieces) const;
  // Applies a delta without making its result. False if the deltas and pieces
  // would take more than a fraction of the content, or `delta` is bad.
  bool Stack(ByteView delta, const PackDeltaHeader& header);
  // Makes the last result, so that it is one piece.
  void MakeWhole();

  std::vector<Piece> pieces_;
  std::vector<Bytes> deltas_;  // that have pieces
  uint64_t delta_bytes_ = 0;
  Bytes made_;  // a result that was made, if any
};

// True if `delta`, applied to `base`, gives `target`. Compares without making a
// copy.
bool PackDeltaGives(ByteView base, ByteView delta, ByteView target);

// Appends `delta`, which turns a base of `base_size` bytes into `target`, in
// the form of Git packs. REQUIRES: `delta` was made for this base and target.
void EncodePackDelta(uint64_t base_size, ByteView target, const Delta& delta,
                     Bytes& out);

}  // namespace zpack
