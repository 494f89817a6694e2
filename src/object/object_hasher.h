// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes object ids: the hash of "<type> <size>\0" followed by the content.
// Thread-compatible; one per worker, reused.

#pragma once

#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

HashAlgorithm HashAlgorithmOf(ObjectFormat format);

class ObjectStream;

// The header that Git hashes before the content of an object.
class ObjectHeader {
 public:
  explicit ObjectHeader(const ObjectInfo& info);
  ByteView bytes() const { return ByteView(bytes_).first(size_); }

 private:
  std::array<uint8_t, 32> bytes_;
  size_t size_;
};

class ObjectHasher {
 public:
  explicit ObjectHasher(ObjectFormat format);

  // The id of a whole object.
  ObjectId Hash(ObjectType type, ByteView content);

  // The id of an object that is read in pieces. Errors are those of
  // ObjectStream::Read.
  Result<ObjectId> Hash(ObjectStream& object);

  // The id of an object whose content arrives in pieces: call Begin, then
  // Update for every piece, then Finish.
  void Begin(const ObjectInfo& info);
  void Update(ByteView piece) { hasher_.Update(piece); }
  ObjectId Finish();

 private:
  Hasher hasher_;
};

// The id of the tree without entries, which Git knows without storing it.
ObjectId EmptyTreeId(ObjectFormat format);

}  // namespace zpack
