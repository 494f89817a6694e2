// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the content of objects, but nothing of a damaged object.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "zpack/archive_reader.h"

namespace zpack::cli {

// Writes `piece` to `out`, standard output. kIo.
Status WritePiece(std::span<const uint8_t> piece, std::ostream& out);

// How to write an object that is too large to be hashed in memory first.
enum class LargeContent : uint8_t {
  kSpool,   // hash it into a temporary file, then write it
  kStream,  // write it while it is decoded and hashed
};

class ContentWriter {
 public:
  // `reader` and `out` must outlive the writer. `held` is the
  // ReadOptions::cache_size of `reader`.
  ContentWriter(const ArchiveReader& reader, uint64_t held, LargeContent large,
                std::ostream& out)
      : reader_(reader), held_(held), large_(large), out_(out) {}

  // Writes `head` and the content of the object. Returns kCorrupt if the
  // content does not hash to the id, kIo if it cannot be written or spooled,
  // and other errors of ArchiveReader::Stream. If reading or spooling fails,
  // nothing has been written, except for a large object with
  // LargeContent::kStream.
  Status Write(const ObjectId& id, const ObjectInfo& info,
               std::string_view head);

 private:
  const ArchiveReader& reader_;
  uint64_t held_;
  LargeContent large_;
  std::ostream& out_;
};

}  // namespace zpack::cli
