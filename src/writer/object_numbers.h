// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers for the ids that objects name: object numbers, and, for what is not
// in the file, numbers that continue them. Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "object/object_id_table.h"

namespace zpack {

// The objects of a file.
struct FileNumbers {
  const ObjectIdTable& ids;
  std::vector<uint32_t> order;    // the rank of each object number
  std::vector<uint32_t> numbers;  // the number of each rank
};

class ObjectNumbers {
 public:
  // `order` is the rank of each object number, `numbers` the number of each
  // rank of `ids`. All outlive this.
  ObjectNumbers(const ObjectIdTable& ids, const std::vector<uint32_t>& order,
                const std::vector<uint32_t>& numbers)
      : ids_(ids), order_(order), numbers_(numbers) {}

  // A number for an id that is not in the file is the same whenever it is
  // asked for.
  uint32_t Number(const ObjectId& id) {
    if (const auto rank = ids_.Find(id)) return numbers_[*rank];
    const auto [at, added] = outside_numbers_.try_emplace(
        id, object_count() + static_cast<uint32_t>(outside_ids_.size()));
    if (added) outside_ids_.push_back(id);
    return at->second;
  }

  // Asks for the memory that Number is going to look at.
  void PrefetchNumber(ByteView id) const { ids_.PrefetchFind(id); }

  // REQUIRES: `number` came from Number, or is an object number.
  ObjectId Id(uint32_t number) const {
    return IsOutside(number) ? outside_ids_[number - object_count()]
                             : ids_[order_[number]];
  }

  bool IsOutside(uint32_t number) const { return number >= object_count(); }
  uint32_t object_count() const { return ids_.size(); }
  ObjectFormat format() const { return ids_.format(); }

 private:
  const ObjectIdTable& ids_;
  const std::vector<uint32_t>& order_;
  const std::vector<uint32_t>& numbers_;
  std::map<ObjectId, uint32_t> outside_numbers_;
  std::vector<ObjectId> outside_ids_;
};

// The same for one block, which counts only what it names itself.
class BlockNumbers {
 public:
  // `numbers` outlives this.
  explicit BlockNumbers(const ObjectNumbers& numbers) : numbers_(numbers) {}

  // The block's number for one of ObjectNumbers. An id that is not in the file
  // is appended to `outside_ids` when the block names it first.
  uint32_t Number(uint32_t number, Bytes& outside_ids) {
    if (!numbers_.IsOutside(number)) return number;
    const auto [at, added] =
        outside_.try_emplace(number, static_cast<uint32_t>(outside_.size()));
    if (added) Append(outside_ids, numbers_.Id(number).bytes());
    return numbers_.object_count() + at->second;
  }

  // Begins a new block.
  void Clear() { outside_.clear(); }

 private:
  const ObjectNumbers& numbers_;
  std::unordered_map<uint32_t, uint32_t> outside_;
};

}  // namespace zpack
