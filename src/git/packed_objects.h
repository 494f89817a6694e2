// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs that are read without libgit2, and which of them holds an object.
// May be used from several threads.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
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

  // Opens those of `packs`, paths without extension, that PackReader takes
  // on; `threads` look into one at a time. Any number of packs keeps few files
  // open. kLimitExceeded for more objects than a table of ids holds.
  static Result<PackedObjects> Open(const std::vector<std::string>& packs,
                                    const std::shared_ptr<BaseCache>& cache,
                                    unsigned threads);

  size_t pack_count() const { return readers_.size(); }
  // Whether `pack` is one of them.
  bool Reads(const std::string& pack) const { return paths_.contains(pack); }

  // Why a pack cannot be opened though it is there; nothing where all can.
  const std::optional<Error>& unreadable() const { return unreadable_; }

  // Where an object is: the first of the packs that hold it.
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
  // Fills what follows the readers.
  Status MergeIds();

  struct PackAndRank {
    PackNumber number;
    PackRank rank;
  };

  IndexedVector<PackNumber, std::unique_ptr<PackReader>> readers_;
  std::set<std::string> paths_;  // without extension
  std::optional<Error> unreadable_;
  // Of many packs, all ids, and where each is; else nothing.
  ObjectIdTable ids_;
  std::vector<PackAndRank> places_;
};

}  // namespace zpack
