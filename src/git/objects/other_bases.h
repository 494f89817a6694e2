// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of which every copy is damaged or a delta on something damaged. As
// Git does, such a delta is read on another copy of its base, from whatever
// pack or file; and if that is such a delta, on another copy of its base, and
// so on. What cannot be read so is lost.

#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "git/objects/fallback_packs.h"
#include "zpack/result.h"

namespace zpack {

class OtherBases {
 public:
  // `packs` must outlive this.
  explicit OtherBases(const FallbackPacks& packs) : packs_(packs) {}

  // Reads a copy of an object that needs no base but those of its own pack.
  using CopyReader =
      std::function<Result<ObjectType>(const ObjectId& id, Bytes& content)>;
  // Reads an object of which `read_copy` can read none, by a search that visits
  // each entry once, and of those that led nowhere none again. Errors: kIo;
  // kNotFound if there is no way.
  Result<ObjectType> Read(const ObjectId& id, const CopyReader& read_copy,
                          Bytes& content) const;

 private:
  class Search;
  // A pack and the offset of an entry.
  using Entry = std::pair<const PackLookup*, uint64_t>;

  const FallbackPacks& packs_;
  mutable std::mutex mutex_;
  // Deltas that cannot be rebuilt, on no copy of their base.
  mutable std::set<Entry> lost_;
  // Objects of which no copy can be read, unless they were rebuilt since.
  mutable std::set<ObjectId> without_copies_;
};

}  // namespace zpack
