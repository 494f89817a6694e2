// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading from a .zpack file.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack {

// What a file consists of, for people and programs that want to look inside.
struct FileDescription {
  struct Chunk {
    std::string id;
    uint64_t offset = 0;
    uint64_t size = 0;  // framing included
    bool required = false;
  };
  struct Stream {
    std::string kind;   // "sizes", "contents", "literals", ...
    std::string codec;  // "stored", "zstd"
    uint64_t raw_size = 0;
    uint64_t stored_size = 0;
  };
  struct Block {
    uint64_t offset = 0;
    uint64_t size = 0;  // framing included
    std::string kind;   // "objects", "segment", "deltas"
    ObjectType type = ObjectType::kBlob;
    uint32_t first_object = 0;
    uint32_t object_count = 0;
    uint64_t segment_offset = 0;
    std::vector<Stream> streams;
  };

  uint64_t file_size = 0;
  uint16_t format_major = 0;
  uint16_t format_minor = 0;
  ObjectFormat object_format = ObjectFormat::kSha1;
  uint32_t object_count = 0;
  uint64_t header_size = 0;
  uint64_t table_of_contents_offset = 0;
  std::vector<std::string> required_features;
  std::vector<std::string> optional_features;
  std::vector<Chunk> chunks;
  std::vector<Block> blocks;
  std::string content_digest;  // hexadecimal
  std::string file_hash;       // hexadecimal
};

// Orders of objects: of their ids, or the one they are stored in, which is the
// fast one to read them in.
enum class IdOrder : uint8_t { kId, kStorage };

// An open file. May be used from several threads at once.
//
// The index of all objects is loaded when something needs the whole of it:
// ForEachId, Walk, Describe, the content of trees and commits, or to be certain
// that an object is not there; and after some thousand lookups. From then on an
// open file takes about 30 bytes of memory an object (40 with SHA-256). What
// needs the index may fail with kCorrupt, kLimitExceeded or kIo.
class PackReader {
 public:
  // Opens `path` and checks its structure, but for the index of objects.
  // kNotFound, kIo, kUnsupported for a file of another kind or a newer format,
  // kCorrupt, kLimitExceeded.
  static Result<std::unique_ptr<PackReader>> Open(const std::string& path,
                                                  const ReadOptions& options);
  ~PackReader();
  PackReader(const PackReader&) = delete;
  PackReader& operator=(const PackReader&) = delete;

  ObjectFormat object_format() const;
  const RefsSnapshot& refs() const;

  uint32_t object_count() const;
  // Calls `visit` with the id of every object. Its first error ends this and is
  // returned.
  Status ForEachId(IdOrder order,
                   const std::function<Status(const ObjectId&)>& visit) const;

  // kCorrupt when the index is damaged where it should tell.
  Result<bool> Contains(const ObjectId& id) const;

  // The object that `name` stands for: a full object id, an abbreviated one of
  // four digits or more, "HEAD", "@", or a ref name, which may leave out
  // 'refs/', 'refs/tags/', 'refs/heads/' and so on as Git allows. kNotFound;
  // kAmbiguous, with the candidates in the message, for an abbreviation that
  // fits several objects; kCorrupt as above.
  Result<ObjectId> Resolve(std::string_view name) const;

  // kNotFound when there is no such object; kCorrupt when it cannot be decoded
  // or does not hash to its id.
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const;
  Result<std::vector<uint8_t>> Read(const ObjectId& id) const;
  // The content in pieces, for objects of any size. An object of at most
  // ReadOptions::cache_size bytes is hashed before its first piece. The hash of
  // a larger one may be known only at the end: a consumer must not rely on its
  // pieces before this returns.
  Status Stream(
      const ObjectId& id,
      const std::function<Status(std::span<const uint8_t>)>& piece) const;

  // Calls `visit` with every object that is reachable from where `options`
  // begins, each once, in the order and with the paths of git-rev-list(1).
  // Replacement refs are not applied, and contents are not hashed. Ends with
  // the first error that `visit` returns; kNotFound for an object that is
  // needed and missing, kCorrupt when a block cannot be decoded, an object
  // cannot be read or is of another type than what names it says,
  // kLimitExceeded for a path of more than 256 KiB.
  Status Walk(const WalkOptions& options,
              const std::function<Status(const WalkedObject&)>& visit) const;

  // kCorrupt when a block cannot be decoded.
  Result<FileDescription> Describe() const;

 private:
  struct State;
  explicit PackReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The refs of the file at `path`, reading only its beginning. Errors as for
// PackReader::Open.
Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options);

}  // namespace zpack
