// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A reflog as it was when it was listed, whatever Git does to the file later:
// lines that were added since may name objects that are not in the archive.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "object/listed_files.h"
#include "zpack/result.h"

namespace zpack {

// Takes the snapshots of all reflogs of one listing.
class ReflogSnapshots {
 public:
  enum class End : uint8_t {
    kGone,    // there is no such file any more
    kLine,    // after a line, or empty
    kInLine,  // within a line, which is left out, as Git leaves it out
  };
  // Sets the size of `log`, which is below `root`, and either its content or,
  // when the contents of others take too much memory, its ending. Returns where
  // the file ended. kIo.
  Result<End> Take(const std::string& root, ListedFile& log);

 private:
  // Bytes of contents that may still be held.
  uint64_t left_ = uint64_t{16} << 20;
};

// Where the lines of the snapshot `log` end in the file `file` of now, whose
// name in messages is `path`, and whose position moves to its front.
// kSourceCorrupt if the last line of the snapshot is gone; kIo.
Result<uint64_t> FindSnapshotEnd(const ListedFile& log, const Descriptor& file,
                                 const std::string& path);

}  // namespace zpack
