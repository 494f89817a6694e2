// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Hashes objects and hands the result to whoever compares it with the expected
// id. Thread-compatible; one per worker, reused.

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
  // Is called once for each object, in the order of Add.
  using Compare =
      std::function<Status(const ObjectId& expected, const ObjectId& actual)>;

  ObjectBatchChecker(ObjectFormat format, Compare compare)
      : hasher_(format), compare_(std::move(compare)) {}

  // One more object, whole. `content` is not needed afterwards. Several objects
  // are hashed together, so an error may be one of an earlier object.
  Status Add(ObjectType type, ByteView content, const ObjectId& expected) {
    hasher_.Add(type, content);
    expected_.push_back(expected);
    return hasher_.full() ? Finish() : Status{};
  }

  // Hashes and compares the objects that wait. Returns the first error; the
  // objects behind it are not compared.
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
  std::vector<ObjectId> expected_;  // of the objects in `hasher_`
  Compare compare_;
};

}  // namespace zpack
