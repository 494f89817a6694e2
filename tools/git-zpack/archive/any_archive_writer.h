// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of files that the command 'archive' writes. Thread-compatible.

#pragma once

#include <span>
#include <variant>

#include "archive/tar_writer.h"
#include "archive/zip_writer.h"

namespace zpack::cli {

// Calls of a TarWriter or a ZipWriter.
class AnyArchiveWriter {
 public:
  // Writes a tar file or a ZIP file.
  template <typename Writer>
  AnyArchiveWriter(std::in_place_type_t<Writer> type, uint64_t time,
                   NamedOutput out)
      : writer_(type, time, std::move(out)) {}

  void Begin(const ObjectId& commit) {
    std::visit([&](auto& writer) { writer.Begin(commit); }, writer_);
  }
  void Add(const TarEntry& entry) {
    std::visit([&](auto& writer) { writer.Add(entry); }, writer_);
  }
  Status Write(std::span<const uint8_t> piece) {
    return std::visit([&](auto& writer) { return writer.Write(piece); },
                      writer_);
  }
  Status EndFile() {
    return std::visit([](auto& writer) { return writer.EndFile(); }, writer_);
  }
  Status Finish() {
    return std::visit([](auto& writer) { return writer.Finish(); }, writer_);
  }

 private:
  std::variant<TarWriter, ZipWriter> writer_;
};

}  // namespace zpack::cli
