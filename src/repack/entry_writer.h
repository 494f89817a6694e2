// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the entries of packs in pack order. Searched entries come from the
// spool, copied entries from existing packs. Thread-compatible.

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
  // All references must outlive the writer.
  struct From {
    ObjectSource& source;
    const ObjectList& list;
    const ReusePlan& reuse;
    const StreamSpool& spool;
  };
  EntryWriter(const From& from, const DeltaSearchOptions& options,
              PackSeries& packs);

  // Appends the entry of an object. Starts another pack if the entry does not
  // fit into the last one. REQUIRES: the base of the object, if it has one, has
  // been written. If the base is in an earlier pack, the object gets another
  // base or is stored whole. Errors are those of reading and writing.
  Status Write(ListRank rank);

 private:
  // Starts another pack unless `size` bytes fit into the last one. Returns true
  // if it started one.
  Result<bool> MakeRoom(uint64_t size);
  bool IsElsewhere(ListRank base) const {
    return base != ReusePlan::kNoBase && offsets_[base] == 0;
  }
  Status BeginEntry(ListRank rank, ListRank base, uint64_t raw_size);
  Status WriteSearched(ListRank rank);
  // Writes an object whose base is in an earlier pack.
  Status WriteOrphan(ListRank rank);
  // Copies an entry that was not searched. Returns false, without writing, if
  // the entry cannot be copied, is compressed too weakly, or has its base in an
  // earlier pack.
  Result<bool> Copy(ListRank rank);
  // Compresses an object and stores it whole; a large object in pieces.
  Status WriteWhole(ListRank rank);
  Status WriteInPieces(ListRank rank);

  ObjectSource& source_;
  const ObjectList& list_;
  const ReusePlan& reuse_;
  const StreamSpool& spool_;
  PackSeries& packs_;
  uint64_t max_orphan_;  // larger orphans are stored whole
  OrphanDeltas orphans_;
  Deflater deflater_;
  // By rank: offset in the last pack; 0 for objects that are not in it.
  IndexedVector<ListRank, uint64_t> offsets_;
  Bytes stream_;
  Bytes content_;
};

}  // namespace zpack
