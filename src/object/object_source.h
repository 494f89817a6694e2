// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rest of the library sees a repository it reads. Implementations may
// be used from several threads at once, except that one ObjectStream belongs
// to one thread at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "object/object_id_table.h"
#include "object/path_table.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The content of one object, front to back.
class ObjectStream {
 public:
  virtual ~ObjectStream() = default;
  virtual const ObjectInfo& info() const = 0;
  // Fills `out`; kSourceCorrupt when the content ends first.
  virtual Status Read(std::span<uint8_t> out) = 0;
};

// How a pack stores an object.
struct PackedForm {
  PackNumber pack;    // of those of the source
  ObjectId base;      // of a delta; empty when the object is stored whole
  uint64_t size = 0;  // of the entry in the pack
};

// Receives such a form: first the size of what its zlib stream stands for, the
// object or a delta, then the stream in pieces.
struct PackedSink {
  std::function<Status(uint64_t)> begin;
  std::function<Status(ByteView)> append;
};

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  // What to call this source in messages.
  virtual const std::string& path() const = 0;
  virtual ObjectFormat object_format() const = 0;

  // Every object of the database: packed, loose, from alternates, reachable or
  // not.
  virtual Result<ObjectIdTable> ListObjects() = 0;

  // kNotFound when there is no such object, kSourceCorrupt when it cannot be
  // decoded. The content is returned as stored; its hash is not checked.
  virtual Result<ObjectInfo> ReadInfo(const ObjectId& id) = 0;
  virtual Result<ObjectType> Read(const ObjectId& id, Bytes& content) = 0;
  // Asks for the memory that Read of these is going to look at: where many
  // objects are packed, it takes longer to get than a small one to read.
  virtual void PrefetchReads(std::span<const ObjectId> /*ids*/) {}
  // For objects that are too large to be held twice.
  virtual Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) = 0;

  virtual Result<RefsSnapshot> ReadRefs() = 0;
  // What keeps objects alive besides refs and HEAD: reflogs, the HEADs of
  // worktrees, and every index. Ids here may name objects that are gone.
  virtual Result<std::vector<ObjectId>> ListOtherTips() = 0;

  // By number in `paths`: true for those whose blobs are not to be stored as
  // deltas (gitattributes(5), `delta`). Not for several threads.
  virtual Result<IndexedVector<PathNumber, bool>> FindUndeltified(
      const PathTable& paths) {
    return IndexedVector<PathNumber, bool>(paths.size());
  }

  // How an object is stored that can be copied as it is; nothing for others.
  virtual std::optional<PackedForm> FindPacked(const ObjectId& /*id*/) {
    return std::nullopt;
  }
  // Copies it. kCorrupt, with nothing passed on, when it is damaged. REQUIRES:
  // FindPacked has found it.
  virtual Status CopyPacked(const ObjectId& /*id*/,
                            const PackedSink& /*sink*/) {
    return {};
  }

  // Bytes of pack and pack index files, for comparison.
  virtual uint64_t PackedBytes() = 0;
  // True when objects may be missing on purpose.
  virtual bool IsPartialClone() = 0;
  // Alternates that do not exist. Their objects count as missing.
  virtual std::vector<std::string> MissingAlternates() { return {}; }
};

}  // namespace zpack
