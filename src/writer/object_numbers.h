// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Maps the ids that objects refer to onto numbers: object numbers for objects
// in the file, and the numbers after those for all other ids.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "object/object_id_table.h"

namespace zpack {

// The objects of a file, with their numbers.
struct FileNumbers {
  FileIds ids;
  IndexedVector<ObjectNumber, FileRank> order;
  IndexedVector<FileRank, ObjectNumber> numbers;
};

class ObjectNumbers {
 public:
  // `file` must outlive this object.
  explicit ObjectNumbers(const FileNumbers& file) : file_(file) {}

  // Returns the number of `id`. An id that is not in the file gets a number at
  // the first call, and keeps it.
  ObjectNumber Number(const ObjectId& id) {
    if (const auto rank = file_.ids.Find(id)) return file_.numbers[*rank];
    const auto [at, added] = outside_numbers_.try_emplace(
        id,
        file_.order.end_index() + static_cast<uint32_t>(outside_ids_.size()));
    if (added) outside_ids_.push_back(id);
    return at->second;
  }

  // Prefetches the memory that Number(id) reads.
  void PrefetchNumber(ByteView id) const { file_.ids.PrefetchFind(id); }

  // REQUIRES: `number` is an object number, or was returned by Number.
  ObjectId Id(ObjectNumber number) const {
    return IsOutside(number) ? outside_ids_[number - file_.order.end_index()]
                             : file_.ids[file_.order[number]];
  }

  bool IsOutside(ObjectNumber number) const {
    return number.value() >= object_count();
  }
  uint32_t object_count() const { return file_.ids.size(); }
  ObjectFormat format() const { return file_.ids.format(); }

 private:
  const FileNumbers& file_;
  std::map<ObjectId, ObjectNumber> outside_numbers_;
  std::vector<ObjectId> outside_ids_;
};

// Numbers for one block. Ids that are not in the file are numbered in the order
// in which the block refers to them.
class BlockNumbers {
 public:
  // `numbers` must outlive this object.
  explicit BlockNumbers(const ObjectNumbers& numbers) : numbers_(numbers) {}

  // Returns the block's number for `number` of ObjectNumbers. If the block
  // refers to an id outside the file for the first time, the id is appended to
  // `outside_ids`.
  LinkNumber Number(ObjectNumber number, Bytes& outside_ids) {
    if (!numbers_.IsOutside(number)) return LinkNumber(number.value());
    const auto [at, added] =
        outside_.try_emplace(number, static_cast<uint32_t>(outside_.size()));
    if (added) Append(outside_ids, numbers_.Id(number).bytes());
    return LinkNumber(numbers_.object_count() + at->second);
  }

  // Begins a new block.
  void Clear() { outside_.clear(); }

 private:
  const ObjectNumbers& numbers_;
  std::unordered_map<ObjectNumber, uint32_t> outside_;  // position of the id
};

}  // namespace zpack
