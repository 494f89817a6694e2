// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One reftable, opened: its header, footer and sections. Immutable; any number
// of threads may read it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/file.h"
#include "reftable/table_format.h"
#include "zpack/result.h"

namespace zpack::reftable {

class Table {
 public:
  // Reads header and footer, and all of a file of at most 64 KiB, which is then
  // closed: a stack may have more tables than a process may have files.
  // kSourceCorrupt if they are malformed, or if the table has ids of a format
  // other than `format`; kUnsupported for an unknown version or hash; kIo.
  static Result<Table> Open(std::unique_ptr<RandomAccessFile> file,
                            ObjectFormat format);

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  const TableHeader& header() const { return footer_.header; }
  const TableFooter& footer() const { return footer_; }
  // Offset of the footer, where the blocks end.
  uint64_t end() const { return size_ - header().footer_size(); }
  // Offset of the first block of a section, `kRef` or `kLog`. Nothing if the
  // table has no such section.
  std::optional<uint64_t> Begin(BlockType type) const;

  // Fills `out` from the file. kSourceCorrupt if the file ends before; kIo.
  Status Read(uint64_t offset, std::span<uint8_t> out) const;

 private:
  Table(std::string path, uint64_t size)
      : path_(std::move(path)), size_(size) {}
  Status ReadFooter(ObjectFormat format);
  Status CheckPositions() const;

  std::string path_;
  uint64_t size_;
  std::unique_ptr<RandomAccessFile> file_;  // null if `content_` is all of it
  Bytes content_;
  TableFooter footer_;
  std::optional<BlockType> first_type_;  // nothing if there are no blocks
};

}  // namespace zpack::reftable
