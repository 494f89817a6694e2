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

  // Adds one whole object. `content` may be freed after the call.
  void Add(ObjectType type, ByteView content);
  // True if Finish should be called, so that the waiting objects stay in the
  // processor's cache.
  bool full() const;
  // The ids of the objects added since the last Finish, in the order of Add.
  std::vector<ObjectId> Finish();

 private:
  struct Waiting {
    size_t at;   // index of the object's id in `ids_`
    size_t end;  // end of its message in `messages_`
  };

  ObjectHasher hasher_;
  std::unique_ptr<BatchHasher> batch_;  // null: Add hashes each object
  size_t hash_size_;
  Bytes messages_;  // headers and contents of the waiting objects
  std::vector<Waiting> waiting_;
  std::vector<ObjectId> ids_;
};

}  // namespace zpack
