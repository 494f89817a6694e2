// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rest of the library sees a repository it writes.

#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// What a sink has to know about an object in its stored form.
struct PreparedObject {
  ObjectType type = ObjectType::kBlob;
  // The object is stored against the one that is added so many before it; whole
  // when 0.
  uint32_t base_distance = 0;
  uint64_t raw_size = 0;  // of what the stored bytes stand for
};

// Whether it is worth it to look for what objects have in common.
enum class Resemblance : uint8_t { kNone, kSome };

// Prepares objects for an ObjectSink: one per worker thread.
class ObjectPreparer {
 public:
  virtual ~ObjectPreparer() = default;

  // Begins a run of objects, all of one type, which are to be added in a row
  // and in the order in which they are prepared.
  virtual void Begin(ObjectType type, Resemblance resemblance) = 0;

  // Appends the stored form of the next object of the run to `out`. It is known
  // to resemble the one `like` before it, if that is not 0. REQUIRES: `like` is
  // at most the number of objects prepared since Begin.
  virtual Result<PreparedObject> Prepare(ByteView content, uint32_t like,
                                         Bytes& out) = 0;
};

// Takes objects one after the other, from one thread. Nothing is visible under
// the repository's final name before Finish has returned success; destruction
// without it removes everything that was written.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  // A preparer that keeps `window` bytes of contents at most, or one object, to
  // compare others with.
  virtual std::unique_ptr<ObjectPreparer> NewPreparer(
      uint64_t window) const = 0;

  // Stores an object that a preparer gave the form `stored`.
  virtual Status Add(const ObjectId& id, const PreparedObject& object,
                     ByteView stored) = 0;

  // Stores an object whose content arrives in pieces, `info.size` bytes in all.
  virtual Status Begin(const ObjectId& id, const ObjectInfo& info) = 0;
  virtual Status Append(ByteView piece) = 0;
  virtual Status End() = 0;

  // Makes everything visible and returns the bytes that the objects take.
  // REQUIRES: no object is begun and not ended.
  virtual Result<uint64_t> Finish(const RefsSnapshot& refs) = 0;
};

}  // namespace zpack
