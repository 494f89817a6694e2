// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes objects and passes each result, with the expected id, to a function
// that compares them. Thread-compatible; one per worker, reused.

#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "object/object_batch_hasher.h"
#include "zpack/object_id.h"

namespace zpack {

class ObjectBatchChecker {
 public:
  // Called once for each object, in the order of Add.
  using Compare =
      std::function<Status(const ObjectId& expected, const ObjectId& actual)>;

  ObjectBatchChecker(ObjectFormat format, Compare compare)
      : hasher_(format), compare_(std::move(compare)) {}

  // Adds one whole object. `content` may be freed after the call. Several
  // objects are hashed together, so an error may concern an earlier object.
  Status Add(ObjectType type, ByteView content, const ObjectId& expected) {
    hasher_.Add(type, content);
    expected_.push_back(expected);
    return hasher_.full() ? Finish() : Status{};
  }

  // Hashes and compares the objects that are still waiting. Returns the first
  // error. The objects after the first error are not compared.
  Status Finish() {
    const std::vector<ObjectId> expected = std::exchange(expected_, {});
    const std::vector<ObjectId> actual = hasher_.Finish();
    for (size_t i = 0; i < actual.size(); ++i) {
      ZPACK_TRY(compare_(expected[i], actual[i]));
    }
    return {};
  }

 private:
  ObjectBatchHasher hasher_;
  std::vector<ObjectId> expected_;  // ids of the objects in `hasher_`
  Compare compare_;
};

}  // namespace zpack
