// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes the ids of many objects, side by side where that is faster.
// Thread-compatible; one per worker, reused.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/batch_hash.h"
#include "base/bytes.h"
#include "object/object_hasher.h"

namespace zpack {

class ObjectBatchHasher {
 public:
  explicit ObjectBatchHasher(ObjectFormat format);

  // One more object, whole. `content` is not needed afterwards.
  void Add(ObjectType type, ByteView content);
  // Whether Finish is due: what waits should stay in the processor's cache.
  bool full() const;
  // The ids of what was added since the last Finish, in that order.
  std::vector<ObjectId> Finish();

 private:
  struct Waiting {
    size_t at;   // place of the id
    size_t end;  // of the message
  };

  ObjectHasher hasher_;
  std::unique_ptr<BatchHasher> batch_;  // null: each is hashed when it is added
  size_t hash_size_;
  Bytes messages_;  // headers and contents of those that wait, in a row
  std::vector<Waiting> waiting_;
  std::vector<ObjectId> ids_;
};

}  // namespace zpack
