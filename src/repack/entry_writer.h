// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the entries of a pack in their order: what was searched comes from the
// spool, what is copied from the packs that are there. Thread-compatible.

#pragma once

#include <cstdint>
#include <vector>

#include "object/object_source.h"
#include "pack/stock_pack_writer.h"
#include "repack/reuse_plan.h"
#include "repack/stream_spool.h"
#include "writer/object_list.h"

namespace zpack {

class EntryWriter {
 public:
  // All of them outlive this.
  EntryWriter(ObjectSource& source, const ObjectList& list,
              const ReusePlan& reuse, const StreamSpool& spool,
              StockPackWriter& writer);

  // Appends the entry of an object. Its base, if it has one, was written.
  // Errors are those of reading and writing.
  Status Write(uint32_t rank);

 private:
  Status BeginEntry(uint32_t rank, uint32_t base, uint64_t raw_size);
  // What was not searched: copies it, or else compresses it.
  Status WriteUnsearched(uint32_t rank);
  // Compresses an object in pieces.
  Status WriteWhole(uint32_t rank);

  ObjectSource& source_;
  const ObjectList& list_;
  const ReusePlan& reuse_;
  const StreamSpool& spool_;
  StockPackWriter& writer_;
  std::vector<uint64_t> offsets_;  // by rank
  Bytes stream_;
};

}  // namespace zpack
