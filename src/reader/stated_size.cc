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

class StatedSizeFile final : public RandomAccessFile {
 public:
  StatedSizeFile(std::unique_ptr<RandomAccessFile> file, uint64_t size)
      : file_(std::move(file)), size_(size) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    if (offset > size_ || out.size() > size_ - offset) {
      return MakeError(ErrorCode::kCorrupt, "unexpected end of '{}'",
                       AtPath{path()});
    }
    const uint64_t there = file_->size() - std::min(file_->size(), offset);
    const size_t count = std::min<uint64_t>(there, out.size());
    std::ranges::fill(out.subspan(count), uint8_t{0});
    if (count == 0) return {};
    return file_->Read(offset, out.first(count));
  }
  void Prefetch(uint64_t begin, uint64_t end) const override {
    const uint64_t most = std::min(file_->size(), size_);
    file_->Prefetch(std::min(begin, most), std::min(end, most));
  }
  bool is_far_away() const override { return file_->is_far_away(); }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return file_->path(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    return file_->OpenBeside(name);
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> WithStatedSize(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  if (options.size == SizeOfFile::kActual) return file;
  const auto header = FindHeader(*file, options);
  if (!header && header.error().code == ErrorCode::kIo) {
    return std::unexpected(header.error());
  }
  if (!header || !*header) return file;
  const uint64_t stated = (*header)->file_size;
  if (stated == file->size() || stated / 8 * 7 > file->size()) return file;
  return std::make_unique<StatedSizeFile>(std::move(file), stated);
}

}  // namespace zpack
