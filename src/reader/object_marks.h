// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a walk knows of each object. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

class ObjectMarks {
 public:
  // For objects 0 to `count` - 1.
  explicit ObjectMarks(size_t count) : marks_(count) {}

  // The type under which `number` was named first, or nothing.
  std::optional<ObjectType> type(uint32_t number) const {
    const auto type = static_cast<uint8_t>(marks_[number] & kTypeMask);
    if (type == 0) return std::nullopt;
    return static_cast<ObjectType>(type);
  }
  // REQUIRES: it has no type yet.
  void SetType(uint32_t number, ObjectType type) {
    marks_[number] |= static_cast<uint8_t>(type);
  }

  bool seen(uint32_t number) const { return (marks_[number] & kSeen) != 0; }
  void SetSeen(uint32_t number) { marks_[number] |= kSeen; }
  // True when it is seen and was named as `type`.
  bool SeenAs(uint32_t number, ObjectType type) const {
    return (marks_[number] & (kSeen | kTypeMask)) ==
           (kSeen | static_cast<uint8_t>(type));
  }

  // Of trees: all that they name, and what that names, was seen.
  bool complete(uint32_t number) const {
    return (marks_[number] & kComplete) != 0;
  }
  void SetComplete(uint32_t number) { marks_[number] |= kComplete; }

 private:
  static constexpr uint8_t kTypeMask = 7;
  static constexpr uint8_t kSeen = 8;
  static constexpr uint8_t kComplete = 16;

  std::vector<uint8_t> marks_;
};

}  // namespace zpack
