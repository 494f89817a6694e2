// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/stated_size.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "reader/file_structure.h"

namespace zpack {
namespace {

class FileOfPieces final : public RandomAccessFile {
 public:
  FileOfPieces(std::unique_ptr<RandomAccessFile> file, uint64_t size,
               std::vector<FilePiece> pieces)
      : file_(std::move(file)), size_(size), pieces_(std::move(pieces)) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    if (offset > size_ || out.size() > size_ - offset) {
      return MakeError(ErrorCode::kCorrupt, "unexpected end of '{}'",
                       AtPath{path()});
    }
    while (!out.empty()) {
      const Part part = PartAt(offset, offset + out.size());
      ZPACK_TRY(file_->Read(part.source, out.first(part.there)));
      std::ranges::fill(out.subspan(part.there, part.size - part.there),
                        uint8_t{0});
      out = out.subspan(part.size);
      offset += part.size;
    }
    return {};
  }
  void Prefetch(uint64_t begin, uint64_t end) const override {
    end = std::min(end, size_);
    while (begin < end) {
      const Part part = PartAt(begin, end);
      file_->Prefetch(part.source, part.source + part.there);
      begin += part.size;
    }
  }
  bool Forget(uint64_t begin, uint64_t end) const override {
    bool forgotten = false;
    while (begin < end) {
      const Part part = PartAt(begin, end);
      forgotten |= file_->Forget(part.source, part.source + part.there);
      begin += part.size;
    }
    return forgotten;
  }
  bool is_far_away() const override { return file_->is_far_away(); }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return file_->path(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    return file_->OpenBeside(name);
  }

 private:
  struct Part {
    uint64_t source = 0;
    size_t size = 0;
    size_t there = 0;  // bytes of it that the file has
  };

  // What lies at the beginning of [offset, end), in one piece.
  Part PartAt(uint64_t offset, uint64_t end) const {
    const auto next =
        std::ranges::upper_bound(pieces_, offset, {}, &FilePiece::begin);
    if (next != pieces_.end()) end = std::min(end, next->begin);
    const FilePiece& piece = *(next - 1);
    const uint64_t source =
        std::min(piece.source + (offset - piece.begin), file_->size());
    const uint64_t there = std::min(end - offset, file_->size() - source);
    return {source, end - offset, there};
  }

  std::unique_ptr<RandomAccessFile> file_;
  uint64_t size_;
  std::vector<FilePiece> pieces_;
};

}  // namespace

std::unique_ptr<RandomAccessFile> FromPieces(
    std::unique_ptr<RandomAccessFile> file, uint64_t size,
    std::vector<FilePiece> pieces) {
  return std::make_unique<FileOfPieces>(std::move(file), size,
                                        std::move(pieces));
}

bool IsMostlyThere(const RandomAccessFile& file, uint64_t stated) {
  return stated / 8 * 7 <= file.size();
}

Result<std::unique_ptr<RandomAccessFile>> WithStatedSize(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  if (options.size == SizeOfFile::kActual) return file;
  const auto header = FindHeader(*file, options);
  if (!header && header.error().code == ErrorCode::kIo) {
    return std::unexpected(header.error());
  }
  if (!header || !*header) return file;
  const uint64_t stated = (*header)->file_size;
  if (stated == file->size() || !IsMostlyThere(*file, stated)) return file;
  return FromPieces(std::move(file), stated, {{0, 0}});
}

}  // namespace zpack
