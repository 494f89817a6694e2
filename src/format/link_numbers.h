// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers by which objects of a block refer to other objects: object
// numbers for objects in the file, and the numbers after those for the outside
// ids of the block. LinkEncoder turns ids into such numbers, and LinkDecoder
// turns the numbers into ids. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "object/object_id_table.h"
#include "zpack/object_id.h"

namespace zpack::format {

// The objects of a file, with their numbers.
struct FileNumbers {
  FileIds ids;
  IndexedVector<ObjectNumber, FileRank> order;
  IndexedVector<FileRank, ObjectNumber> numbers;
};

// Numbers of ids, in the file or not. The numbers of ids that are not in the
// file are no link numbers, because each block numbers these ids for itself.
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

// The links of one block. Outside ids are numbered in the order in which the
// block refers to them.
class LinkEncoder {
 public:
  // `numbers` must outlive this object.
  explicit LinkEncoder(const ObjectNumbers& numbers) : numbers_(numbers) {}

  // Returns the link to `number` of ObjectNumbers. If the block refers to an
  // outside id for the first time, the id is appended to `outside_ids`.
  LinkNumber Encode(ObjectNumber number, Bytes& outside_ids) {
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

class LinkDecoder {
 public:
  // `object_count` is that of the file. `outside_ids` is the stream of the
  // block, and must outlive this object.
  LinkDecoder(uint32_t object_count, ObjectFormat format, ByteView outside_ids)
      : object_count_(object_count),
        id_width_(ObjectIdWidth(format)),
        outside_ids_(outside_ids) {}

  // False if the stream does not hold whole ids, or more than have numbers.
  bool IsValid() const {
    return outside_ids_.size() % id_width_ == 0 &&
           end() <= std::numeric_limits<uint32_t>::max();
  }
  // All links are less than this.
  uint64_t end() const {
    return object_count_ + outside_ids_.size() / id_width_;
  }

  bool IsOutside(LinkNumber link) const {
    return link.value() >= object_count_;
  }
  // REQUIRES: !IsOutside(link).
  static ObjectNumber Object(LinkNumber link) {
    return ObjectNumber(link.value());
  }
  // REQUIRES: IsOutside(link), and link.value() < end().
  ByteView OutsideId(LinkNumber link) const {
    return outside_ids_.subspan((link.value() - object_count_) * id_width_,
                                id_width_);
  }

 private:
  uint64_t object_count_;
  size_t id_width_;
  ByteView outside_ids_;
};

// Returns the id of an object of the file.
using IdOfNumber = std::function<ObjectId(ObjectNumber number)>;

}  // namespace zpack::format
