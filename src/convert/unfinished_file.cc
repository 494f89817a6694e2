// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/unfinished_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "convert/block_scan.h"
#include "format/constants.h"
#include "reader/block_decoder.h"
#include "reader/file_blocks.h"
#include "verify/verify_archive.h"
#include "writer/container_writer.h"

namespace zpack {
namespace {

// Returns the reason why a file does not begin with `preamble`; empty if it
// does.
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

// The object number after the first `items` items.
ObjectNumber EndNumber(const ArchivePlan& plan, size_t items) {
  const size_t reused = plan.contents.reused_count();
  if (items == reused) return plan.input.first_number;
  const PlannedStretch& last = plan.stretches[items - reused - 1];
  return plan.input.Number(last.first + last.count);
}

// Describes the found blocks as a FileBlocks.
FileBlocks::Parts Parts(const ArchivePlan& plan, const WrittenBlocks& written) {
  const ObjectIdTable& ids = plan.contents.ids;
  format::BlockTable table;
  table.rows.reserve(written.blocks.size() + 1);
  for (const WrittenBlocks::Block& block : written.blocks) {
    table.rows.push_back({block.offset, block.first_object});
  }
  table.rows.push_back(
      {written.size(), EndNumber(plan, written.item_ends.size())});
  // The finished file may be larger than it is now.
  return {ids.format(), ids.size(), format::BlockFeatures(), std::move(table),
          format::MaxExpansion(UINT64_MAX)};
}

// Decodes and hashes the objects of the found blocks, except reused blocks.
// Drops everything from the first damaged block on.
Status CheckObjects(FileSystem& file_system, const ArchivePlan& plan,
                    const RunOptions& run, WrittenBlocks& written) {
  ZPACK_ASSIGN_OR_RETURN(const auto file,
                         file_system.OpenForRead(written.file->path()));
  const auto index = [&]() -> Result<FileIndex> {
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
    // Trusted blocks are decoded only for their expansion. Errors are ignored.
    if (block < trusted.size()) (void)decoder.DecodeObjects(found, block);
    written.blocks[block].expansion = found.expansion().Of(block);
  }
  uint64_t damaged_at = written.size();
  for (const Error& damage : report.damages) {
    damaged_at = std::min(damaged_at, damage.offset.value_or(0));
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
                                        const ArchivePlan& plan,
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
  ZPACK_TRY(ScanBlocks(*written.file, plan, written));
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
    // The header may have been written already. If this write fails, the next
    // run starts again.
    (void)output.file().WriteAt(0, preamble);
  }
  output.Keep();
}

void RemoveLeftover(FileSystem& file_system, const std::string& path) {
  const auto temporary = AtomicFile::TemporaryPath(path);
  std::error_code error;
  if (!temporary || !std::filesystem::is_regular_file(*temporary, error)) {
    return;
  }
  // What holds blocks may be continued.
  if (HasUnfinishedFile(file_system, path).value_or(true)) return;
  // This fails if another process holds the temporary file, which stays then.
  const auto taken_over = AtomicFile::Create(file_system, path, Overwrite::kYes,
                                             AtomicFile::Leftover::kKeep);
}

Result<bool> HasUnfinishedFile(FileSystem& file_system,
                               const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const std::string temporary,
                         AtomicFile::TemporaryPath(path));
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(temporary));
  Bytes start(kUnfinishedMarker.size());
  return file->size() > start.size() && file->Read(0, start) &&
         AsText(start) == kUnfinishedMarker;
}

}  // namespace zpack
