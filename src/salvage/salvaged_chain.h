// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that depend on each other, whose structure is undamaged, as one file to
// salvage. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/file.h"
#include "reader/archive_file.h"
#include "salvage/chunk_scan.h"
#include "salvage/salvaged_parts.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// The bytes of all files, one after the other.
class ChainBytes final : public RandomAccessFile {
 public:
  // `files` must outlive this object.
  explicit ChainBytes(FileChain files) : files_(files) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override;
  uint64_t size() const override;
  const std::string& path() const override { return files_.back()->path(); }

  // The path of the file that holds the byte at `offset`, and its offset there.
  std::pair<std::string, uint64_t> Locate(uint64_t offset) const;

 private:
  FileChain files_;
};

// What ScanFile finds in each of the files; offsets are those of ChainBytes.
// Of tables, only those that have to be read again are listed.
Result<FoundParts> ScanChain(FileChain files, const ReadOptions& options,
                             const RunOptions& run);

// The parts of the files. `found` is what ScanChain has returned.
Result<SalvagedParts> PartsOfChain(const ArchiveFile& archive,
                                   const FoundParts& found);

}  // namespace zpack
