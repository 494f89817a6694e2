// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/convert_resume.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/guarded.h"
#include "format/block.h"
#include "format/chunk.h"
#include "reader/block_decoder.h"
#include "reader/file_blocks.h"
#include "verify/verify_pack.h"
#include "writer/container_writer.h"
#include "zpack/convert.h"

namespace zpack {
namespace {

// Why a file is not the beginning of one with this preamble; empty if it is.
Result<std::string> Compare(const RandomAccessFile& file, ByteView preamble) {
  Bytes start(std::min<uint64_t>(file.size(), preamble.size()));
  ZPACK_TRY(file.Read(0, start));
  const size_t marker = kUnfinishedMarker.size();
  const size_t fingerprint = marker + format::kDigestSize;
  if (start.size() < fingerprint ||
      !std::ranges::equal(ByteView(start).first(marker),
                          preamble.first(marker))) {
    return "it is not the beginning of a .zpack file";
  }
  if (!std::ranges::equal(ByteView(start).first(fingerprint),
                          preamble.first(fingerprint))) {
    return "it was started with different options or from a different "
           "repository "
           "state";
  }
  if (!std::ranges::equal(start, preamble)) return "it is damaged";
  return {};
}

// Reads the blocks of a file one after the other and finds out to which items
// of a plan they belong.
class BlockScan {
 public:
  BlockScan(const RandomAccessFile& file, const PackPlan& plan)
      : file_(file), plan_(plan), offset_(plan.preamble.size()) {}

  Status Run(WrittenBlocks& written) {
    const size_t reused = plan_.contents.reused_count();
    for (size_t item = 0; item < reused + plan_.blocks.size(); ++item) {
      ZPACK_ASSIGN_OR_RETURN(
          const bool complete,
          item < reused ? ScanReused(written)
                        : ScanPlanned(plan_.blocks[item - reused], written));
      if (!complete) break;
      written.item_ends.push_back(written.blocks.size());
    }
    size_t items = written.item_ends.size();
    // Reused blocks are copied faster than looked at; of an object in segments
    // all are needed, or none.
    if (items < reused) items = 0;
    while (items > reused && items - reused < plan_.blocks.size() &&
           plan_.blocks[items - reused].segment_offset != 0) {
      --items;
    }
    written.Shrink(items);
    return {};
  }

 private:
  // The next block, or nothing when there is no whole one. kIo.
  Result<std::optional<format::BlockHeader>> Next(WrittenBlocks& written) {
    constexpr uint64_t kSmallest = format::kChunkOverhead;
    const uint64_t rest = file_.size() - offset_;
    if (rest < kSmallest) return std::nullopt;
    chunk_.resize(format::kChunkHeaderSize);
    ZPACK_TRY(file_.Read(offset_, chunk_));
    const auto header = format::DecodeChunkHeader(chunk_);
    if (!header || header->id != format::kBlockChunk ||
        header->payload_size > rest - kSmallest ||
        header->payload_size > ReadOptions{}.max_block_size) {
      return std::nullopt;
    }
    chunk_.resize(header->payload_size + kSmallest);
    ZPACK_TRY(file_.Read(offset_, chunk_));
    const auto payload = format::DecodeChunk(format::kBlockChunk, chunk_);
    if (!payload) return std::nullopt;
    const auto block =
        format::DecodeBlock(*payload, ReadOptions{}.max_block_size);
    if (!block) return std::nullopt;
    written.blocks.push_back(
        {offset_, chunk_.size(), block->header.first_object, {}});
    offset_ += chunk_.size();
    return block->header;
  }

  // Both: false when the item is not there, or not all of it.
  Result<bool> ScanReused(WrittenBlocks& written) {
    ZPACK_ASSIGN_OR_RETURN(const auto header, Next(written));
    return header.has_value();
  }

  Result<bool> ScanPlanned(const PlannedBlock& plan, WrittenBlocks& written) {
    uint32_t covered = 0;
    while (covered < plan.count) {
      ZPACK_ASSIGN_OR_RETURN(const auto header, Next(written));
      if (!header || header->kind != plan.kind || header->type != plan.type ||
          header->first_object !=
              plan_.input.first_number + plan.first + covered ||
          header->segment_offset != plan.segment_offset ||
          header->object_count > plan.count - covered) {
        return false;
      }
      covered += header->object_count;
    }
    return true;
  }

  const RandomAccessFile& file_;
  const PackPlan& plan_;
  uint64_t offset_;
  Bytes chunk_;
};

// The number after those of the first `items` items.
uint32_t EndNumber(const PackPlan& plan, size_t items) {
  const size_t reused = plan.contents.reused_count();
  if (items == reused) return plan.input.first_number;
  const PlannedBlock& last = plan.blocks[items - reused - 1];
  return plan.input.first_number + last.first + last.count;
}

// What is known of the blocks that were found.
FileBlocks::Parts Parts(const PackPlan& plan, const WrittenBlocks& written) {
  const ObjectIdTable& ids = plan.contents.ids;
  format::BlockTable table;
  table.rows.reserve(written.blocks.size() + 1);
  for (const WrittenBlocks::Block& block : written.blocks) {
    table.rows.push_back({block.offset, block.first_object});
  }
  table.rows.push_back(
      {written.size(), EndNumber(plan, written.item_ends.size())});
  // The finished file may be larger than it is now.
  return {ids.format(), ids.size(), format::KnownFeatures(), std::move(table),
          format::MaxExpansion(UINT64_MAX)};
}

// Decodes and hashes the objects of what was found, but of reused blocks, and
// forgets what is not as planned.
Status CheckObjects(FileSystem& file_system, const PackPlan& plan,
                    const RunOptions& run, WrittenBlocks& written) {
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         file_system.OpenForRead(written.file->path()));
  const auto index = [&](uint64_t&) -> Result<FileIndex> {
    const auto& numbers = plan.numbers.numbers;
    return FileIndex{plan.contents.ids, numbers,
                     format::InversePermutation(numbers)};
  };
  const FileBlocks found(*file, ReadOptions{}, Parts(plan, written), index);
  ZPACK_TRY(found.LoadIndex());
  const std::vector<bool> trusted(plan.contents.reused_count(), true);
  VerifyReport report;
  ZPACK_TRY(VerifyObjects(found, trusted, run, report));
  BlockDecoder decoder;
  for (size_t block = 0; block < written.blocks.size(); ++block) {
    // Those that were trusted are looked at only now, and never refused.
    if (block < trusted.size()) (void)decoder.DecodeObjects(found, block);
    written.blocks[block].expansion = found.expansion().Of(block);
  }
  uint64_t damaged_at = written.size();
  for (const Damage& damage : report.damages) {
    damaged_at = std::min(damaged_at, damage.offset);
  }
  size_t items = 0;
  while (items < written.item_ends.size()) {
    const auto& last = written.blocks[written.item_ends[items] - 1];
    if (last.offset + last.size > damaged_at) break;
    ++items;
  }
  written.Shrink(items);
  return {};
}

}  // namespace

Result<WrittenBlocks> FindWrittenBlocks(FileSystem& file_system,
                                        AtomicFile& output,
                                        const PackPlan& plan,
                                        const RunOptions& run,
                                        std::string& unusable) {
  WrittenBlocks written;
  ZPACK_ASSIGN_OR_RETURN(written.file,
                         file_system.OpenForRead(output.temporary_path()));
  if (written.file->size() == 0) return written;
  ZPACK_ASSIGN_OR_RETURN(unusable, Compare(*written.file, plan.preamble));
  if (!unusable.empty()) {
    ZPACK_TRY(output.file().Truncate(0));
    return written;
  }
  ZPACK_TRY(BlockScan(*written.file, plan).Run(written));
  if (!written.item_ends.empty()) {
    ZPACK_TRY(CheckObjects(file_system, plan, run, written));
  }
  return written;
}

void KeepForResume(ByteView preamble, AtomicFile& output) {
  if (!output.has_temporary() || output.file().size() <= preamble.size()) {
    return;
  }
  if (!preamble.empty()) {
    // The header may be there already. What a failure leaves is begun anew.
    (void)output.file().WriteAt(0, preamble);
  }
  output.Keep();
}

bool CanResume(const std::string& path) {
  const auto resumable = Guarded([&]() -> Result<bool> {
    ZPACK_ASSIGN_OR_RETURN(const std::string temporary,
                           AtomicFile::TemporaryPath(path));
    ZPACK_ASSIGN_OR_RETURN(const auto file,
                           PosixFileSystem().OpenForRead(temporary));
    Bytes start(kUnfinishedMarker.size());
    return file->size() > start.size() && file->Read(0, start) &&
           AsText(start) == kUnfinishedMarker;
  });
  return resumable.value_or(false);
}

}  // namespace zpack
