// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs of one repack: one pack, or several if the pack size is limited.
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

// A pack with temporary names, and the ranks of its objects in the list.
struct BuiltPack {
  std::unique_ptr<PackWriter> writer;
  std::vector<ListRank> ranks;  // ascending once the pack is finished
};

struct PackShape {
  uint64_t max_size = 0;  // bytes; 0 for any
  PackIndexStyle index;
};

class PackSeries {
 public:
  // Limits packs to `shape.max_size` bytes; 0 means one pack of any size. A
  // larger entry gets a pack of its own. `file_system` and `list` must outlive
  // this object.
  PackSeries(FileSystem& file_system, std::string directory,
             const ObjectList& list, const PackShape& shape);

  // Begins the first pack.
  Status Begin();
  // Begins another pack unless an entry of `size` bytes fits into the last one.
  // Returns true if it began one.
  Result<bool> MakeRoom(uint64_t size);
  // Begins the entry of an object in the last pack.
  Status BeginEntry(ListRank rank, const PackEntry& entry);
  // Finishes the last pack and returns all packs.
  Result<std::vector<BuiltPack>> Finish();

  PackWriter& last() { return *packs_.back().writer; }

 private:
  Status FinishLast();

  FileSystem& file_system_;
  std::string directory_;
  const ObjectList& list_;
  PackShape shape_;
  std::vector<BuiltPack> packs_;
};

}  // namespace zpack
