// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/file_blocks.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/chunk.h"
#include "reader/chunk_reader.h"
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
      far_bases_(std::make_unique<FarBaseReader>(*this)) {
  if (parts_.sections.empty()) {
    parts_.sections.push_back({&file_, 0, table().rows.back().offset,
                               parts_.object_count, parts_.features});
  }
  for (size_t block = 0; block < block_count(); ++block) {
    blocks_stored_size_ += block_stored_size(block);
  }
}

FileBlocks::~FileBlocks() = default;

Status FileBlocks::LoadIndex() const {
  if (parts_.id_of) return {};
  return load_index_.Do([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(index_, read_index_());
    index_loaded_ = true;
    return {};
  });
}

const FileSection& FileBlocks::SectionOf(size_t block) const {
  if (parts_.sections.size() == 1) return parts_.sections.front();
  const auto after = std::ranges::upper_bound(parts_.sections, block, {},
                                              &FileSection::first_block);
  return *(after - 1);
}

uint64_t FileBlocks::block_end(size_t block) const {
  const FileSection& section = SectionOf(block);
  const bool is_last =
      block + 1 == block_count() || first_in_file(block + 1) == block + 1;
  return is_last ? section.end : block_offset(block + 1);
}

void FileBlocks::Prefetch(size_t first, size_t end) const {
  for (size_t block = first; block < end;) {
    const FileSection& section = SectionOf(block);
    const size_t begin = block;
    while (block < end && SectionOf(block).file == section.file) ++block;
    section.file->Prefetch(block_offset(begin), block_end(block - 1));
  }
}

Status FileBlocks::CheckBlockSize(size_t block) const {
  const uint64_t size = block_stored_size(block);
  if (size <= options_.max_block_size) return {};
  Error error = NewError(ErrorCode::kLimitExceeded,
                         "block of {} bytes is above the limit of {}", size,
                         options_.max_block_size);
  if (parts_.placed) {
    error = Extend(std::move(error), " at offset {} of '{}'",
                   AtOffset{block_offset(block)}, AtPath{block_path(block)});
  }
  return std::unexpected(std::move(error));
}

Error FileBlocks::InBlock(Error error, size_t block) const {
  if (!parts_.placed) return error;
  return Extend(std::move(error), " in block {} at offset {} of '{}'",
                block - first_in_file(block), AtOffset{block_offset(block)},
                AtPath{block_path(block)});
}

Result<std::span<uint8_t>> FileBlocks::ReadBlockStart(
    size_t block, std::span<uint8_t> start) const {
  start = start.first(std::min(start.size(), block_stored_size(block)));
  ZPACK_TRY(SectionOf(block).file->Read(block_offset(block), start));
  return start;
}

Result<ByteView> FileBlocks::ReadBlockChunk(size_t block, Bytes& chunk) const {
  ZPACK_TRY(CheckBlockSize(block));
  if (block_stored_size(block) == 0) {
    // A gap between the blocks of a damaged file.
    return MakeError(ErrorCode::kCorrupt,
                     "the block of object number {}, which it needs, is lost",
                     first_object(block).value());
  }
  chunk.resize(block_stored_size(block));
  blocks_read_.fetch_add(1, std::memory_order_relaxed);
  bytes_read_.fetch_add(chunk.size(), std::memory_order_relaxed);
  const RandomAccessFile& file = *SectionOf(block).file;
  const uint64_t offset = block_offset(block);
  return ReadChecked(file, offset, offset + chunk.size(),
                     [&]() -> Result<ByteView> {
                       ZPACK_TRY(file.Read(offset, chunk));
                       return format::DecodeChunk(format::kBlockChunk, chunk);
                     });
}

}  // namespace zpack
