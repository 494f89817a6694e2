// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a ZIP file (PKWARE's APPNOTE, with ZIP64 where numbers are large),
// with the entries and times of those that git-archive(1) writes.
// Thread-compatible.

#pragma once

#include <zlib.h>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archive/tar_writer.h"
#include "named_output.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

// The functions are those of TarWriter.
class ZipWriter {
 public:
  ZipWriter(uint64_t time, NamedOutput out);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void Begin(const ObjectId& commit);
  void Add(const TarEntry& entry);
  Status Write(std::span<const uint8_t> piece);
  Status EndFile();
  Status Finish();

 private:
  // What the directory at the end says of an entry.
  struct Row {
    std::string path;
    uint32_t mode = 0;
    uint16_t flags = 0;
    uint16_t method = 0;
    uint16_t text = 0;  // 1 unless the content is binary
    uint32_t crc = 0;
    uint64_t size = 0;
    uint64_t stored = 0;
    uint64_t offset = 0;
  };

  // Whether the content of the current file is compressed while it arrives,
  // because it is too large to be held.
  bool streams() const;
  // Writes the header of the current entry before its content.
  void WriteHeader();
  void WriteRow(const Row& row);
  void WriteEnd();
  // Compresses `input` to the output, or returns false.
  bool Deflate(std::span<const uint8_t> input, int flush);
  // Stores or compresses the content that was held.
  Status WriteHeld(std::span<const uint8_t> content);
  void WriteBytes(std::string_view bytes);

  NamedOutput out_;
  uint32_t time_;
  uint32_t dos_time_;
  std::string comment_;
  std::unique_ptr<z_stream> deflate_;
  std::vector<Row> rows_;  // the last one is the current entry
  std::vector<uint8_t> held_;
  uint64_t left_ = 0;  // of the content of the current file
  uint64_t written_ = 0;
  Status status_;  // the first error of Add
};

}  // namespace zpack::cli
