// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rest of the library sees a repository it writes.

#pragma once

#include <memory>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"

namespace zpack {

// Prepares objects for an ObjectSink: one per worker thread.
class ObjectPreparer {
 public:
  virtual ~ObjectPreparer() = default;
  // Appends the stored form of an object to `out`.
  virtual Status Prepare(ObjectType type, ByteView content, Bytes& out) = 0;
};

// Takes objects one after the other, from one thread. Nothing is visible under
// the repository's final name before Finish has returned success; destruction
// without it removes everything that was written.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  virtual std::unique_ptr<ObjectPreparer> NewPreparer() const = 0;

  // Stores an object in the form a preparer gave it.
  virtual Status Add(const ObjectId& id, ByteView prepared) = 0;

  // Stores an object whose content arrives in pieces, `info.size` bytes in all.
  virtual Status Begin(const ObjectId& id, const ObjectInfo& info) = 0;
  virtual Status Append(ByteView piece) = 0;
  virtual Status End() = 0;

  // Makes everything visible and returns the bytes that the objects take.
  // REQUIRES: no object is begun and not ended.
  virtual Result<uint64_t> Finish(const RefsSnapshot& refs) = 0;
};

}  // namespace zpack
