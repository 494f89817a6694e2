// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the library and a repository that it writes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/delta.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Describes the stored form of an object.
struct PreparedObject {
  ObjectType type = ObjectType::kBlob;
  // If not 0, the stored form is a delta against the object that was added
  // `base_distance` objects earlier. 0 for a whole object.
  uint32_t base_distance = 0;
  // If not empty, the stored form is a delta against this object, which the
  // receiver has and which is not added.
  ObjectId outside_base = {};
  uint64_t raw_size = 0;  // uncompressed size of the object or delta
};

// Whether a preparer should search for common content among objects.
enum class Resemblance : uint8_t { kNone, kSome };

// What is known about an object before it is prepared.
struct KnownResemblance {
  // If not 0, the object resembles the object this many positions before it in
  // the run.
  uint32_t distance = 0;
  // A delta against that object, or if there is none, against that of the last
  // AddEarlierBase; may be null.
  const Delta* delta = nullptr;
};

// Prepares objects for an ObjectSink. One per worker thread.
class ObjectPreparer {
 public:
  virtual ~ObjectPreparer() = default;

  // Begins a run of objects of one type. REQUIRES: the caller adds the objects
  // of the run without others in between, in the order in which they are
  // prepared.
  virtual void Begin(ObjectType type, Resemblance resemblance) = 0;

  // Appends the stored form of the next object of the run to `out`. REQUIRES:
  // `like.distance` is at most the number of objects prepared since Begin.
  virtual Result<PreparedObject> Prepare(ByteView content,
                                         const KnownResemblance& like,
                                         Bytes& out) = 0;

  // Names an object that the receiver has as a candidate for the base of the
  // objects that follow in the run. The next object is known to resemble it.
  virtual void AddOutsideBase(const ObjectId& id, ByteView content) = 0;

  // The same for an object that is added before the run, `distance` objects
  // before the next one.
  virtual void AddEarlierBase(uint32_t distance, ByteView content) = 0;
};

// Whether what was added to a sink can be taken back.
enum class Retraction : uint8_t {
  kPossible,    // destruction without Finish removes everything
  kImpossible,  // what was added is on its way
};

// Takes objects one after the other, from one thread. With
// Retraction::kPossible, nothing is visible under the final name of the
// repository before Finish returns success.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  // If kImpossible, the caller hashes every object before it adds any of its
  // bytes.
  virtual Retraction retraction() const { return Retraction::kPossible; }

  // Makes a preparer that keeps at most `window` bytes of contents for
  // comparison, or one object if that is larger.
  virtual std::unique_ptr<ObjectPreparer> NewPreparer(
      uint64_t window) const = 0;

  // Stores an object in the form `stored`, as a preparer made it.
  virtual Status Add(const ObjectId& id, const PreparedObject& object,
                     ByteView stored) = 0;

  // Stores an object whose content arrives in pieces of `info.size` bytes in
  // total.
  virtual Status Begin(const ObjectId& id, const ObjectInfo& info) = 0;
  virtual Status Append(ByteView piece) = 0;
  virtual Status End() = 0;

  // Stores a file at `path` below the git directory. Its content arrives in
  // pieces. The settings in a file 'config' are added to those that the
  // repository needs. A sink that only takes objects ignores files.
  virtual Status BeginFile(const std::string& /*path*/, bool /*executable*/) {
    return {};
  }
  virtual Status AppendToFile(ByteView /*piece*/) { return {}; }
  virtual Status EndFile() { return {}; }

  // Publishes the repository and returns the bytes that the objects take.
  // REQUIRES: every Begin was followed by End.
  virtual Result<uint64_t> Finish(const RefsSnapshot& refs) = 0;
};

}  // namespace zpack
