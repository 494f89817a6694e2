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
#include "base/index_spaces.h"
#include "object/object_id_table.h"

namespace zpack {

// The objects of a file.
struct FileNumbers {
  FileIds ids;
  IndexedVector<ObjectNumber, FileRank> order;
  IndexedVector<FileRank, ObjectNumber> numbers;
};

class ObjectNumbers {
 public:
  // `file` outlives this.
  explicit ObjectNumbers(const FileNumbers& file) : file_(file) {}

  // A number for an id that is not in the file is the same whenever it is
  // asked for.
  ObjectNumber Number(const ObjectId& id) {
    if (const auto rank = file_.ids.Find(id)) return file_.numbers[*rank];
    const auto [at, added] = outside_numbers_.try_emplace(
        id,
        file_.order.end_index() + static_cast<uint32_t>(outside_ids_.size()));
    if (added) outside_ids_.push_back(id);
    return at->second;
  }

  // Asks for the memory that Number is going to look at.
  void PrefetchNumber(ByteView id) const { file_.ids.PrefetchFind(id); }

  // REQUIRES: `number` came from Number, or is an object number.
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

// The same for one block, which counts only what it names itself.
class BlockNumbers {
 public:
  // `numbers` outlives this.
  explicit BlockNumbers(const ObjectNumbers& numbers) : numbers_(numbers) {}

  // What the block calls one of ObjectNumbers. An id that is not in the file
  // is appended to `outside_ids` when the block names it first.
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
  std::unordered_map<ObjectNumber, uint32_t> outside_;  // place of the id
};

}  // namespace zpack
