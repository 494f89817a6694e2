// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the entries of packs in their order: what was searched comes from the
// spool, what is copied from the packs that are there. Thread-compatible.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "codec/deflate.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/orphan_deltas.h"
#include "repack/pack_series.h"
#include "repack/reuse_plan.h"
#include "repack/stream_spool.h"
#include "zpack/result.h"

namespace zpack {

class EntryWriter {
 public:
  // All of them outlive this, except the options.
  struct From {
    ObjectSource& source;
    const ObjectList& list;
    const ReusePlan& reuse;
    const StreamSpool& spool;
  };
  EntryWriter(const From& from, const DeltaSearchOptions& options,
              PackSeries& packs);

  // Appends the entry of an object, to another pack than the last one when
  // that is full. Its base, if it has one, was written; if that is in an
  // earlier pack, the object gets another one, or is stored whole. Errors are
  // those of reading and writing.
  Status Write(ListRank rank);

 private:
  // Begins another pack unless `size` bytes fit into this one. True when it
  // did.
  Result<bool> MakeRoom(uint64_t size);
  bool IsElsewhere(ListRank base) const {
    return base != ReusePlan::kNoBase && offsets_[base] == 0;
  }
  Status BeginEntry(ListRank rank, ListRank base, uint64_t raw_size);
  Status WriteSearched(ListRank rank);
  // Writes one whose base is elsewhere.
  Status WriteOrphan(ListRank rank);
  // Copies what was not searched. False when that is not possible, or of no
  // use, and nothing was written.
  Result<bool> Copy(ListRank rank);
  // Compresses an object, a large one in pieces.
  Status WriteWhole(ListRank rank);
  Status WriteInPieces(ListRank rank);

  ObjectSource& source_;
  const ObjectList& list_;
  const ReusePlan& reuse_;
  const StreamSpool& spool_;
  PackSeries& packs_;
  uint64_t max_orphan_;  // larger ones are stored whole
  OrphanDeltas orphans_;
  Deflater deflater_;
  IndexedVector<ListRank, uint64_t>
      offsets_;  // in this pack, by rank; 0 for others
  Bytes stream_;
  Bytes content_;
};

}  // namespace zpack
