// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_builder.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"
#include "pack/pack_index.h"
#include "pack/stock_pack_reader.h"
#include "repack/pack_order.h"
#include "repack/stream_spool.h"
#include "writer/listed_objects.h"

namespace zpack {
namespace {

// Objects that one thread reads back at a time, neighbours in the pack.
constexpr uint64_t kVerifyGrain = 4096;
// Larger blobs are not looked into to group paths.
constexpr uint64_t kMaxGrouped = uint64_t{16} << 20;
constexpr size_t kPiece = size_t{1} << 20;
// Larger objects are read back in pieces where that is possible.
constexpr uint64_t kMaxHashedWhole = uint64_t{8} << 20;

// Searches deltas in all stretches, and spools what comes out.
Status SearchDeltas(ObjectSource& source, const ObjectList& list,
                    const DeltaSearchOptions& options, const RunOptions& run,
                    StreamSpool& spool) {
  ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                         GroupLineages(source, list, kMaxGrouped, run));
  ZPACK_ASSIGN_OR_RETURN(const auto undeltified,
                         source.FindUndeltified(list.path_table));
  const SearchInput input{source, list, lineages, undeltified};
  std::vector<SearchStretch> stretches = PlanStretches(list, lineages, options);
  const ProgressPhase phase(
      run.progress, "Compressing objects", list.ids.size(),
      std::accumulate(list.sizes.begin(), list.sizes.end(), uint64_t{0}));
  size_t next = 0;
  return RunOrderedPipeline<SearchStretch>(
      ResolveThreads(run.threads), run.stop,
      [&] {
        return std::make_unique<DeltaSearch>(input, options, phase, run.stop);
      },
      [&](SearchStretch& stretch) -> Result<bool> {
        if (next == stretches.size()) return false;
        stretch = std::move(stretches[next++]);
        return true;
      },
      [&](SearchStretch& stretch, std::unique_ptr<DeltaSearch>& search) {
        return search->Run(stretch);
      },
      [&](SearchStretch& stretch) { return spool.Add(stretch); });
}

// Writes the entries of a pack in order.
class EntryWriter {
 public:
  EntryWriter(ObjectSource& source, const ObjectList& list,
              const StreamSpool& spool, StockPackWriter& writer)
      : source_(source),
        list_(list),
        spool_(spool),
        writer_(writer),
        offsets_(list.ids.size()) {}

  Status Write(uint32_t rank) {
    const PlannedEntry& planned = spool_.entries()[rank];
    offsets_[rank] = writer_.offset();
    // A zlib stream is never empty, so this one was not searched.
    if (planned.stored_size == 0) return WriteLarge(rank);
    entry_.clear();
    if (planned.base == PlannedEntry::kNoBase) {
      EncodePackEntryHeader({list_.types[rank], planned.raw_size}, entry_);
    } else {
      EncodeOffsetDeltaHeader(
          planned.raw_size, writer_.offset() - offsets_[planned.base], entry_);
    }
    ZPACK_TRY(spool_.Read(rank, stream_));
    Append(entry_, stream_);
    return writer_.Add(list_.ids[rank], entry_);
  }

 private:
  // An object above the threshold, in pieces.
  Status WriteLarge(uint32_t rank) {
    ZPACK_ASSIGN_OR_RETURN(const auto object, OpenListed(source_, list_, rank));
    writer_.BeginEntry(list_.ids[rank]);
    entry_.clear();
    EncodePackEntryHeader(object->info(), entry_);
    ZPACK_TRY(writer_.AppendToEntry(entry_));
    StreamDeflater deflater(
        [&](ByteView piece) { return writer_.AppendToEntry(piece); });
    uint64_t left = object->info().size;
    while (left != 0) {
      stream_.resize(std::min<uint64_t>(left, kPiece));
      ZPACK_TRY(object->Read(stream_));
      ZPACK_TRY(deflater.Append(stream_));
      left -= stream_.size();
    }
    ZPACK_TRY(deflater.Finish());
    writer_.EndEntry();
    return {};
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const StreamSpool& spool_;
  StockPackWriter& writer_;
  std::vector<uint64_t> offsets_;  // by rank
  Bytes entry_;
  Bytes stream_;
};

// The id that an object of a pack hashes to. `content` is a buffer to use.
Result<ObjectId> HashObject(StockPackReader& pack, uint32_t rank,
                            ObjectHasher& hasher, Bytes& content) {
  const ObjectInfo info = pack.Info(rank);
  if (info.size <= kMaxHashedWhole || !pack.IsWhole(rank)) {
    ZPACK_TRY(pack.Read(rank, content));
    return hasher.Hash(info.type, content);
  }
  hasher.Begin(info);
  ZPACK_TRY(pack.Stream(rank, [&](ByteView piece) -> Status {
    hasher.Update(piece);
    return {};
  }));
  return hasher.Finish();
}

}  // namespace

Result<std::unique_ptr<StockPackWriter>> BuildStockPack(
    ObjectSource& source, const ObjectList& list,
    const DeltaSearchOptions& options, const RunOptions& run,
    FileSystem& file_system, const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(
      auto writer,
      StockPackWriter::Create(file_system, directory, list.ids.size()));
  ZPACK_ASSIGN_OR_RETURN(
      const auto spool,
      StreamSpool::Create(file_system, directory, list.ids.size()));
  ZPACK_TRY(SearchDeltas(source, list, options, run, *spool));
  ZPACK_TRY(spool->Finish());

  const ProgressPhase phase(run.progress, "Writing objects", list.ids.size(),
                            0);
  EntryWriter entries(source, list, *spool, *writer);
  for (const uint32_t rank : StockPackOrder(list, spool->Bases())) {
    ZPACK_TRY(CheckStop(run.stop));
    ZPACK_TRY(entries.Write(rank));
    phase.Advance(1, 0);
  }
  ZPACK_TRY(writer->Finish());
  return writer;
}

Status VerifyStockPack(const StockPackWriter& writer,
                       const ObjectIdTable& expected, const RunOptions& run,
                       FileSystem& file_system) {
  const std::string path = writer.temporary_index();
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes bytes,
      ReadWholeFile(file_system, path, std::numeric_limits<size_t>::max()));
  ZPACK_ASSIGN_OR_RETURN(PackIndex index, DecodePackIndex(bytes, path));
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.OpenForRead(writer.temporary_pack()));
  ZPACK_ASSIGN_OR_RETURN(
      const auto reader,
      StockPackReader::Create(std::move(index), std::move(file)));
  if (!(reader->ids() == expected)) {
    return MakeError(ErrorCode::kMismatch,
                     "the pack read back has other objects than were written");
  }
  const std::vector<uint32_t> order = reader->DeltaOrder();
  const ProgressPhase phase(run.progress, "Verifying objects", order.size(), 0);
  return ParallelFor(
      ResolveThreads(run.threads), run.stop, order.size(), kVerifyGrain,
      [&](uint64_t begin, uint64_t end) -> Status {
        ObjectHasher hasher(expected.format());
        Bytes content;
        for (uint64_t i = begin; i < end; ++i) {
          ZPACK_TRY(CheckStop(run.stop));
          const uint32_t rank = order[i];
          ZPACK_ASSIGN_OR_RETURN(const ObjectId id,
                                 HashObject(*reader, rank, hasher, content));
          if (id != expected[rank]) {
            return MakeError(ErrorCode::kMismatch, "object {} reads back as {}",
                             expected[rank].ToHex(), id.ToHex());
          }
        }
        phase.Advance(end - begin, 0);
        return {};
      });
}

}  // namespace zpack
