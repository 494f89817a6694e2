// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Marks that a walk sets on objects. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/index_spaces.h"
#include "zpack/object_id.h"

namespace zpack {

class ObjectMarks {
 public:
  // For the objects 0 to `count` - 1.
  explicit ObjectMarks(size_t count) : marks_(count) {}

  // The type of the first link to `number`; nullopt if there was no link.
  std::optional<ObjectType> type(ObjectNumber number) const {
    const auto type = static_cast<uint8_t>(marks_[number] & kTypeMask);
    if (type == 0) return std::nullopt;
    return static_cast<ObjectType>(type);
  }
  // REQUIRES: the object has no type yet.
  void SetType(ObjectNumber number, ObjectType type) {
    marks_[number] |= static_cast<uint8_t>(type);
  }

  bool seen(ObjectNumber number) const { return (marks_[number] & kSeen) != 0; }
  void SetSeen(ObjectNumber number) { marks_[number] |= kSeen; }
  // True if the object has been seen and has type `type`.
  bool SeenAs(ObjectNumber number, ObjectType type) const {
    return (marks_[number] & (kSeen | kTypeMask)) ==
           (kSeen | static_cast<uint8_t>(type));
  }

  // For trees: true if everything that the tree reaches has been seen.
  bool complete(ObjectNumber number) const {
    return (marks_[number] & kComplete) != 0;
  }
  void SetComplete(ObjectNumber number) { marks_[number] |= kComplete; }

  // For commits: true if the walk leaves the commit out.
  bool excluded(ObjectNumber number) const {
    return (marks_[number] & kExcluded) != 0;
  }
  void SetExcluded(ObjectNumber number) { marks_[number] |= kExcluded; }

 private:
  static constexpr uint8_t kTypeMask = 7;
  static constexpr uint8_t kSeen = 8;
  static constexpr uint8_t kComplete = 16;
  static constexpr uint8_t kExcluded = 32;

  IndexedVector<ObjectNumber, uint8_t> marks_;
};

}  // namespace zpack
