// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs of one repack: one, or several when there is a limit to their size.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "pack/pack_writer.h"
#include "zpack/result.h"

namespace zpack {

// A pack under temporary names, and what should be in it, by rank in the list.
struct BuiltPack {
  std::unique_ptr<PackWriter> writer;
  std::vector<ListRank> ranks;  // ascending when the pack is finished
};

class PackSeries {
 public:
  // Packs of at most `max_size` bytes, except that an object larger than that
  // is in one by itself; 0 for one pack of any size. The others outlive this.
  PackSeries(FileSystem& file_system, std::string directory,
             const ObjectList& list, uint64_t max_size);

  // Begins the first pack.
  Status Begin();
  // Begins another pack unless an entry of so many bytes fits into the last
  // one. True when it did.
  Result<bool> MakeRoom(uint64_t size);
  // Begins the entry of an object in the last pack.
  Status BeginEntry(ListRank rank, const PackEntry& entry);
  // Ends the last pack, and gives all.
  Result<std::vector<BuiltPack>> Finish();

  PackWriter& last() { return *packs_.back().writer; }

 private:
  Status FinishLast();

  FileSystem& file_system_;
  std::string directory_;
  const ObjectList& list_;
  uint64_t max_size_;
  std::vector<BuiltPack> packs_;
};

}  // namespace zpack
