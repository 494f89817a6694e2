// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the content of objects, and nothing of one that is damaged.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "zpack/archive_reader.h"

namespace zpack::cli {

// What happens to an object that is too large to be held in memory while it is
// hashed.
enum class LargeContent : uint8_t {
  kSpool,   // it waits in a temporary file
  kStream,  // it is written as it is decoded, whatever it hashes to
};

class ContentWriter {
 public:
  // `reader` and `out` outlive the writer. `held` is the
  // ReadOptions::cache_size with which `reader` was opened.
  ContentWriter(const ArchiveReader& reader, uint64_t held, LargeContent large,
                std::ostream& out)
      : reader_(reader), held_(held), large_(large), out_(out) {}

  // Writes `head` and the content of the object. kCorrupt when it does not hash
  // to its id, kIo when it cannot be written or spooled, and what
  // ArchiveReader::Stream returns; nothing is written then, but with
  // LargeContent::kStream of a large object.
  Status Write(const ObjectId& id, const ObjectInfo& info,
               std::string_view head);

 private:
  const ArchiveReader& reader_;
  uint64_t held_;
  LargeContent large_;
  std::ostream& out_;
};

}  // namespace zpack::cli
