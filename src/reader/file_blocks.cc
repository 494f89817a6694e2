// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/file_blocks.h"

#include <utility>

#include "base/error.h"
#include "reader/far_base_reader.h"

namespace zpack {

namespace {

uint64_t NextIdentity() {
  static std::atomic<uint64_t> next = 1;
  return next++;
}

}  // namespace

FileBlocks::FileBlocks(const RandomAccessFile& file, const ReadOptions& options,
                       Parts parts, IndexReader read_index)
    : identity_(NextIdentity()),
      file_(file),
      options_(options),
      parts_(std::move(parts)),
      read_index_(std::move(read_index)),
      expansion_(parts_.table.block_count(), parts_.max_expansion),
      far_bases_(std::make_unique<FarBaseReader>(*this)) {}

FileBlocks::~FileBlocks() = default;

Status FileBlocks::LoadIndex() const {
  if (parts_.id_of) return {};
  return load_index_.Do([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(index_, read_index_());
    index_loaded_ = true;
    return {};
  });
}

Status FileBlocks::CheckBlockSize(size_t block) const {
  const uint64_t size = block_stored_size(block);
  if (size <= options_.max_block_size) return {};
  Error error = NewError(ErrorCode::kLimitExceeded,
                         "block of {} bytes is above the limit of {}", size,
                         options_.max_block_size);
  if (parts_.placed) {
    error = Extend(std::move(error), " at offset {} of '{}'",
                   AtOffset{block_offset(block)}, AtPath{path()});
  }
  return std::unexpected(std::move(error));
}

Error FileBlocks::InBlock(Error error, size_t block) const {
  if (!parts_.placed) return error;
  return Extend(std::move(error), " in block {} at offset {} of '{}'", block,
                AtOffset{block_offset(block)}, AtPath{path()});
}

Status FileBlocks::ReadBlockChunk(size_t block, Bytes& chunk) const {
  ZPACK_TRY(CheckBlockSize(block));
  chunk.resize(block_stored_size(block));
  blocks_read_.fetch_add(1, std::memory_order_relaxed);
  bytes_read_.fetch_add(chunk.size(), std::memory_order_relaxed);
  return file_.Read(block_offset(block), chunk);
}

}  // namespace zpack
