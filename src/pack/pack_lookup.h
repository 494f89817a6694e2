// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads single objects of a pack as Git does: by what the index says of their
// offsets, and nothing else. Opening takes less time than with PackReader, and
// damage costs only the objects that need the damaged entry; reading many
// objects takes longer. Objects may have any size. May be used from several
// threads at once.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "codec/inflate.h"
#include "object/object_source.h"
#include "pack/pack_index.h"
#include "zpack/result.h"

namespace zpack {

class PackLookup {
 public:
  // The lookup for the pack in `file`. Errors: those of CheckPackOfIndex.
  static Result<std::unique_ptr<PackLookup>> Create(
      PackIndex index, std::unique_ptr<RandomAccessFile> file);

  const PackIds& ids() const { return index_.ids; }

  // REQUIRES: rank < ids().size(). Of several entries of an object, the first
  // one that can be read is taken. kCorrupt; kIo.
  Result<ObjectInfo> ReadInfo(PackRank rank) const;
  // Memory: up to two objects of the delta chain and a delta.
  Result<ObjectType> Read(PackRank rank, Bytes& content) const;
  // Reads a whole object in pieces, and a delta at once. The lookup must
  // outlive the stream.
  Result<std::unique_ptr<ObjectStream>> OpenStream(PackRank rank) const;

 private:
  // What comes before the zlib stream of an entry.
  struct Header {
    uint64_t offset = 0;  // of the entry
    uint8_t type = 0;
    uint64_t size = 0;                  // of the content of the stream
    uint64_t stream = 0;                // its offset
    std::optional<uint64_t> base = {};  // offset of the entry of the base
  };
  // An entry and those of its bases, the last of which is whole.
  using Chain = std::vector<Header>;

  PackLookup(PackIndex index, std::unique_ptr<RandomAccessFile> file)
      : index_(std::move(index)),
        file_(std::move(file)),
        end_(file_->size() - ObjectIdWidth(index_.ids.format())) {}

  std::unexpected<Error> Bad(uint64_t offset) const;
  Result<Header> ReadHeader(uint64_t offset) const;
  Result<Chain> ReadChain(uint64_t offset) const;
  Status Inflate(const Header& entry, Bytes& raw) const;
  Result<ObjectInfo> InfoOf(const Chain& chain) const;
  Result<ObjectType> ReadAt(uint64_t offset, Bytes& content) const;
  // Calls `use` with the offset of each entry of the object until it succeeds,
  // and returns what the last call returned.
  template <typename Use>
  auto WithEntry(PackRank rank, Use use) const;

  PackIndex index_;
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t end_;  // of the entries
};

}  // namespace zpack
