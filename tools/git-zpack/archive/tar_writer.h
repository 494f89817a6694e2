// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a tar file (POSIX ustar with pax headers) with the bytes that
// git-archive(1) writes. Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "named_output.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::cli {

// An entry of a tar file.
struct TarEntry {
  std::string path = {};    // a directory's ends in a slash
  uint32_t mode = 0;        // one of Git's five canonical modes
  ObjectId id = {};         // names pax headers
  uint64_t size = 0;        // of a file's content
  std::string target = {};  // of a link
};

class TarWriter {
 public:
  // `time` is the modification time of all entries, in seconds since 1970.
  // `out` must outlive the writer.
  TarWriter(uint64_t time, NamedOutput out);

  // Writes the header of the whole file, which names `commit` unless it is
  // empty. Call it once, first.
  void Begin(const ObjectId& commit);
  // Writes the header of an entry.
  void Add(const TarEntry& entry);
  // Writes a part of the content of the file that Add added last.
  Status Write(std::span<const uint8_t> piece);
  // Call it after the content of a file. kCorrupt unless the content had the
  // size of the entry.
  Status EndFile();
  // Call it once, at the end. kIo if anything could not be written.
  Status Finish();

 private:
  struct Fields;

  void WriteHeader(const Fields& fields, uint32_t mode, uint64_t size);
  void WriteBytes(std::string_view bytes);
  void Pad(uint64_t unit);
  // A pax header with `records`.
  void WriteExtended(char type, const std::string& name,
                     std::string_view records);

  uint64_t time_;
  NamedOutput out_;
  uint64_t written_ = 0;
  uint64_t left_ = 0;  // of the content of the current file
};

}  // namespace zpack::cli
