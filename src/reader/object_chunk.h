// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Some objects of a bulk read, on their way from the thread that decodes them
// to the one that uses them. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/batch_hash.h"
#include "base/bytes.h"
#include "base/index_spaces.h"
#include "object/object_hasher.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Objects in the order of their numbers, with their contents.
class ObjectChunk {
 public:
  enum class State : uint8_t {
    kWhole,     // with its content
    kTooLarge,  // without its content
    kLost,      // cannot be read; `error` says why
  };
  struct Entry {
    ObjectNumber number;
    State state = State::kWhole;
    ObjectInfo info;  // empty if the object is lost
    // Positions in the buffer of the chunk: of the header that is hashed, and
    // of the content.
    size_t header = 0;
    size_t begin = 0;
    size_t end = 0;
    std::unique_ptr<const Error> error = nullptr;
  };

  void Add(ObjectNumber number, ObjectType type, ByteView content);
  void AddTooLarge(ObjectNumber number, const ObjectInfo& info);
  void AddLost(ObjectNumber number, Error error);
  // Removes all objects, and keeps a buffer of usual size.
  void Clear();

  const std::vector<Entry>& entries() const { return entries_; }
  // Bytes of memory that the objects take.
  size_t memory() const {
    return bytes_.size() + entries_.size() * sizeof(Entry) + error_bytes_;
  }
  ByteView content(const Entry& entry) const {
    return ByteView(bytes_).subspan(entry.begin, entry.end - entry.begin);
  }

 private:
  friend class ChunkHasher;

  void Lose(Entry& entry, Error error);

  Bytes bytes_;  // of each object: the header that is hashed, and the content
  std::vector<Entry> entries_;
  size_t error_bytes_ = 0;
};

// Hashes the objects of chunks. One per thread, reused.
class ChunkHasher {
 public:
  explicit ChunkHasher(ObjectFormat format);

  // Calls `expected(number)` for the id of each object with a content. An
  // object with another hash becomes lost, with the error
  // `mismatch(expected id, actual id)`.
  template <typename Expected, typename Mismatch>
  void Check(ObjectChunk& chunk, Expected expected, Mismatch mismatch) {
    Hash(chunk);
    for (size_t i = 0; i < which_.size(); ++i) {
      ObjectChunk::Entry& entry = chunk.entries_[which_[i]];
      const ObjectId id = expected(entry.number);
      const ObjectId actual(ByteView(hashes_[i]).first(id.bytes().size()));
      if (actual == id) continue;
      chunk.Lose(entry, mismatch(id, actual));
    }
  }

 private:
  // Fills `which_` and `hashes_`.
  void Hash(const ObjectChunk& chunk);

  Hasher hasher_;
  std::unique_ptr<BatchHasher> batch_;  // null: one object after the other
  std::vector<size_t> which_;           // index of the entry of each hash
  std::vector<size_t> alone_;           // entries that are hashed alone
  std::vector<BatchHasher::Hash> hashes_;
  std::vector<ByteView> messages_;
};

}  // namespace zpack
