// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the library and a repository that it reads.
// Implementations may be used from several threads at once, but each
// ObjectStream from one thread at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/visitor.h"
#include "object/listed_files.h"
#include "object/object_id_table.h"
#include "object/path_table.h"
#include "object/promises.h"
#include "object/tip_group.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The content of one object, read from front to end.
class ObjectStream {
 public:
  virtual ~ObjectStream() = default;
  virtual const ObjectInfo& info() const = 0;
  // Fills `out`. kSourceCorrupt if the content ends before `out` is full.
  virtual Status Read(std::span<uint8_t> out) = 0;
};

// Describes how a pack stores an object.
struct PackedForm {
  PackNumber pack;    // index among the packs of the source
  ObjectId base;      // base of a delta; empty for a whole object
  uint64_t size = 0;  // bytes of the entry in the pack
};

// Receives the stored form of an object. `begin` gets the uncompressed size of
// the object or delta; then `append` gets the zlib stream in pieces, until it
// has enough.
struct PackedSink {
  std::function<Status(uint64_t)> begin;
  Visitor<ByteView> append;
};

// What the caller will ask a source for.
enum class ExpectedReads : uint8_t {
  kInfos,     // types and sizes, of any number of objects; few contents
  kContents,  // the contents of many objects
};

class ObjectSource {
 public:
  virtual ~ObjectSource() = default;

  // The name of this source in messages.
  virtual const std::string& path() const = 0;
  virtual ObjectFormat object_format() const = 0;

  // Every object of the database: packed or loose, from alternates, reachable
  // or not.
  virtual Result<ObjectIdTable> ListObjects() = 0;

  // kNotFound if there is no such object; kSourceCorrupt if the object cannot
  // be decoded. The hash of the content is not checked.
  virtual Result<ObjectInfo> ReadInfo(const ObjectId& id) = 0;
  virtual Result<ObjectType> Read(const ObjectId& id, Bytes& content) = 0;
  // Prefetches the memory that Read of these objects will access. With many
  // packed objects, loading this memory takes longer than reading a small
  // object.
  virtual void PrefetchReads(std::span<const ObjectId> /*ids*/) {}
  // Opens an object that is too large to be held in memory twice. Errors as
  // Read.
  virtual Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) = 0;
  // For an object whose content, as read, has another id. If the source finds a
  // copy that has the id, ReadInfo, Read and Open use that copy from now on.
  // Otherwise returns false, and nothing changes.
  virtual bool UseOtherCopy(const ObjectId& /*id*/) { return false; }

  virtual Result<RefsSnapshot> ReadRefs() = 0;
  // Ids that keep objects alive in addition to refs and HEAD, for example from
  // reflogs, the HEADs of worktrees, and every index.
  virtual Result<std::vector<TipGroup>> ListOtherTips() = 0;

  // By path number: true if blobs with this path must not be stored as deltas
  // (gitattributes(5), `delta`). One call at a time.
  virtual Result<IndexedVector<PathNumber, bool>> FindUndeltified(
      const PathTable& paths) {
    return IndexedVector<PathNumber, bool>(paths.size());
  }

  // The packed form of an object, if it can be copied without decoding;
  // otherwise nothing.
  virtual std::optional<PackedForm> FindPacked(const ObjectId& /*id*/) {
    return std::nullopt;
  }
  // Copies the packed form to the sink. If the packed form is damaged, returns
  // kCorrupt and passes nothing on. REQUIRES: FindPacked has found the object.
  virtual Status CopyPacked(const ObjectId& /*id*/,
                            const PackedSink& /*sink*/) {
    return {};
  }

  // The files of all groups. Of FileGroup::kOther, those at and below the paths
  // `others` in the git directory. Paths that do not exist are skipped.
  virtual Result<ListedFiles> ListFiles(
      std::span<const std::string> /*others*/) {
    return ListedFiles{};
  }
  // Opens a listed file. Null if it no longer exists. A reflog has no line that
  // it did not have when it was listed. kSourceCorrupt if it was changed so
  // that its end cannot be found; kIo.
  virtual Result<std::unique_ptr<FileStream>> OpenFile(
      const ListedFile& /*file*/) {
    return nullptr;
  }

  // Bytes of all packs with their indexes, reverse indexes and times, for
  // comparison.
  virtual uint64_t PackedBytes() = 0;
  // True if objects may be missing on purpose.
  virtual bool IsPartialClone() = 0;
  // The remotes that promise to have what is missing. None if the repository
  // is not a partial clone.
  virtual Result<PromisorRemotes> ReadPromisorRemotes() {
    return PromisorRemotes{};
  }
  // The objects that came from such a remote. It promises to have them and
  // everything that they link to.
  virtual Result<ObjectIdTable> ListPromisorObjects() {
    return ObjectIdTable();
  }
  // Alternates that do not exist. Their objects count as missing.
  virtual std::vector<std::string> MissingAlternates() { return {}; }
  // Packs whose objects count as missing, and why: sentences.
  virtual Result<std::vector<std::string>> UnusablePacks() {
    return std::vector<std::string>();
  }
  // What was skipped so far because it is damaged, for people. None unless the
  // source was opened to skip such files.
  virtual std::vector<std::string> SkippedFiles() { return {}; }
};

}  // namespace zpack
