// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/neighbours.h"

#include <cstdint>
#include <span>
#include <utility>

namespace zpack {
namespace {

class FileWithNeighbours final : public RandomAccessFile {
 public:
  FileWithNeighbours(std::unique_ptr<RandomAccessFile> file,
                     NeighbourOpener open)
      : file_(std::move(file)), open_(std::move(open)) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    return file_->Read(offset, out);
  }
  uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    return open_(name);
  }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  NeighbourOpener open_;
};

}  // namespace

std::unique_ptr<RandomAccessFile> WithNeighbours(
    std::unique_ptr<RandomAccessFile> file, NeighbourOpener open) {
  return std::make_unique<FileWithNeighbours>(std::move(file), std::move(open));
}

}  // namespace zpack
