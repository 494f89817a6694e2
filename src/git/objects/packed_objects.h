// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs that are read without libgit2. Finds the pack that holds an object.
// May be used from several threads.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/index_spaces.h"
#include "object/object_id_table.h"
#include "pack/pack_reader.h"
#include "zpack/result.h"

namespace zpack {

class PackedObjects {
 public:
  PackedObjects() = default;

  // Opens those of `packs` (paths without extension, with objects in `format`)
  // that PackReader supports, one after the other, each with `threads` threads.
  // With more than 64 packs, only 64 files are open at a time. kLimitExceeded
  // if there are more objects than an ObjectIdTable can hold.
  static Result<PackedObjects> Open(ObjectFormat format,
                                    const std::vector<std::string>& packs,
                                    const std::shared_ptr<BaseCache>& cache,
                                    unsigned threads);

  size_t pack_count() const { return readers_.size(); }
  // The reader of a pack, by its path without extension. Null if it is not one
  // of the opened packs.
  const PackReader* ReaderOf(const std::string& pack) const {
    const auto at = by_path_.find(pack);
    return at == by_path_.end() ? nullptr : at->second;
  }

  // The error of a pack that exists but cannot be read. Nothing if there is no
  // such pack.
  const std::optional<Error>& unreadable() const { return unreadable_; }

  // The position of an object: the first pack that holds it.
  struct Place {
    PackReader* pack = nullptr;
    PackNumber number;  // of the pack
    PackRank rank;
  };
  std::optional<Place> Find(const ObjectId& id) const;

  const IndexedVector<PackNumber, std::unique_ptr<PackReader>>& readers()
      const {
    return readers_;
  }

 private:
  // Fills ids_ and places_.
  Status MergeIds(ObjectFormat format);

  struct PackAndRank {
    PackNumber number;
    PackRank rank;
  };

  IndexedVector<PackNumber, std::unique_ptr<PackReader>> readers_;
  std::map<std::string, const PackReader*> by_path_;
  std::optional<Error> unreadable_;
  // With many packs: the ids of all packs, and the position of each. Otherwise
  // empty.
  ObjectIdTable ids_;
  std::vector<PackAndRank> places_;
};

}  // namespace zpack
