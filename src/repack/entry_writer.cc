// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/entry_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "inventory/listed_objects.h"

namespace zpack {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;
// Objects up to this size are compressed in memory, so that their compressed
// size is known before they are placed in a pack.
constexpr uint64_t kMaxHeld = uint64_t{16} << 20;
// Upper limit for the header of an entry, wherever the entry is written.
constexpr uint64_t kMaxEntryHeader = 32;

// Upper limit for the size of an object compressed by zlib.
uint64_t MaxDeflated(uint64_t size) {
  return size + (size >> 9) + kMaxEntryHeader;
}

}  // namespace

EntryWriter::EntryWriter(const From& from, const DeltaSearchOptions& options,
                         PackSeries& packs)
    : source_(from.source),
      list_(from.list),
      reuse_(from.reuse),
      spool_(from.spool),
      packs_(packs),
      max_orphan_(std::min(options.window_memory, options.big_file_threshold)),
      orphans_(from.list, options),
      deflater_(options.level),
      offsets_(from.list.ids.size()) {}

Status EntryWriter::Write(ListRank rank) {
  // A zlib stream is never empty, so an object without a stream was not
  // searched.
  if (spool_.entries()[rank].stored_size != 0) return WriteSearched(rank);
  if (reuse_.kinds[rank] != Reuse::kNone) {
    ZPACK_ASSIGN_OR_RETURN(const bool copied, Copy(rank));
    if (copied) return {};
    if (IsElsewhere(reuse_.Base(rank))) return WriteOrphan(rank);
  }
  return WriteWhole(rank);
}

Result<bool> EntryWriter::MakeRoom(uint64_t size) {
  ZPACK_ASSIGN_OR_RETURN(const bool another,
                         packs_.MakeRoom(size + kMaxEntryHeader));
  if (another) {
    std::ranges::fill(offsets_.raw(), 0);
    orphans_.Clear();
  }
  return another;
}

Status EntryWriter::BeginEntry(ListRank rank, ListRank base,
                               uint64_t raw_size) {
  offsets_[rank] = packs_.last().offset();
  PackEntry entry{list_.types[rank], raw_size};
  if (base != ReusePlan::kNoBase) entry.base_offset = offsets_[base];
  return packs_.BeginEntry(rank, entry);
}

Status EntryWriter::WriteSearched(ListRank rank) {
  const PlannedEntry& planned = spool_.entries()[rank];
  ZPACK_TRY(MakeRoom(planned.stored_size));
  if (IsElsewhere(planned.base)) return WriteOrphan(rank);
  ZPACK_TRY(BeginEntry(rank, planned.base, planned.raw_size));
  ZPACK_TRY(spool_.Read(rank, stream_));
  return packs_.last().AppendToEntry(stream_);
}

Status EntryWriter::WriteOrphan(ListRank rank) {
  if (list_.sizes[rank] > max_orphan_) return WriteWhole(rank);
  ZPACK_TRY(ReadListed(source_, list_, rank, content_));
  PlannedEntry entry = orphans_.Plan(rank, content_, stream_);
  ZPACK_ASSIGN_OR_RETURN(const bool another, MakeRoom(entry.stored_size));
  // The new base is now in an earlier pack as well.
  if (another) entry = orphans_.Plan(rank, content_, stream_);
  ZPACK_TRY(BeginEntry(rank, entry.base, entry.raw_size));
  ZPACK_TRY(packs_.last().AppendToEntry(stream_));
  orphans_.Add(rank, std::move(content_));
  return {};
}

Result<bool> EntryWriter::Copy(ListRank rank) {
  const auto packed = source_.FindPacked(list_.ids[rank]);
  if (!packed) return false;
  ZPACK_TRY(MakeRoom(packed->size));
  const ListRank base = reuse_.Base(rank);
  if (IsElsewhere(base)) return false;
  bool begun = false;
  uint64_t size = 0;
  const PackedSink sink = {
      [&](uint64_t raw_size) -> Status {
        size = raw_size;
        return {};
      },
      [&](ByteView piece) -> Result<Visit> {
        if (!begun && reuse_.rule == PackReuse::kObjects &&
            ZlibLevelHint(piece) < StreamDeflater::kLevelHint) {
          return Visit::kStop;  // not compressed enough
        }
        if (!begun) {
          begun = true;
          ZPACK_TRY(BeginEntry(rank, base, size));
        }
        ZPACK_TRY(packs_.last().AppendToEntry(piece));
        return Visit::kContinue;
      }};
  const Status copied = source_.CopyPacked(list_.ids[rank], sink);
  // Nothing was written: the entry is damaged, or compressed too weakly.
  if (!begun) return false;
  ZPACK_TRY(copied);
  return true;
}

Status EntryWriter::WriteWhole(ListRank rank) {
  if (list_.sizes[rank] > kMaxHeld) return WriteInPieces(rank);
  ZPACK_TRY(ReadListed(source_, list_, rank, content_));
  stream_.clear();
  deflater_.Deflate(content_, stream_);
  ZPACK_TRY(MakeRoom(stream_.size()));
  ZPACK_TRY(BeginEntry(rank, ReusePlan::kNoBase, content_.size()));
  return packs_.last().AppendToEntry(stream_);
}

Status EntryWriter::WriteInPieces(ListRank rank) {
  ZPACK_ASSIGN_OR_RETURN(const auto object, OpenListed(source_, list_, rank));
  uint64_t left = object->info().size;
  ZPACK_TRY(MakeRoom(MaxDeflated(left)));
  ZPACK_TRY(BeginEntry(rank, ReusePlan::kNoBase, left));
  StreamDeflater deflater(
      [&](ByteView piece) { return packs_.last().AppendToEntry(piece); });
  while (left != 0) {
    stream_.resize(std::min(left, kPiece));
    ZPACK_TRY(object->Read(stream_));
    ZPACK_TRY(deflater.Append(stream_));
    left -= stream_.size();
  }
  return deflater.Finish();
}

}  // namespace zpack
