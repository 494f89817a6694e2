// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/entry_writer.h"

#include <algorithm>

#include "base/error.h"
#include "writer/listed_objects.h"

namespace zpack {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;

}  // namespace

EntryWriter::EntryWriter(ObjectSource& source, const ObjectList& list,
                         const ReusePlan& reuse, const StreamSpool& spool,
                         StockPackWriter& writer)
    : source_(source),
      list_(list),
      reuse_(reuse),
      spool_(spool),
      writer_(writer),
      offsets_(list.ids.size()) {}

Status EntryWriter::Write(uint32_t rank) {
  const PlannedEntry& planned = spool_.entries()[rank];
  offsets_[rank] = writer_.offset();
  // A zlib stream is never empty, so this one was not searched.
  if (planned.stored_size == 0) return WriteUnsearched(rank);
  ZPACK_TRY(BeginEntry(rank, planned.base, planned.raw_size));
  ZPACK_TRY(spool_.Read(rank, stream_));
  ZPACK_TRY(writer_.AppendToEntry(stream_));
  writer_.EndEntry();
  return {};
}

Status EntryWriter::BeginEntry(uint32_t rank, uint32_t base,
                               uint64_t raw_size) {
  PackEntry entry{list_.types[rank], raw_size};
  if (base != ReusePlan::kNoBase) entry.base_offset = offsets_[base];
  return writer_.BeginEntry(list_.ids[rank], entry);
}

Status EntryWriter::WriteUnsearched(uint32_t rank) {
  if (reuse_.kinds[rank] == Reuse::kNone) return WriteWhole(rank);
  bool begun = false;
  uint64_t size = 0;
  const PackedSink sink = {
      [&](uint64_t raw_size) -> Status {
        size = raw_size;
        return {};
      },
      [&](ByteView piece) -> Status {
        if (!begun && reuse_.rule == ReuseRule::kObjects &&
            ZlibLevelHint(piece) < StreamDeflater::kLevelHint) {
          return MakeError(ErrorCode::kMismatch, "not compressed enough");
        }
        if (!begun) {
          begun = true;
          ZPACK_TRY(BeginEntry(rank, reuse_.Base(rank), size));
        }
        return writer_.AppendToEntry(piece);
      }};
  Status copied = source_.CopyPacked(list_.ids[rank], sink);
  // Nothing was written: it is damaged here, or better compressed anew.
  if (!copied && !begun) return WriteWhole(rank);
  if (copied) writer_.EndEntry();
  return copied;
}

Status EntryWriter::WriteWhole(uint32_t rank) {
  ZPACK_ASSIGN_OR_RETURN(const auto object, OpenListed(source_, list_, rank));
  uint64_t left = object->info().size;
  ZPACK_TRY(BeginEntry(rank, ReusePlan::kNoBase, left));
  StreamDeflater deflater(
      [&](ByteView piece) { return writer_.AppendToEntry(piece); });
  while (left != 0) {
    stream_.resize(std::min(left, kPiece));
    ZPACK_TRY(object->Read(stream_));
    ZPACK_TRY(deflater.Append(stream_));
    left -= stream_.size();
  }
  ZPACK_TRY(deflater.Finish());
  writer_.EndEntry();
  return {};
}

}  // namespace zpack
